#!/usr/bin/env bash
# Whether the tests that SECURITY.md names are there, and whether each of its lines names one or
# says that it is open or allowed; and whether each attack of tests/attack stands in it.
# shellcheck disable=SC2016 # the backquotes are those of Markdown
set -euo pipefail
cd "$(dirname "$0")/../.."

# The lines of the tables of attacks, without their headings.
attacks() {
  sed -n '/^## Who can do what$/,/^## Listeners$/p' SECURITY.md | grep '^| ' | grep -v '^| attack | '
}

code=0
complain() {
  echo "SECURITY.md: $1"
  code=1
}

# Of the sources (a line break may stand after the comma of a long name), and of the texts that hold
# tests: tests/support/scripts.hpp, tests/scenarios/cluster and settings_cases.txt.
all_tests=$({
  find tests lock/tests -name '*.cpp' -exec cat {} + | tr '\n' ' ' | tr -s ' ' |
    grep -oE 'TEST(_F|_P)?\([A-Za-z]+, [a-z0-9_]+\)' | sed -E 's/.*\((.*), (.*)\)/\1.\2/'
  find tests/unit -name '*.txt' -exec sed -n 's/^## //p' {} +
  for file in tests/scenarios/cluster/*.txt; do
    sed -n "s/^scenario /$(basename "$file" .txt)./p" "$file"
  done
  sed -n 's|^case |MasterSettingsCase.is_judged/|p' tests/unit/master/shell/settings_cases.txt
  sed -n 's|^case |WorkerSettingsCase.is_judged/|p' tests/unit/worker/shell/settings_cases.txt
})
while IFS= read -r name; do
  case $name in
    *\*) grep -qE "^${name%%\**}" <<<"$all_tests" || complain "there is no test $name" ;;
    *) grep -qxF "$name" <<<"$all_tests" || complain "there is no test $name" ;;
  esac
done < <(attacks | awk -F ' [|] ' '{ print $NF }' |
  grep -oE '`[A-Za-z_]+[.*][a-z0-9_/.*]*`' | tr -d '`' | grep -v '_test\.cpp$')

while IFS= read -r file; do
  [ -n "$(find tests lock/tests -name "$file")" ] || complain "there is no $file"
done < <(grep -oE '`[a-z_]+_test\.cpp`' SECURITY.md | tr -d '`')

while IFS= read -r name; do
  grep -qF -e "\`$name\`" -e "\`${name%%.*}.*\`" SECURITY.md || complain "does not name $name"
done < <(sed -nE 'N; s/.*TEST(_F|_P)?\(([A-Za-z]+),[ \n]*([a-z0-9_]+)\).*/\2.\3/p; D' \
  tests/attack/*.cpp | sort -u)

lines=0
while IFS= read -r line; do
  lines=$((lines + 1))
  case $line in
    *'*open*'* | *'| it can'*' | |' | *'`'[A-Za-z_]*'` |') ;;
    *) complain "neither a test, nor *open*, nor allowed: $line" ;;
  esac
done < <(attacks || true)
[ "$lines" -gt 10 ] || complain "its tables of attacks are gone"

# The last column of the other tables says where it stands in the sources.
check_places() { # SECTION
  local section=$1 count=0 line file
  while IFS= read -r line; do
    count=$((count + 1))
    file=$(sed -nE 's/.*\| `([^`]*)` \|$/\1/p' <<<"$line")
    [ -f "$file" ] || complain "$section: there is no file at the end of: $line"
  done < <(sed -n "/^## $section\$/,\$p" SECURITY.md | sed '1,/^|---/d; /^## /,$d' | grep '^| ' || true)
  [ "$count" -gt 3 ] || complain "the table of $section is gone"
}
for section in Listeners Files Bounds; do check_places "$section"; done
exit "$code"
