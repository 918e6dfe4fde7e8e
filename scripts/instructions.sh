#!/usr/bin/env bash
# Counts the instructions of a match in the core of a master, and compares the count with
# tests/bench/instructions.txt. Unlike times, the count does not depend on the machine's load. It thus
# detects a change that makes matches slower without scripts/bench.sh.
#
# Usage: scripts/instructions.sh      FIXKEEP_REWRITE=1 writes the number of today into the file
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

known=tests/bench/instructions.txt
percent=5 # more than that is a slower match, and less a number that has to be written anew
few=1000
many=3000

scripts/setup.sh --with bench
build release fixkeep-bench-match-work

refs() { # MATCHES
  local said
  said=$(valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
    build/release/bin/fixkeep-bench-match-work "$1" 2>&1) || fail "$said"
  sed -n 's/^.*I *refs: *//p' <<<"$said" | tr -d ,
}

# What the start takes is in both.
match=$((($(refs $many) - $(refs $few)) / (many - few)))
if [ "${FIXKEEP_REWRITE:-}" = 1 ]; then echo "$match" >"$known"; fi
before=$(<"$known")
echo "a match: $match instructions, $before when it was written down"
if [ $((match * 100)) -gt $((before * (100 + percent))) ]; then
  fail "a match takes more than before. If it has to, FIXKEEP_REWRITE=1 $0 writes it down"
fi
if [ $((match * 100)) -lt $((before * (100 - percent))) ]; then
  fail "a match takes less than before: FIXKEEP_REWRITE=1 $0 writes it down, so that it stays so"
fi
