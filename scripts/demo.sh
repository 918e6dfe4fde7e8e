#!/usr/bin/env bash
# Shows what the lock is for: the same burst of match requests against the same cluster, once
# without a lock and once with the multiphase lock. Prints one table and writes one report.
#
# Usage: scripts/demo.sh [ARGUMENT OF fixkeep-client-sim compare …]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build
build_programs

code=0
build/release/bin/fixkeep-client-sim compare --locks none,multiphase \
  --masters 3 --workers 6 --groups 4 --players 256 --capacity 8 --boot-ms 500 --arrival burst \
  --seed 1 --json build/demo.json --report build/demo.html "$@" || code=$?

echo
if [ -f build/demo.html ]; then echo "Report: file://$PWD/build/demo.html"; fi
if [ -f build/demo.json ]; then echo "Data:   $PWD/build/demo.json"; fi
exit "$code"
