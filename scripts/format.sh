#!/usr/bin/env bash
# Usage: scripts/format.sh check     fails and shows what clang-format would change
#        scripts/format.sh fix       changes it
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

case ${1:-check} in
  check) how=(--dry-run --Werror) ;;
  fix) how=(-i) ;;
  *) fail "use check or fix" ;;
esac
scripts/setup.sh --only lint
sources | xargs --max-procs="$(cores)" --max-args=20 clang-format "${how[@]}"
