#!/usr/bin/env bash
# Looks at the scripts with shellcheck and at the sources with clang-tidy, unit by unit as they are
# compiled (see cmake/FixKeepBuild.cmake). A unit whose sources, headers, flags and rules are as they
# were when it last passed is not looked at again.
#
# Usage: scripts/lint.sh [WORD …]       only the units whose name has one of the words in it:
#                                       "scripts/lint.sh unit_common_net master/core"
#        scripts/lint.sh --product      all but those of the tests
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --with lint
shellcheck -x scripts/*.sh tests/docs/*.sh .ci/run configs/compose/healthy packaging/debian/fixkeep/p*

cmake --preset tidy >/dev/null
# Generated headers must be there to be parsed; nothing else is built.
ninja -C build/tidy -t targets all |
  sed -n "s/^\(.*\.\(h\|hpp\|cc\|cpp\)\): CUSTOM_COMMAND$/\1/p" |
  xargs ninja -C build/tidy >/dev/null

# Sources that are compiled alone, and the units of several that CMake has written.
units() { sed -n 's/^  "file": "\(.*\)"$/\1/p' build/tidy/compile_commands.json | grep -v '\.pb\.cc$'; }

passed=build/tidy/passed
mkdir -p "$passed"
# A change of any header, rule or flag looks at everything again: rare enough, and never wrong.
common=$({
  find common master worker lock-node client-sim ctl packaging tests -name '*.hpp' -type f -print0 | sort -z |
    xargs -0 cat
  cat .clang-tidy build/tidy/compile_commands.json
} | sha256sum)

check_one() {
  local unit=$1 key
  key=$({
    printf '%s' "$2"
    cat "$unit"
    sed -n 's/^#include "\(.*\.cpp\)"$/\1/p' "$unit" | xargs -r cat
  } | sha256sum | cut -c1-64)
  [ -e "$passed/$key" ] && return
  clang-tidy -p build/tidy --quiet "$unit" >"$passed/$key.log" 2>&1 || {
    grep -v 'warnings generated' "$passed/$key.log" || true
    rm -f "$passed/$key.log"
    echo "clang-tidy: $unit" >&2
    return 1
  }
  rm -f "$passed/$key.log"
  : >"$passed/$key"
}
export -f check_one
export passed

mapfile -t list < <(units)
if [ "$*" = --product ]; then
  mapfile -t list < <(printf '%s\n' "${list[@]}" | grep -v -F "$PWD/build/tidy/tests/" |
    grep -v -F "$PWD/tests/")
elif [ $# -gt 0 ]; then
  mapfile -t list < <(printf '%s\n' "${list[@]}" | grep -F -f <(printf '%s\n' "$@"))
  [ ${#list[@]} -gt 0 ] || fail "no unit has one of these words in its name: $*"
fi
# shellcheck disable=SC2016  # the inner shell expands them
printf '%s\n' "${list[@]}" |
  xargs --max-procs="$(cores)" -I{} bash -euc 'check_one "$1" "$2"' check {} "$common"
echo "lint: ${#list[@]} units are clean"
