#!/usr/bin/env bash
# Plants small bugs, one at a time, and looks whether a test names each of them: what the tests are
# worth. A bug is a patch in tests/mutants with a head (see tests/mutants/README.md):
#
#   Invariant: what it breaks, in a sentence
#   Caught by: PROGRAM ARGUMENT …      at least one; each is run, and has to fail. With a slash in its
#                                      name it is a script
#   Equivalent: why nothing can be seen of it      instead of "Caught by"
#
# Usage: scripts/mutants.sh [NAME …]       without a name: all of them
#
# Ends with "N caught, N equivalent, N survived"; exits non-zero if one survived. A patch that does
# not apply or build, and a program that fails without it, end the run: nothing could be said then.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

limit=300 # seconds for one program
home=build/mutants
tree=$home/tree

head_of() { sed -n "/^diff --git /q; s/^$2: //p" "$1"; }

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for patch in tests/mutants/*.patch; do names+=("$(basename "$patch" .patch)"); done
fi
for name in "${names[@]}"; do
  [ -f "tests/mutants/$name.patch" ] || fail "there is no tests/mutants/$name.patch"
done
# The bugs of one file follow each other, so that what is compiled for one is not compiled once more
# to take the one before it out.
file_of() { sed -n 's|^+++ b/||p' "tests/mutants/$1.patch" | head -n 1; }
mapfile -t names < <(
  for name in "${names[@]}"; do echo "$(file_of "$name") $name"; done | sort | cut -d ' ' -f 2
)

scripts/setup.sh
# The tree as it is, also what is not committed yet. Only files that differ are copied, so that only
# what has changed since the last run is built, and a bug that a run left when it was interrupted is
# taken out. A file that is no longer there is deleted.
mkdir -p "$tree"
git ls-files -z --cached --others --exclude-standard | while IFS= read -rd '' file; do
  if [ -f "$file" ] && ! cmp -s "$file" "$tree/$file"; then cp --parents -t "$tree" "$file"; fi
done
(cd "$tree" && find . -path ./build -prune -o -type f -print0) | while IFS= read -rd '' file; do
  [ -f "$file" ] || rm "$tree/$file"
done
# A bug may leave a variable unused, which must not be what names it. The sources that have bugs are
# compiled apart from others, so that little is compiled for each.
apart=$(sed -n 's|^+++ b/\(.*\.cpp\)$|\1|p' tests/mutants/*.patch | sort -u | paste -sd ';')
if ! grep -qsxF "FIXKEEP_APART:STRING=$apart" "$tree/build/release/CMakeCache.txt"; then
  (cd "$tree" && configure release -DFIXKEEP_WERROR=OFF "-DFIXKEEP_APART=$apart")
fi

commands_of() { for name in "$@"; do head_of "tests/mutants/$name.patch" "Caught by"; done | sort -u; }
programs_of() { commands_of "$@" | awk '$1 !~ /\// { print $1 }' | sort -u; }

# apply NAME [OPTION …]
apply() {
  patch --directory="$tree" --strip=1 --quiet --no-backup-if-mismatch "${@:2}" \
    <"tests/mutants/$1.patch" >/dev/null || fail "tests/mutants/$1.patch does not apply"
}

# One that does not apply is known before anything is built.
for name in "${names[@]}"; do apply "$name" --dry-run; done

build_in_tree() { # [TARGET …]
  [ $# -eq 0 ] || (cd "$tree" && source scripts/lib.sh && build release "$@") >"$home/build.log" 2>&1
}

run_in_tree() { # PROGRAM ARGUMENT …
  local program=build/release/bin/$1
  if [[ $1 = */* ]]; then program=$1; fi
  (cd "$tree" && { timeout "$limit" "$program" "${@:2}" || exit; }) >"$home/run.log" 2>&1
}

# The tests that failed, the one that a crash has ended, or the first line of a program that is no test.
who_named_it() {
  local named
  named=$(sed -n 's/^\[  FAILED  \] \([^ ,]*\).*(.* ms)$/\1/p' "$home/run.log" | sort -u |
    head -n 3 | paste -sd ' ')
  if [ -z "$named" ]; then
    named=$(sed -n 's/^\[ RUN      \] \(.*\)/\1 (crashed)/p' "$home/run.log" | tail -n 1)
  fi
  [ -n "$named" ] || named=$(grep -m 1 . "$home/run.log" | cut -c 1-90 || true)
  echo "${named:-(it ended without a word)}"
}

mapfile -t programs < <(programs_of "${names[@]}")
if [ ${#programs[@]} -gt 0 ]; then
  say "Building what judges, without any bug"
  build_in_tree "${programs[@]}" || { cat "$home/build.log"; fail "it does not build without a bug"; }
fi
while read -r command; do
  read -ra words <<<"$command"
  run_in_tree "${words[@]}" || { cat "$home/run.log"; fail "fails without any bug: $command"; }
  ! grep -q '0 tests from 0 test suites ran' "$home/run.log" || fail "runs no test: $command"
done < <(commands_of "${names[@]}")

caught=0
equivalent=0
survivors=()
say "One bug at a time"
for name in "${names[@]}"; do
  if [ -n "$(head_of "tests/mutants/$name.patch" Equivalent)" ]; then
    apply "$name" --dry-run
    equivalent=$((equivalent + 1))
    printf '%-58s equivalent\n' "$name"
    continue
  fi
  mapfile -t commands < <(commands_of "$name")
  [ ${#commands[@]} -gt 0 ] || fail "$name: its head has neither \"Caught by\" nor \"Equivalent\""
  apply "$name"
  mapfile -t programs < <(programs_of "$name")
  if ! build_in_tree "${programs[@]}"; then
    apply "$name" --reverse
    cat "$home/build.log"
    fail "$name does not build"
  fi
  verdict=caught
  by=()
  for command in "${commands[@]}"; do
    read -ra words <<<"$command"
    if run_in_tree "${words[@]}"; then verdict=survived; else by+=("$(who_named_it)"); fi
  done
  apply "$name" --reverse
  if [ "$verdict" = caught ]; then caught=$((caught + 1)); else survivors+=("$name"); fi
  printf '%-58s %-8s  %s\n' "$name" "$verdict" "${by[*]-}"
done

echo
echo "$caught caught, $equivalent equivalent, ${#survivors[@]} survived"
[ ${#survivors[@]} -eq 0 ] || fail "no test names: ${survivors[*]}"
