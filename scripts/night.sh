#!/usr/bin/env bash
# Everything at full length, for hours: what .ci/run leaves out so that a change need not wait for it.
# It ends as .ci/run does, with what failed, a table of the minutes and the line "N passed, N failed".
#
# Usage: scripts/night.sh
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh --with lint --with sanitizers --with browser --with agones --with observability \
  --with docker --with kubernetes --with clients --with package --with bench
exec .ci/run format whole load demo browser agones clients observability compose-all containers \
  kubernetes packages image lint-all tsan fuzz-all dev-all seeds rates mutants
