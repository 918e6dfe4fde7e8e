#!/usr/bin/env bash
# Builds everything and runs every test.
#
# Usage: scripts/test.sh [ARGUMENT OF CTEST …]       for example: scripts/test.sh -R unit_common_lock
# PRESET=dev scripts/test.sh runs them under the address and undefined behaviour sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

preset=${PRESET:-release}
scripts/setup.sh
# The layout of the tree first: it takes seconds, and a breach makes the rest pointless.
build "$preset" fixkeep-tidy
"build/$preset/bin/fixkeep-tidy" .
build "$preset"

say "Tests, $preset"
code=0
# Twice as many as there are cores: three quarters of their time the tests wait.
run_ctest "$preset" --parallel $((2 * $(cores))) "$@" || code=$?
read -r passed failed <"build/$preset/ctest-counts"
echo "$preset: $passed tests passed, $failed failed"
exit "$code"
