#!/usr/bin/env bash
# Measures the quality of the tests: inserts small bugs, one at a time, and checks that a test detects
# each bug. A bug is a patch in tests/mutants with a head (see tests/mutants/README.md):
#
#   Invariant: the broken invariant, in a sentence
#   Caught by: PROGRAM ARGUMENT …      at least one; each is run, and must fail. A name with a slash is
#                                      a script
#   Equivalent: why the bug has no visible effect      instead of "Caught by"
#
# Usage: scripts/mutants.sh [--programs] [--changed COMMIT] [WORD …]
#
#   WORD              a bug, a file of the tree (its bugs), or a text in names or heads (their bugs)
#   --changed COMMIT  bugs that have changed since COMMIT, or whose file has changed
#   --programs        no scripts, which take minutes each: skips bugs that only a script catches
#
# Without any: all bugs, which takes hours. Prints the time of each bug, and ends with "N caught, N
# equivalent, N survived, N not judged". Not judged: the patch does not apply or build, or its program
# fails without the bug. Exits non-zero if a bug survived or was not judged.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

home=build/mutants
tree=$home/tree

limit_of() { # PROGRAM: seconds
  case $1 in
    scripts/kubernetes.sh) echo 3600 ;;
    scripts/*) echo 900 ;;
    model_* | fixkeep-sim | integration_* | attack) echo 600 ;;
    *) echo 120 ;;
  esac
}

head_of() { sed -n "/^diff --git /q; s/^$2: //p" "$1"; }

patches_in() { grep -lE "^\+\+\+ b/($1)\$" tests/mutants/*.patch || true; }
select_word() { # WORD: prints patches
  if [ -f "tests/mutants/$1.patch" ]; then
    echo "tests/mutants/$1.patch"
  elif [ -f "$1" ]; then
    patches_in "${1//./\\.}"
  else
    find tests/mutants -name "*$1*.patch"
    awk -v word="$1" '/^diff --git /{ nextfile } index($0, word) { print FILENAME; nextfile }' \
      tests/mutants/*.patch
  fi
}

with_scripts=1 patches=() asked=
while [ $# -gt 0 ]; do
  found=()
  case $1 in
    --programs) with_scripts= ;;
    --changed)
      files=$(git diff --name-only "${2:?a commit}" --) || fail "there is no commit $2"
      files+=$'\n'$(git ls-files --others --exclude-standard)
      asked=1
      mapfile -t found < <(
        grep -x 'tests/mutants/.*\.patch' <<<"$files" | xargs -r find 2>/dev/null
        patches_in "$(paste -sd '|' <<<"${files//./\\.}")"
      )
      shift
      ;;
    -*) fail "there is no option $1: --programs, --changed COMMIT" ;;
    *)
      asked=1
      mapfile -t found < <(select_word "$1")
      [ ${#found[@]} -gt 0 ] || fail "no bug of tests/mutants is $1, changes it or has it in its head"
      ;;
  esac
  patches+=("${found[@]}")
  shift
done
if [ -z "$asked" ]; then patches=(tests/mutants/*.patch); fi
names=("${patches[@]##*/}")
names=("${names[@]%.patch}")
# Bugs of the same file follow each other. The build for the next bug thus also removes the previous bug.
file_of() { sed -n 's|^+++ b/||p' "tests/mutants/$1.patch" | head -n 1; }
mapfile -t names < <(
  for name in "${names[@]}"; do echo "$(file_of "$name") $name"; done | sort -u | cut -d ' ' -f 2
)

scripts/setup.sh
# Copies the tree, including uncommitted changes. Copies only files that differ, so that the build only
# compiles changes since the last run. This also removes a bug that an interrupted run has left. Deletes
# files that no longer exist.
mkdir -p "$tree"
sums() { { xargs -0r sha1sum 2>/dev/null || true; } | sort; } # of files that are not there: none
git ls-files -z --cached --others --exclude-standard | sums >"$home/wanted"
(cd "$tree" && find . -path ./build -prune -o -type f -printf '%P\0' | sums) >"$home/there"
comm -13 "$home/wanted" "$home/there" | cut -c 43- | (cd "$tree" && xargs -rd '\n' rm)
comm -23 "$home/wanted" "$home/there" | cut -c 43- | xargs -rd '\n' cp --parents -t "$tree"
commands_of() { # NAME …
  for name in "$@"; do head_of "tests/mutants/$name.patch" "Caught by"; done |
    awk -v scripts="$with_scripts" 'scripts || $1 !~ /\//' | sort -u
}
programs_of() { commands_of "$@" | awk '$1 !~ /\// { print $1 }' | sort -u; }

