#!/usr/bin/env bash
# Checks the scripts with shellcheck, the pages of the library of locks with Doxygen, and the sources
# with clang-tidy, one compiled unit at a time (see cmake/FixKeepBuild.cmake). Skips a unit that has
# passed with the same sources, project headers, flags and rules in any checkout on this machine.
#
# Usage: scripts/lint.sh [WORD …]       only the units whose name has one of the words in it:
#                                       "scripts/lint.sh unit_common_net master/core"
#        scripts/lint.sh --product      all units except those of the tests
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --with lint
shellcheck -x scripts/*.sh deploy/kubernetes/*.sh cmake/*.sh lock/tests/*.sh tests/*.sh tests/docs/*.sh .ci/run configs/compose/healthy configs/hooks/*.sh deploy/packaging/debian/fixkeep/p*
# A quiet grep ends once it has found something; what writes into it then ends by SIGPIPE, which pipefail counts.
if grep -nE '[^|]\| *grep -[a-zA-Z]*q' scripts/*.sh lock/tests/*.sh tests/*.sh tests/*/*.sh .ci/run; then
  fail "what greps quietly gets its text by <<<, and not through a pipe"
fi

mkdir -p build
doxygen lock/Doxyfile || fail "the pages of the library of locks have faults"

cmake --preset tidy >/dev/null
# Generated headers must be there to be parsed; nothing else is built.
ninja -C build/tidy -t targets all |
  sed -n "s/^\(.*\.\(h\|hpp\|cc\|cpp\)\): CUSTOM_COMMAND$/\1/p" |
  xargs ninja -C build/tidy >/dev/null

# Sources that are compiled alone, and the units of several (cmake/FixKeepBuild.cmake).
units() {
  sed -n 's/^  "file": "\(.*\)"$/\1/p' build/tidy/compile_commands.json | grep -v '\.pb\.cc$' |
    sed "s|^$PWD/||"
}

passed=${FIXKEEP_PASSES:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/fixkeep/passes}/lint
work=build/tidy/lint
mkdir -p "$passed" "$work"
find "$passed" -type f -mtime +14 -delete

# The includes among the project's files, and the compile command of each unit.
find common master worker lock client-sim ctl deploy tests cmake build/tidy \
  \( -name '*.[ch]pp' -o -name '*.pb.h' \) -type f -print0 |
  xargs -0 grep -H '^#include "' | sed 's|^\([^:]*\):#include "\(.*\)".*|\1 \2|' >"$work/includes"
sed -n 's/^  "command": "\(.*\)",$/\1/p' build/tidy/compile_commands.json >"$work/commands"
sed -n 's/^  "file": "\(.*\)"$/\1/p' build/tidy/compile_commands.json |
  paste -d ' ' - "$work/commands" | sed "s|$PWD/*||g" >"$work/units"
rules=$({
  clang-tidy --version
  cat .clang-tidy
  find common lock worker -name '*.proto' -type f -print0 | sort -z | xargs -0 cat
} | sha256sum)

# All files of ours that a unit is compiled of, itself first.
closure() { # UNIT
  awk -v unit="$1" '
    { includes[$1] = includes[$1] " " $2 }
    function visit(file, list, count, i) {
      if (seen[file]++) return
      print file
      count = split(includes[file], list, " ")
      for (i = 1; i <= count; i++) visit(list[i])
    }
    END { visit(unit) }' "$work/includes"
}

check_one() { # UNIT, named from the root
  local unit=$1 key log
  key=$({
    printf '%s' "$rules"
    grep -F "$unit " "$work/units" | head -n 1
    closure "$unit" | while read -r file; do
      if [ -f "$file" ]; then cat "$file"; fi
    done
  } | sha256sum | cut -c1-64)
  [ -e "$passed/$key" ] && return
  log=$work/${key}.log
  clang-tidy -p build/tidy --quiet "$PWD/$unit" >"$log" 2>&1 || {
    grep -v 'warnings generated' "$log" || true
    echo "clang-tidy: $unit" >&2
    return 1
  }
  rm -f "$log"
  : >"$passed/$key"
}
export -f check_one closure
export passed work rules

mapfile -t list < <(units)
if [ "$*" = --product ]; then
  mapfile -t list < <(printf '%s\n' "${list[@]}" | grep -vE '^(build/tidy/)?tests/')
elif [ $# -gt 0 ]; then
  mapfile -t list < <(printf '%s\n' "${list[@]}" | grep -F -f <(printf '%s\n' "$@"))
  [ ${#list[@]} -gt 0 ] || fail "no unit has one of these words in its name: $*"
fi
# shellcheck disable=SC2016  # the inner shell expands them
printf '%s\n' "${list[@]}" |
  xargs --max-procs="$(cores)" -I{} bash -euc 'check_one "$1"' check {}
echo "lint: ${#list[@]} units are clean"
