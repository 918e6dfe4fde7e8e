#!/usr/bin/env bash
# Shows the purpose of the lock: the same burst of match requests against the same cluster, without a
# lock and with the multiphase lock, with 0 ms and with 20 ms between the nodes. The first burst has many
# small groups: without a lock, each further master that orders a room makes a needless one. The second
# burst has few large groups. Prints a table, and writes a report for each burst.
#
# Usage: scripts/demo.sh [ARGUMENT OF fixkeep-client-sim compare …]
#        scripts/demo.sh --race [ARGUMENT OF fixkeep-lab race …]
#
# With --race it serves a page instead. Both clusters run side by side with the same players until
# Ctrl-C. The page has sliders for delay, boot time and rate: scripts/demo.sh --race --lock lamport
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