# apply NAME [OPTION …]
apply() {
  patch --directory="$tree" --strip=1 --quiet --no-backup-if-mismatch "${@:2}" \
    <"tests/mutants/$1.patch" >/dev/null
}

build_in_tree() { # [TARGET …]
  # A bug may leave a variable unused. The compiler warning must not count as the detection. Everything
  # else is as in any checkout, so that ccache has all files without a bug.
  [ $# -eq 0 ] || (
    cd "$tree" && source scripts/lib.sh &&
      CCC_OVERRIDE_OPTIONS="# x-Werror" build release "$@"
  ) >"$home/build.log" 2>&1
}

run_in_tree() { # PROGRAM ARGUMENT …
  local program=build/release/bin/$1
  if [[ $1 = */* ]]; then program=$1; fi
  (cd "$tree" && { timeout "$(limit_of "$1")" "$program" "${@:2}" || exit; }) >"$home/run.log" 2>&1
}

# The tests that failed, the one that a crash has ended, or the first line of a program that is no test.
who_named_it() {
  local named
  named=$(sed -n 's/^\[  FAILED  \] \([^ ,]*\).*(.* ms)$/\1/p' "$home/run.log" | sort -u |
    head -n 3 | paste -sd ' ')
  if [ -z "$named" ]; then
    named=$(sed -n 's/^\[ RUN      \] \(.*\)/\1 (crashed or hung)/p' "$home/run.log" | tail -n 1)
  fi
  [ -n "$named" ] || named=$(grep -m 1 . "$home/run.log" | cut -c 1-90 || true)
  echo "${named:-(it ended without a word)}"
}

declare -A count=([caught]=0 [equivalent]=0 [survived]=0 [not]=0)
bad=()
row() { # NAME PROGRAM VERDICT SECONDS WHO
  printf '%-58s %-30s %-14s %5s  %s\n' "$1" "$2" "$3" "$4" "$5"
  count[${3%% *}]=$((count[${3%% *}] + 1))
  case $3 in survived | not*) bad+=("$1") ;; esac
}

mapfile -t programs < <(programs_of "${names[@]}")
if [ ${#programs[@]} -gt 0 ]; then
  say "Building what judges, without any bug"
  build_in_tree "${programs[@]}" || { cat "$home/build.log"; fail "it does not build without a bug"; }
fi
say "Running it, without any bug"
declare -A fails=()
while read -r command; do
  read -ra words <<<"$command"
  if ! run_in_tree "${words[@]}"; then
    fails[$command]="fails without it: $(who_named_it)"
  elif grep -q '0 tests from 0 test suites ran' "$home/run.log"; then
    fails[$command]="runs no test"
  fi
done < <(commands_of "${names[@]}")

judge() { # NAME: prints its row, with the bug in the tree
  local name=$1 begun=$SECONDS verdict=caught by=() commands programs command words
  mapfile -t commands < <(commands_of "$name")
  mapfile -t programs < <(programs_of "$name")
  for command in "${commands[@]}"; do
    if [ -n "${fails[$command]-}" ]; then
      row "$name" "${command%% *}" "not judged" 0 "${fails[$command]}"
      return
    fi
  done
  if ! build_in_tree "${programs[@]}"; then
    row "$name" "${programs[*]}" "not built" $((SECONDS - begun)) \
      "$(grep -am 1 'error' "$home/build.log" || true)"
    return
  fi
  for command in "${commands[@]}"; do
    read -ra words <<<"$command"
    if run_in_tree "${words[@]}"; then verdict=survived; else by+=("$(who_named_it)"); fi
  done
  row "$name" "${commands[0]%% *}" "$verdict" $((SECONDS - begun)) "${by[*]-}"
}

say "One bug at a time"
for name in "${names[@]}"; do
  heads=$(head_of "tests/mutants/$name.patch" "Caught by")
  if ! apply "$name" --dry-run; then
    row "$name" "" "not applied" 0 "the lines that it changes have moved"
  elif [ -n "$(head_of "tests/mutants/$name.patch" Equivalent)" ]; then
    row "$name" "" equivalent 0 ""
  elif [ -z "$heads" ]; then
    row "$name" "" "not judged" 0 'its head has neither "Caught by" nor "Equivalent"'
  elif [ -n "$(commands_of "$name")" ]; then
    apply "$name"
    judge "$name"
    apply "$name" --reverse
  fi
done

echo
echo "${count[caught]} caught, ${count[equivalent]} equivalent, ${count[survived]} survived," \
  "${count[not]} not judged"
[ ${#bad[@]} -eq 0 ] || fail "no test names: ${bad[*]}"
