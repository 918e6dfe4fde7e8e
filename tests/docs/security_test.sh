#!/usr/bin/env bash
# Whether the tests that SECURITY.md names are there, and whether each of its lines names one or
# says that it is open or allowed; and whether each attack of tests/attack stands in it.
# shellcheck disable=SC2016 # the backquotes are those of Markdown
set -euo pipefail
cd "$(dirname "$0")/../.."

code=0
complain() {
  echo "SECURITY.md: $1"
  code=1
}

# A line break may stand after the comma of a long name.
all_tests=$(find tests -name '*.cpp' -exec cat {} + | tr '\n' ' ' | tr -s ' ')
while IFS= read -r name; do
  suite=${name%%.*} test=${name#*.}
  case $test in
    \*) pattern="TEST(_F|_P)?\($suite, " ;;
    *) pattern="TEST(_F|_P)?\($suite, $test\)" ;;
  esac
  grep -qE "$pattern" <<<"$all_tests" || complain "there is no test $name"
done < <(grep -oE '`[A-Z][A-Za-z]+\.[a-z0-9_*]+`' SECURITY.md | tr -d '`')

while IFS= read -r file; do
  [ -n "$(find tests -name "$file")" ] || complain "there is no $file"
done < <(grep -oE '`[a-z_]+_test\.cpp`' SECURITY.md | tr -d '`')

while IFS= read -r name; do
  grep -qF -e "\`$name\`" -e "\`${name%%.*}.*\`" SECURITY.md || complain "does not name $name"
done < <(sed -nE 'N; s/.*TEST(_F|_P)?\(([A-Za-z]+),[ \n]*([a-z0-9_]+)\).*/\2.\3/p; D' \
  tests/attack/*.cpp | sort -u)

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
done < <(sed -n '/^|---/,$p' SECURITY.md | grep '^| ' || true)
[ "$lines" -gt 10 ] || complain "its table is gone"
exit "$code"
