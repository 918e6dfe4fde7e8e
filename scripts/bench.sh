#!/usr/bin/env bash
# Measures what docs/benchmarks.md reports, in one run, and prints ratios of medians:
#
#   1. matches per second of one master with free seats in reach, against a bare Beast server that
#      parses and answers the same bytes; with links that are plain, and with links of TLS 1.3
#   2. median time to match of `multiphase` against `none`, with boot time 0
#   3. every lock alone, contended, its holder killed and under the burst: `fixkeep-client-sim locks`;
#      acquire + release among 3 masters against one framed round trip over the same links
#   4. what TLS adds to an acquisition of `multiphase` that nobody contends
#
# Usage: scripts/bench.sh [--quick] [PART …]      --quick: fewer and shorter rounds, to try the script;
#                                                 without a part: all four
#
# The two sides of each comparison take turns, so that a change of the machine's speed hits both.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

rounds=5
seconds=8
seeds=10
lock_rounds=30
locks_options=(--rounds 5)
[ "${1:-}" = "--quick" ] && { rounds=3; seconds=2; seeds=3; lock_rounds=4; locks_options=(--quick); shift; }
for part in "$@"; do
  [[ $part =~ ^[1-4]$ ]] || fail "there is no part \"$part\"; there are 1 to 4"
