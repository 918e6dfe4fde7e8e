#!/usr/bin/env bash
# Runs all tests at full length, for hours: also those that .ci/run leaves out to be fast. Ends like
# .ci/run: with the failures, a table of the minutes and the line "N passed, N failed".
#
# Usage: scripts/night.sh
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh --with lint --with sanitizers --with browser --with web --with agones --with observability \
  --with docker --with kubernetes --with clients --with package --with bench
exec .ci/run format whole load demo browser web agones clients observability compose-all containers \
  kubernetes packages image lint-all tsan fuzz-all dev-all seeds rates mutants
