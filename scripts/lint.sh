#!/usr/bin/env bash
# Looks at the scripts with shellcheck and at the sources with clang-tidy: about ten minutes of two
# cores. A source whose own text, headers, flags and rules are as they were when it last passed is
# not looked at again.
#
# Usage: scripts/lint.sh [SOURCE …]       without a source: all of them
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --with lint
shellcheck -x scripts/*.sh tests/docs/*.sh .ci/run configs/compose/healthy

cmake --preset tidy >/dev/null
# Generated headers must be there to be parsed; nothing else is built.
ninja -C build/tidy -t targets all |
  sed -n "s/^\(.*\.\(h\|hpp\|cc\|cpp\)\): CUSTOM_COMMAND$/\1/p" |
  xargs ninja -C build/tidy >/dev/null

passed=build/tidy/passed
mkdir -p "$passed"
# A change of any header, rule or flag looks at everything again: rare enough, and never wrong.
common=$({
  find common master worker lock-node client-sim tests -name '*.hpp' -type f -print0 | sort -z |
    xargs -0 cat
  cat .clang-tidy build/tidy/compile_commands.json
} | sha256sum)

check_one() {
  local source=$1 key
  key=$( (printf '%s' "$2" && cat "$source") | sha256sum | cut -c1-64)
  [ -e "$passed/$key" ] && return
  clang-tidy -p build/tidy --quiet "$source" 2>"$passed/$key.log" || {
    grep -v 'warnings generated' "$passed/$key.log" || true
    rm -f "$passed/$key.log"
    echo "clang-tidy: $source" >&2
    return 1
  }
  rm -f "$passed/$key.log"
  : >"$passed/$key"
}
export -f check_one
export passed

if [ $# -gt 0 ]; then list=("$@"); else mapfile -t list < <(sources | grep '\.cpp$'); fi
# shellcheck disable=SC2016  # the inner shell expands them
printf '%s\n' "${list[@]}" |
  xargs --max-procs="$(cores)" -I{} bash -euc 'check_one "$1" "$2"' check {} "$common"
echo "lint: ${#list[@]} sources are clean"
