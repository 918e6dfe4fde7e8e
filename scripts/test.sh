#!/usr/bin/env bash
# Builds everything and runs every test.
#
# Usage: scripts/test.sh [--all] [ARGUMENT OF CTEST …]    for example: scripts/test.sh -R unit_common_lock
# --all runs also what has passed before with the same bytes (tests/run.sh).
# PRESET=dev scripts/test.sh runs them under the address and undefined behaviour sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

preset=${PRESET:-release}
if [ "${1:-}" = --all ]; then
  export FIXKEEP_ALL=1
  shift
fi
scripts/setup.sh
set_up=$SECONDS
# The layout of the tree first: it takes seconds, and a breach makes the rest pointless.
build "$preset" fixkeep-tidy
"build/$preset/bin/fixkeep-tidy" .
build "$preset"

built=$SECONDS
say "Tests, $preset"
code=0
# Three quarters of their time the tests wait, less of it where a sanitizer slows the rest down.
at_a_time=$((2 * $(cores)))
[ "$preset" = release ] || at_a_time=$(($(cores) + 1))
run_ctest "$preset" --parallel "$at_a_time" "$@" || code=$?
read -r passed failed kept <"build/$preset/ctest-counts"
echo "setup $set_up s, build $((built - set_up)) s, tests $((SECONDS - built)) s" |
  tee "build/$preset/seconds"
echo "$preset: $passed tests passed, $failed failed; $kept of them passed before, with the same bytes"
exit "$code"