done
parts=("$@")
if [ $# -eq 0 ]; then parts=(1 2 3 4); fi

scripts/setup.sh --with bench
build release fixkeep-master fixkeep-worker fixkeep-demo-game fixkeep-client-sim \
  fixkeep-bench-http-baseline fixkeep-lock-node fixkeepctl

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
identity_of() { # LINKS NODE: how the links of this node are kept
  if [ "$1" = tls ]; then
    echo "\"cluster\": { \"id\": \"bench\" }, \"tls\": {
      \"authority\": \"$work/certificates/authority.pem\",
      \"certificate\": \"$work/certificates/$2.pem\",
      \"key\": \"$work/certificates/$2.key\" }"
  else
    echo '"cluster": { "id": "bench", "secret": "a secret for the benchmark only" }'
  fi
}

write_configs() { # LINKS HTTP-PORT MESH-PORT FIRST-ROOM-PORT
  cat > "$work/master-$1.json" <<JSON
{
  $(identity_of "$1" m1),
  "master": { "id": 1, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": $2 },
  "mesh": { "listen": "127.0.0.1:$3",
            "masters": [{ "id": 1, "address": "127.0.0.1:$3" }] },
  "modes": [{ "name": "duel", "capacity": 5000, "attributes": ["region", "version"],
              "bands": [{ "attribute": "skill", "edges": [1000, 1200] }] }],
  "log": { "level": "warning" }
}
JSON
  cat > "$work/worker-$1.json" <<JSON
{
  $(identity_of "$1" w1),
  "worker": { "id": "w1", "zone": "a", "address": "127.0.0.1", "state_folder": "$work/state-$1" },
  "masters": [{ "id": 1, "address": "127.0.0.1:$3" }],
  "rooms": { "limit": 50, "ports": { "first": $4, "last": $(($4 + 99)) }, "reservation_ms": 1000,
             "close_empty_after_ms": 600000 },
  "games": [{ "mode": "duel",
              "command": ["fixkeep-demo-game", "--port", "{port}", "--boot-ms", "0"] }],
  "log": { "level": "warning" }
}
JSON
}

# Seats of the load before lapse, which takes time of its master and of its worker.
let_seats_lapse() { sleep 2; }

# The cores that a process used for so many seconds.
cores_since() { # PID TICKS-BEFORE
  echo "$(cpu_ticks "$1") $2 $seconds" | awk '{print ($1 - $2) / 100 / $3}'
}

us_each() { # SERVER MATCHES: of a core, by the medians
  awk -v cores="$(cat "$work/cores-$1".* | median)" -v rps="$2" 'BEGIN {printf "%.1f", cores / rps * 1e6}'
}

load() { # PORT SECONDS
  wrk -c64 -t1 -d"$2s" -s tests/bench/match.lua "http://127.0.0.1:$1" | grep '^{'
}

measure_1() {
  baseline_port=18100
  "$bin/fixkeepctl" certs init --dir "$work/certificates" --cluster bench > "$work/certificates.log"
  "$bin/fixkeepctl" certs node --dir "$work/certificates" --role master m1 >> "$work/certificates.log"
  "$bin/fixkeepctl" certs node --dir "$work/certificates" --role worker w1 >> "$work/certificates.log"

  declare -A http_port=([plain]=18101 [tls]=18102)
  write_configs plain "${http_port[plain]}" 17101 19000
  write_configs tls "${http_port[tls]}" 17102 19100

  echo "1. matches per second: one master, rooms open, seats that lapse after 1 s, 64 connections"
  "$bin/fixkeep-bench-http-baseline" --port "$baseline_port" --seconds 600 > "$work/baseline.log" 2>&1 &
  baseline=$!
  declare -A master
  for links in plain tls; do
    "$bin/fixkeep-master" --config "$work/master-$links.json" > "$work/master-$links.log" 2>&1 &
    master[$links]=$!
    "$bin/fixkeep-worker" --config "$work/worker-$links.json" > "$work/worker-$links.log" 2>&1 &
    pids+=("${master[$links]}" "$!")
  done
  pids+=("$baseline")
  for links in plain tls; do wait_for "http://127.0.0.1:${http_port[$links]}/readyz"; done
  load "$baseline_port" 1 > /dev/null
  for links in plain tls; do
    load "${http_port[$links]}" 3 > /dev/null # opens the rooms
  done
  for round in $(seq "$rounds"); do
    let_seats_lapse
    before=$(cpu_ticks "$baseline")
    load "$baseline_port" "$seconds" > "$work/http.$round"
    cores_since "$baseline" "$before" > "$work/cores-http.$round"
    echo "   round $round: bare $(field rps < "$work/http.$round")/s"
    for links in plain tls; do
      let_seats_lapse
      before=$(cpu_ticks "${master[$links]}")
      load "${http_port[$links]}" "$seconds" > "$work/$links.$round"
      cores_since "${master[$links]}" "$before" > "$work/cores-$links.$round"
      echo "     $links: matches $(field rps < "$work/$links.$round")/s, p99 $(field p99_us < "$work/$links.$round") us, master used $(cat "$work/cores-$links.$round") cores, errors $(field non2xx < "$work/$links.$round")"
    done
  done
  kill "${pids[@]}"
  wait "${pids[@]}" 2>/dev/null || true
  pids=()
  bare=$(cat "$work"/http.* | field rps | median)
  for links in plain tls; do
    matches=$(cat "$work/$links".* | field rps | median)
    echo "   median, links $links: bare $bare/s, matches $matches/s: ratio $(ratio "$matches" "$bare") (aim: 1.0); of a core a match: bare $(us_each http "$bare") us, master $(us_each "$links" "$matches") us"
  done
}

# --- 2. time to match -----------------------------------------------------------------------------
p50_of() { # STRATEGY: the p50 of each of its runs; the JSON has one run a line
  grep "\"lock\":\"$1\"" "$work/compare.json" | sed -n 's/.*"match_ms":{[^}]*"p50":\([0-9.]*\).*/\1/p'
}

measure_2() {
  echo "2. time to match, boot time 0: multiphase against none ($seeds seeds)"
  "$bin/fixkeep-client-sim" compare --locks none,multiphase --masters 3 --workers 6 --groups 4 \
    --players 256 --capacity 8 --boot-ms 0 --arrival burst --seed 1 --seeds "$seeds" \
    --json "$work/compare.json" > "$work/compare.log" || { cat "$work/compare.log"; exit 1; }
  none=$(p50_of none | median)
  multiphase=$(p50_of multiphase | median)
  echo "   median of p50: none $none ms, multiphase $multiphase ms: $(awk -v a="$multiphase" -v b="$none" 'BEGIN {printf "%+.2f", a - b}') ms (aim: less than 2 ms more)"
}

# --- 3. the locks ---------------------------------------------------------------------------------
ratio_of() { grep "^{\"lock\":\"$1\"" build/locks.json | head -n 1 | field ratio_p50; }

measure_3() {
  echo "3. every lock among 3 masters; the report is build/locks.html"
  "$bin/fixkeep-client-sim" locks --locks all "${locks_options[@]}" --json build/locks.json \
    --report build/locks.html 2> "$work/locks.log" || { cat "$work/locks.log"; exit 1; }
  # The JSON has one strategy a line.
  echo "   multiphase: median ratio of p50 $(ratio_of multiphase) (aim: at most 1.5)"
}

# --- 4. the lock and TLS --------------------------------------------------------------------------
# Four processes on few cores fall into one of two modes in each round, by who shares a core with whom;
# so there are many short rounds, and their quartiles are compared rather than one number.
lock_quartiles() { # LINKS: of the rounds' medians
  cat "$work/lock-$1".* | grep -o '"uncontended":{"median":{"p50_us":[0-9.]*' | grep -o '[0-9.]*$' |
    sort -g | awk '{v[NR]=$1} END {for (i = 1; i <= 3; ++i) printf "%.1f ", v[int((NR * i + 3) / 4)]}'
}

measure_4() {
  echo "4. multiphase, uncontended, 3 masters: links plain and of TLS 1.3, in turns ($lock_rounds rounds)"
  for round in $(seq "$lock_rounds"); do
    for links in plain tls; do
      options=(--rounds 1 --seconds 0.1 --kills 0 --no-burst)
      [ "$links" = plain ] || options+=(--tls)
      "$bin/fixkeep-client-sim" locks --locks multiphase "${options[@]}" \
        --json "$work/lock-$links.$round" > /dev/null 2> "$work/locks.log" ||
        { cat "$work/locks.log"; exit 1; }
    done
  done
  echo "$(lock_quartiles plain) $(lock_quartiles tls)" | awk '{
    printf "   acquire + release, quartiles: plain %s, %s, %s us, TLS %s, %s, %s us: ", $1, $2, $3, $4, $5, $6
    printf "%+.1f, %+.1f, %+.1f us (aim: at most 15 us more)\n", $4 - $1, $5 - $2, $6 - $3
  }'
}

for part in "${parts[@]}"; do "measure_$part"; done
