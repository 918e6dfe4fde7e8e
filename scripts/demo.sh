#!/usr/bin/env bash
# Shows what the lock is for: the same burst of match requests against the same cluster, without a
# lock and with the multiphase lock, with the nodes side by side and 20 ms apart. Many small groups
# of players come first, where every master that orders by itself is one room too many; then few
# large ones. Prints a table and writes a report of each.
#
# Usage: scripts/demo.sh [ARGUMENT OF fixkeep-client-sim compare …]
#        scripts/demo.sh --race [ARGUMENT OF fixkeep-lab race …]
#
# With --race it opens a page instead, on which both run side by side under the same players until
# Ctrl-C, with sliders for delay, boot time and rate: scripts/demo.sh --race --lock lamport
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build
if [ "${1:-}" = --race ]; then
  shift
  build_lab
  exec build/release/bin/fixkeep-lab race "$@"
fi
build_programs

code=0
burst() { # TITLE GROUPS NAME ARGUMENT…
  local title=$1 groups=$2 name=$3
  shift 3
  printf '\n%s\n' "$title"
  build/release/bin/fixkeep-client-sim compare --locks none,multiphase \
    --masters 3 --workers 6 --groups "$groups" --players 256 --capacity 8 --boot-ms 500 \
    --arrival burst --link-delay-ms 0,20 --seed 1 --json "build/$name.json" \
    --report "build/$name.html" "$@" || code=$?
}
burst "Many small groups" 32 demo "$@"
burst "Few large groups" 4 demo-large-groups "$@"

echo
for name in demo demo-large-groups; do
  if [ -f "build/$name.html" ]; then echo "Report: file://$PWD/build/$name.html"; fi
  if [ -f "build/$name.json" ]; then echo "Data:   $PWD/build/$name.json"; fi
done
exit "$code"
