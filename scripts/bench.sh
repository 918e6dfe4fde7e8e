#!/usr/bin/env bash
# Measures what docs/benchmarks.md reports, in one run, and prints ratios of medians:
#
#   1. matches per second of one master with free seats in reach, against a bare Beast server that
#      parses and answers the same bytes
#   2. median time to match of `multiphase` against `none`, with boot time 0
#   3. every lock alone, contended, its holder killed and under the burst: `fixkeep-client-sim locks`;
#      acquire + release among 3 masters against one framed round trip over the same links
#
# Usage: scripts/bench.sh [--quick]     --quick: fewer and shorter rounds, to try the script
#
# The two sides of each comparison take turns, so that a change of the machine's speed hits both.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

rounds=5
seconds=8
seeds=10
locks_options=(--rounds 5)
[ "${1:-}" = "--quick" ] && { rounds=3; seconds=2; seeds=3; locks_options=(--quick); }

scripts/setup.sh --with bench
build release fixkeep-master fixkeep-worker fixkeep-demo-game fixkeep-client-sim \
  fixkeep-bench-http-baseline fixkeep-lock-node

bin=build/release/bin
work=$(mktemp -d)
pids=()
cleanup() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

median() { sort -g | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }
field() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }
cpu_ticks() { awk '{print $14 + $15}' "/proc/$1/stat"; }
wait_for() { # URL
  for _ in $(seq 100); do curl -sf -o /dev/null "$1" && return; sleep 0.1; done
  echo "bench: nothing answers at $1" >&2
  exit 1
}

# --- 1. matches per second ------------------------------------------------------------------------
http_port=18101
mesh_port=17101
baseline_port=18100
cat > "$work/master.json" <<JSON
{
  "cluster": { "id": "bench", "secret": "a secret for the benchmark only" },
  "master": { "id": 1, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": $http_port },
  "mesh": { "listen": "127.0.0.1:$mesh_port",
            "masters": [{ "id": 1, "address": "127.0.0.1:$mesh_port" }] },
  "modes": [{ "name": "duel", "capacity": 5000, "attributes": ["region", "version"],
              "bands": [{ "attribute": "skill", "edges": [1000, 1200] }] }],
  "log": { "level": "warning" }
}
JSON
cat > "$work/worker.json" <<JSON
{
  "cluster": { "id": "bench", "secret": "a secret for the benchmark only" },
  "worker": { "id": "w1", "zone": "a", "address": "127.0.0.1" },
  "masters": [{ "id": 1, "address": "127.0.0.1:$mesh_port" }],
  "rooms": { "limit": 50, "ports": { "first": 19000, "last": 19099 }, "reservation_ms": 1000,
             "close_empty_after_ms": 60000 },
  "games": [{ "mode": "duel",
              "command": ["fixkeep-demo-game", "--port", "{port}", "--boot-ms", "0"] }],
  "log": { "level": "warning" }
}
JSON

load() { # PORT SECONDS
  wrk -c64 -t1 -d"$2s" -s tests/bench/match.lua "http://127.0.0.1:$1" | grep '^{'
}

echo "1. matches per second: one master, rooms open, seats that lapse after 1 s, 64 connections"
"$bin/fixkeep-bench-http-baseline" --port "$baseline_port" --seconds 600 > "$work/baseline.log" 2>&1 &
baseline=$!
"$bin/fixkeep-master" --config "$work/master.json" > "$work/master.log" 2>&1 &
master=$!
"$bin/fixkeep-worker" --config "$work/worker.json" > "$work/worker.log" 2>&1 &
worker=$!
pids+=("$baseline" "$master" "$worker")
wait_for "http://127.0.0.1:$http_port/readyz"
load "$baseline_port" 1 > /dev/null
load "$http_port" 3 > /dev/null # opens the rooms
for round in $(seq "$rounds"); do
  load "$baseline_port" "$seconds" > "$work/http.$round"
  before=$(cpu_ticks "$master")
  load "$http_port" "$seconds" > "$work/match.$round"
  after=$(cpu_ticks "$master")
  echo "$after $before $seconds" | awk '{print ($1 - $2) / 100 / $3}' > "$work/cores.$round"
  echo "   round $round: bare $(field rps < "$work/http.$round")/s, matches $(field rps < "$work/match.$round")/s, p99 $(field p99_us < "$work/match.$round") us, master used $(cat "$work/cores.$round") cores, errors $(field non2xx < "$work/match.$round")"
done
kill "$baseline" "$worker" "$master"
wait "$baseline" "$worker" "$master" 2>/dev/null || true
pids=()
bare=$(cat "$work"/http.* | field rps | median)
matches=$(cat "$work"/match.* | field rps | median)
cores=$(cat "$work"/cores.* | median)
echo "   median: bare $bare/s, matches $matches/s: ratio $(ratio "$matches" "$bare") (aim: at least 0.5); master $cores cores"

# --- 2. time to match -----------------------------------------------------------------------------
echo "2. time to match, boot time 0: multiphase against none ($seeds seeds)"
"$bin/fixkeep-client-sim" compare --locks none,multiphase --masters 3 --workers 6 --groups 4 \
  --players 256 --capacity 8 --boot-ms 0 --arrival burst --seed 1 --seeds "$seeds" \
  --json "$work/compare.json" > "$work/compare.log" || { cat "$work/compare.log"; exit 1; }
p50_of() { # STRATEGY: the p50 of each of its runs; the JSON has one run a line
  grep "\"lock\":\"$1\"" "$work/compare.json" | sed -n 's/.*"match_ms":{[^}]*"p50":\([0-9.]*\).*/\1/p'
}
none=$(p50_of none | median)
multiphase=$(p50_of multiphase | median)
echo "   median of p50: none $none ms, multiphase $multiphase ms: $(awk -v a="$multiphase" -v b="$none" 'BEGIN {printf "%+.2f", a - b}') ms (aim: less than 2 ms more)"

# --- 3. the locks ---------------------------------------------------------------------------------
echo "3. every lock among 3 masters; the report is build/locks.html"
"$bin/fixkeep-client-sim" locks --locks all "${locks_options[@]}" --json build/locks.json \
  --report build/locks.html 2> "$work/locks.log" || { cat "$work/locks.log"; exit 1; }
# The JSON has one strategy a line.
ratio_of() { grep "^{\"lock\":\"$1\"" build/locks.json | head -n 1 | field ratio_p50; }
echo "   multiphase: median ratio of p50 $(ratio_of multiphase) (aim: at most 1.5)"
