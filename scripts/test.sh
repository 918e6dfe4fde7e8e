#!/usr/bin/env bash
# Builds everything and runs every test.
#
# Usage: scripts/test.sh [--all] [--only=PROGRAM] … [ARGUMENT OF CTEST …]
#        scripts/test.sh --only=unit_lock_core     builds and runs this one
#        scripts/test.sh -R unit_lock_core          builds everything, and runs those of such a name
# --all also runs tests that have passed before with the same bytes (tests/run.sh).
# The searches for states and seeds run a quarter of their length. They run the full length if their subject
# has changed in the last commit or since, or with FIXKEEP_SEARCH=whole.
# PRESET=dev scripts/test.sh runs them under the address and undefined behaviour sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

preset=${PRESET:-release}
only=()
while true; do
  case ${1:-} in
    --all) export FIXKEEP_ALL=1 ;;
    --only=?*) only+=("${1#--only=}") ;;
    *) break ;;
  esac
  shift
done
scripts/setup.sh
set_up=$SECONDS
# Checks the layout of the tree first: this takes seconds, and after a failure the rest is pointless.
build "$preset" fixkeep-tidy
"build/$preset/bin/fixkeep-tidy" .
build "$preset" "${only[@]}"
if [ ${#only[@]} -gt 0 ]; then set -- -R "^($(IFS='|'; echo "${only[*]}"))([.]|\$)" "$@"; fi

searched=(lock/core master/core/hold worker/core)
if git rev-parse -q --verify HEAD~1 >/dev/null 2>&1 &&
  ! git diff --quiet HEAD~1 -- "${searched[@]}"; then
  export FIXKEEP_SEARCH=whole
fi
built=$SECONDS
say "Tests, $preset"
code=0
# The tests wait three quarters of their time, and less with a sanitizer, which slows down the rest.
at_a_time=$((3 * $(cores)))
[ "$preset" = release ] || at_a_time=$(($(cores) + 1))
tree=$(tree_state)
run_ctest "$preset" --parallel "$at_a_time" "$@" || code=$?
read -r passed failed kept <"build/$preset/ctest-counts"
printf '%s%s\n' "setup $set_up s, build $((built - set_up)) s, tests $((SECONDS - built)) s" \
  "${beyond:+, left out: tests of $beyond}" | tee "build/$preset/seconds"
echo "$preset: $passed tests passed, $failed failed; $kept of them passed before, with the same bytes"
same_tree "$tree" || code=1
exit "$code"
