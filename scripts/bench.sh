#!/usr/bin/env bash
# Measures what docs/benchmarks.md reports, in one run, and prints ratios of medians:
#
#   1. matches per second of one master with free seats, against a bare Beast server that parses and
#      answers the same bytes; also the processor time of both. With plain links, and with TLS 1.3
#   2. median time to match of `multiphase` against `none`, with boot time 0
#   3. every lock: alone, contended, with its holder killed and in the burst (`fixkeep-lab locks`);
#      acquire + release among 3 masters against one framed round trip over the same links
#   4. the cost of TLS for an uncontended acquisition of `multiphase`
#   starts  a worker against a bare loop that starts the same game: rooms per second, processor time per
#           room and the time of a single room, at boot time 0; and the cost of each step in between
#   rooms   5 000 players of 50 groups at 5 masters: 650 rooms
#   containers  the parts of the time from request to answer, with a container as room, against `docker
#           run` of the same image; with a separate engine
#   plan    a decision by widening rules about 10 000 tickets: typical pools and hard ones
#   kubernetes  like containers, but with a pod as room, against `kubectl run`; also a seat in a warm pod;
#           with a separate cluster
#   tokens  the master's cost of a match with players' tokens (ES256), cached or verified each time, against
#           a master without tokens; and the delay of its heartbeats meanwhile
#   tickets 10 000 waiting tickets that poll one master: its processor time and memory
#
# Usage: scripts/bench.sh [--quick] [PART …]      --quick: fewer and shorter rounds, to try the script;
#                                                 without a part: all of them
#
# The two sides of each comparison run alternately, so that a change of the machine's speed affects both.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

rounds=5
seconds=8
seeds=10
lock_rounds=30
games=200
singles=40
containers=30
plans=100
pods=20
locks_options=(--rounds 5)
[ "${1:-}" = "--quick" ] && { rounds=3; seconds=2; seeds=3; lock_rounds=4; games=40; singles=10; containers=5; plans=5; pods=4; locks_options=(--quick); shift; }
for part in "$@"; do
  [[ $part =~ ^([1-4]|starts|rooms|containers|plan|kubernetes|tokens|tickets)$ ]] ||
    fail "there is no part \"$part\"; there are 1 to 4, starts, rooms, containers, plan, kubernetes, tokens and tickets"
done
parts=("$@")
if [ $# -eq 0 ]; then parts=(1 2 3 4 starts rooms containers plan kubernetes tokens tickets); fi

scripts/setup.sh --with bench
build release fixkeep-master fixkeep-worker fixkeep-demo-game fixkeep-client-sim \
  fixkeep-bench-http-baseline fixkeep-bench-starts fixkeep-bench-plan fixkeep-bench-tokens fixkeep-lock-node fixkeepctl fixkeep-room-keeper \
  fixkeep-relay fixkeep-sdk-relay

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
  "matching": { "rooms_per_client_per_minute": 0 },
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

# Waits until the seats of the previous load have expired: this costs time of its master and worker.
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
    local answer_us match_us
    answer_us=$(us_each http "$bare")
    match_us=$(us_each "$links" "$matches")
    echo "   median, links $links: bare $bare/s, matches $matches/s: ratio $(ratio "$matches" "$bare"); of a core: an answer of the bare server $answer_us us, a match $match_us us of its master: ratio $(ratio "$match_us" "$answer_us") (aim: $(if [ "$links" = tls ]; then echo 1.25; else echo 1.15; fi))"
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
  "$bin/fixkeep-lab" locks --locks all "${locks_options[@]}" --json build/locks.json \
    --report build/locks.html 2> "$work/locks.log" || { cat "$work/locks.log"; exit 1; }
  # The JSON has one strategy a line.
  echo "   multiphase: median ratio of p50 $(ratio_of multiphase) (aim: at most 1.5)"
}

# --- 4. the lock and TLS --------------------------------------------------------------------------
# With four processes on few cores, each round has one of two speeds, depending on which processes share
# a core. This part therefore runs many short rounds and compares their quartiles.
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
      "$bin/fixkeep-lab" locks --locks multiphase "${options[@]}" \
        --json "$work/lock-$links.$round" > /dev/null 2> "$work/locks.log" ||
        { cat "$work/locks.log"; exit 1; }
    done
  done
  echo "$(lock_quartiles plain) $(lock_quartiles tls)" | awk '{
    printf "   acquire + release, quartiles: plain %s, %s, %s us, TLS %s, %s, %s us: ", $1, $2, $3, $4, $5, $6
    printf "%+.1f, %+.1f, %+.1f us (aim: at most 15 us more)\n", $4 - $1, $5 - $2, $6 - $3
  }'
}

# --- starts ---------------------------------------------------------------------------------------
# Two clusters of one master and one worker: with the default configuration, and with games that end with
# their worker, so that the worker writes no journal. The processor time of a process includes its ended
# children, so the script reads it after the rooms of a round have closed.
write_starts_configs() { # NAME HTTP-PORT MESH-PORT FIRST-ROOM-PORT OUTLIVE-MS
  cat > "$work/master-$1.json" <<JSON
{
  $(identity_of plain m1),
  "master": { "id": 1, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": $2 },
  "admin": { "address": "127.0.0.1", "port": $(($2 + 20)) },
  "mesh": { "listen": "127.0.0.1:$3",
            "masters": [{ "id": 1, "address": "127.0.0.1:$3" }] },
  "matching": { "rooms_per_client_per_minute": 0 },
  "modes": [{ "name": "duel", "capacity": 8, "attributes": ["region"] }],
  "log": { "level": "warning" }
}
JSON
  cat > "$work/worker-$1.json" <<JSON
{
  $(identity_of plain w1),
  "worker": { "id": "w-$1", "zone": "a", "address": "127.0.0.1", "state_folder": "$work/state-$1" },
  "masters": [{ "id": 1, "address": "127.0.0.1:$3" }],
  "rooms": { "limit": 400, "ports": { "first": $4, "last": $(($4 + 999)) }, "reservation_ms": 1000,
             "close_empty_after_ms": 1000, "outlive_worker_ms": $5 },
  "games": [{ "mode": "duel",
              "command": ["fixkeep-demo-game", "--port", "{port}", "--boot-ms", "0"] }],
  "log": { "level": "warning" }
}
JSON
}

# Of a worker: its child is the starter, whose children are the keepers of its rooms.
starter_of() { tr -d ' ' < "/proc/$1/task/$1/children"; }
all_ticks() {
  awk '{sum += $14 + $15 + $16 + $17} END {print sum}' "/proc/$1/stat" "/proc/$(starter_of "$1")/stat"
}

let_rooms_close() { # WORKER
  local starter
  starter=$(starter_of "$1")
  for _ in $(seq 300); do
    [ -z "$(cat "/proc/$starter/task/$starter/children")" ] && return
    sleep 0.1
  done
  fail "rooms of the worker do not close"
}

single_rooms() { # NAME ROUND: milliseconds of a lone request, one after the other
  local i
  for i in $(seq "$singles"); do
    curl -s -o /dev/null -w '%{time_total}\n' "http://127.0.0.1:${http_port[$1]}/v1/match" \
      -d "{\"player_id\":\"s$2-$i\",\"mode\":\"duel\",\"attributes\":{\"region\":\"s$2-$i\"}}"
  done | awk '{print $1 * 1000}' >> "$work/single-$1"
}

worker_round() { # NAME ROUND
  local before port=${http_port[$1]}
  single_rooms "$1" "$2"
  let_rooms_close "${worker[$1]}"
  before=$(all_ticks "${worker[$1]}")
  master_before=$(cpu_ticks "${master[$1]}")
  "$bin/fixkeep-client-sim" load --masters "http://127.0.0.1:$port" \
    --admin "http://127.0.0.1:$((port + 20))" --groups "$games" --players "$games" --rest-ms 0 \
    --seed "$2" --json "$work/load.json" > "$work/load.log" 2>&1 || true
  let_rooms_close "${worker[$1]}"
  [ "$(field connected < "$work/load.json")" = "$games" ] || { cat "$work/load.log"; exit 1; }
  field load_ms < "$work/load.json" | awk -v n="$games" '{print n / $1 * 1000}' >> "$work/rate-$1"
  echo "$(all_ticks "${worker[$1]}") $before" | awk -v n="$games" '{print ($1 - $2) * 10 / n}' >> "$work/cpu-$1"
  echo "$(cpu_ticks "${master[$1]}") $master_before" | awk -v n="$games" '{print ($1 - $2) * 10 / n}' >> "$work/cpu-master-$1"
}

# A game of fixkeep-bench-starts: alone for its time, many at a time for the rate and the processor.
step_round() { # NAME WAY [COMMAND BEFORE IT …]
  local name=$1 way=$2
  shift 2
  "$@" "$bin/fixkeep-bench-starts" --way "$way" --games "$singles" > "$work/alone.json" 2> "$work/steps.log" ||
    { cat "$work/steps.log"; exit 1; }
  "$@" "$bin/fixkeep-bench-starts" --way "$way" --games "$games" --at-once 16 > "$work/many.json" 2> "$work/steps.log" ||
    { cat "$work/steps.log"; exit 1; }
  field p50_ms < "$work/alone.json" >> "$work/single-$name"
  field games_per_s < "$work/many.json" >> "$work/rate-$name"
  field cpu_ms < "$work/many.json" >> "$work/cpu-$name"
}

# Where we may, the same without any control groups in sight.
hidden=(unshare --mount sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' hidden)

starts_line() { # NAME WHAT
  printf '   %-11s %8.0f %9.2f %9.1f %9.2f   %s\n' "$1" "$(median < "$work/rate-$1")" \
    "$(median < "$work/cpu-$1")" "$(ratio "$(median < "$work/cpu-$1")" "$(median < "$work/cpu-bare")")" \
    "$(median < "$work/single-$1")" "$2"
}

measure_starts() {
  declare -gA http_port=([shipped]=18111 [alone]=18112)
  declare -gA master worker
  local name round
  write_starts_configs shipped 18111 17111 22000 3600000
  write_starts_configs alone 18112 17112 23000 0
  echo "starts. rooms at boot time 0, $games of them, a worker against a bare loop ($rounds rounds in turns)"
  for name in shipped alone; do
    "$bin/fixkeep-master" --config "$work/master-$name.json" > "$work/master-$name.log" 2>&1 &
    master[$name]=$!
    "$bin/fixkeep-worker" --config "$work/worker-$name.json" > "$work/worker-$name.log" 2>&1 &
    worker[$name]=$!
    pids+=("${master[$name]}" "${worker[$name]}")
  done
  for name in shipped alone; do wait_for "http://127.0.0.1:${http_port[$name]}/readyz"; done
  local can_hide=false
  if "${hidden[@]}" true 2>/dev/null; then can_hide=true; fi
  for round in $(seq "$rounds"); do
    step_round bare bare
    if $can_hide; then step_round hidden keeper "${hidden[@]}"; fi
    for name in keeper outlive limits sdk; do step_round "$name" "$name"; done
    for name in alone shipped; do worker_round "$name" "$round"; done
  done
  echo "   medians     rooms/s    cpu ms  of bare   single ms"
  starts_line bare "a bare loop: posix_spawn, /ready, SIGTERM"
  if $can_hide; then starts_line hidden "below a keeper, no control groups"; fi
  starts_line keeper "below a keeper, in a control group"
  starts_line outlive "that would go on without its worker"
  starts_line limits "with limits"
  starts_line sdk "with the SDK's servers for REST and gRPC"
  starts_line alone "a worker, rooms.outlive_worker_ms 0 (no journal), with its master"
  starts_line shipped "a worker as it is shipped, with its master"
  echo "   a game costs this machine $(median < "$work/cpu-bare") ms of processor in a bare loop, a room of a worker $(median < "$work/cpu-shipped") ms and its master $(median < "$work/cpu-master-shipped") ms: ratio $(ratio "$(median < "$work/cpu-shipped")" "$(median < "$work/cpu-bare")"); rooms a second $(ratio "$(median < "$work/rate-shipped")" "$(median < "$work/rate-bare")") of the bare loop's"
  kill "${pids[@]}"
  wait "${pids[@]}" 2>/dev/null || true
  pids=()
}

# --- rooms ----------------------------------------------------------------------------------------
measure_rooms() {
  echo "rooms. 5 masters, 6 workers, 5 000 players of 50 groups, 8 seats, boot time 500 ms ($rounds runs)"
  "$bin/fixkeep-client-sim" compare --locks multiphase --masters 5 --workers 6 --groups 50 \
    --players 5000 --capacity 8 --boot-ms 500 --arrival burst --seed 1 --seeds "$rounds" \
    --json "$work/rooms.json" > "$work/rooms.log" 2> /dev/null || { cat "$work/rooms.log"; exit 1; }
  of_match() { sed -n "s/.*\"match_ms\":{[^}]*\"$1\":\([0-9.]*\).*/\1/p" "$work/rooms.json" | median; }
  of_own() { sed -n 's/.*"own_lateness_ms":{[^}]*"p99":\([0-9.]*\).*/\1/p' "$work/rooms.json" | median; }
  echo "   medians: $(field rooms < "$work/rooms.json" | median) rooms, $(field connected < "$work/rooms.json" | median) players connected, p50 $(of_match p50) ms, p99 $(of_match p99) ms; client-sim's own lateness p99 $(of_own) ms"
}

# --- containers -----------------------------------------------------------------------------------
measure_containers() {
  echo "containers. a room that is a container against docker run ($containers of each, in turns)"
  scripts/private-engine.sh tests/containers/figures.sh "$bin" "$containers"
}

# --- plan -----------------------------------------------------------------------------------------
measure_plan() {
  echo "plan. one decision of 10 000 tickets, on one core ($plans pools of each kind); orders of the mean pool"
  "$bin/fixkeep-bench-plan" "$plans" > "$work/plan.json"
  sed -n 's/^{"pool":"\(.*\)","typical":\(.*\),"p50_ms":\(.*\),"p99_ms":\(.*\),"most_ms":.*,"orders":\(.*\),"spent":\(.*\),"allocations":\(.*\)}$/\1|\2|\3|\4|\5|\6|\7/p' "$work/plan.json" |
    awk -F'|' '{printf "   %-42s p50 %6.2f ms, p99 %6.2f ms (aim: %d), %4d orders, budget spent in %d, allocations %d\n", $1, $3, $4, ($2 == "true" ? 25 : 60), $5, $6, $7}'
  echo "   added and removed: $(field tickets_per_s < "$work/plan.json") tickets/s (aim: 1 000 000), allocations $(tail -n 1 "$work/plan.json" | field allocations)"
}

# --- kubernetes -----------------------------------------------------------------------------------
measure_kubernetes() {
  echo "kubernetes. a room that is a pod against kubectl run ($pods of each, in turns)"
  scripts/private-cluster.sh tests/pods/figures.sh "$bin" "$pods"
}

# --- tokens ---------------------------------------------------------------------------------------
# Three clusters of two masters. The first master has the load; the second one only hears its
# heartbeats, past a program that writes down how long none came.
# A master keeps 50 000 tokens, and forgets them all when it is told to read its keys again. A round has fewer
# matches than there are players whose tokens it shall not know.
declare -A players_of=([none]=48000 [kept]=48000 [cold]=131072)

write_token_configs() { # NAME FIRST-PORT IDENTITY
  local id
  for id in 1 2; do
    cat > "$work/$1-m$id.json" <<JSON
{
  $(identity_of plain m$id),
  "master": { "id": $id, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": $(($2 + id)) },
  "identity": $3,
  "mesh": { "listen": "127.0.0.1:$(($2 + 10 + id))",
            "masters": [{ "id": 1, "address": "127.0.0.1:$(($2 + (id == 1 ? 11 : 10)))" },
                        { "id": 2, "address": "127.0.0.1:$(($2 + 12))" }] },
  "matching": { "rooms_per_client_per_minute": 0 },
  "modes": [{ "name": "duel", "capacity": 5000, "attributes": ["region", "version"],
              "bands": [{ "attribute": "skill", "edges": [1000, 1200] }] }],
  "log": { "level": "warning" }
}
JSON
  done
  cat > "$work/$1-w1.json" <<JSON
{
  $(identity_of plain w1),
  "worker": { "id": "w1", "zone": "a", "address": "127.0.0.1", "state_folder": "$work/state-$1" },
  "masters": [{ "id": 1, "address": "127.0.0.1:$(($2 + 11))" },
              { "id": 2, "address": "127.0.0.1:$(($2 + 12))" }],
  "rooms": { "limit": 50, "ports": { "first": $(($2 + 6000)), "last": $(($2 + 6099)) }, "reservation_ms": 1000,
             "close_empty_after_ms": 600000 },
  "games": [{ "mode": "duel",
              "command": ["fixkeep-demo-game", "--port", "{port}", "--boot-ms", "0"] }],
  "log": { "level": "warning" }
}
JSON
}

start_with_tokens() { # NAME FIRST-PORT; leaves the process of the first master in master[NAME]
  local id
  for id in 1 2; do
    "$bin/fixkeep-master" --config "$work/$1-m$id.json" > "$work/$1-m$id.log" 2>&1 &
    pids+=("$!")
    [ "$id" = 2 ] || master[$1]=$!
  done
  "$bin/fixkeep-worker" --config "$work/$1-w1.json" > "$work/$1-w1.log" 2>&1 &
  pids+=("$!")
  python3 tests/bench/silences.py "$(($2 + 10))" "$(($2 + 11))" "$work/silences-$1" &
  pids+=("$!")
  wait_for "http://127.0.0.1:$(($2 + 1))/readyz"
}

load_with_tokens() { # NAME SECONDS
  case $1 in
    none) FIXKEEP_BENCH_PLAYERS=${players_of[none]} load "${http_port[$1]}" "$2" ;;
    *) FIXKEEP_BENCH_TOKENS=$work/$1/tokens load "${http_port[$1]}" "$2" ;;
  esac
}

# Opens the rooms, and has each player ask once, after which the master keeps the tokens. A busy machine
# needs more time for that.
warm_up() { # NAME
  local rate span=8
  while [ "$span" -le 128 ]; do
    rate=$(load_with_tokens "$1" "$span" | field rps)
    if [ "$1" = cold ] || [ $((rate * span)) -ge "${players_of[$1]}" ]; then return; fi
    span=$((2 * span))
  done
  fail "$rate matches a second are too few to measure anything"
}

measure_tokens() {
  declare -gA http_port=([none]=18201 [kept]=18231 [cold]=18261) master
  local name round names=(none kept cold)
  for name in kept cold; do
    mkdir -p "$work/$name"
    "$bin/fixkeep-bench-tokens" --write "${players_of[$name]}" "$work/$name"
  done
  for name in "${names[@]}"; do
    local identity='{ "tokens": { "issuer": "https://accounts.example", "audience": "fixkeep",
                      "key_files": ["'"$work/$name/keys.jwks"'"] } }'
    [ "$name" != none ] || identity='{}'
    write_token_configs "$name" "$((http_port[$name] - 1))" "$identity"
    start_with_tokens "$name" "$((http_port[$name] - 1))"
  done
  echo "tokens. matches a second with tokens of ES256: none, kept by the master, each verified ($rounds rounds in turns)"
  for name in "${names[@]}"; do warm_up "$name"; done
  for round in $(seq "$rounds"); do
    for name in "${names[@]}"; do
      [ "$name" != cold ] || kill -HUP "${master[cold]}"
      let_seats_lapse
      : > "$work/silences-$name"
      before=$(cpu_ticks "${master[$name]}")
      load_with_tokens "$name" "$seconds" > "$work/load-$name.$round"
      cores_since "${master[$name]}" "$before" > "$work/cores-$name.$round"
      awk -v cores="$(cat "$work/cores-$name.$round")" -v rps="$(field rps < "$work/load-$name.$round")" \
        'BEGIN { printf "%.1f\n", cores / rps * 1e6 }' >> "$work/us-$name"
      cat "$work/silences-$name" >> "$work/all-silences-$name"
      echo "   round $round, $name: matches $(field rps < "$work/load-$name.$round")/s, p99 $(field p99_us < "$work/load-$name.$round") us, master used $(cat "$work/cores-$name.$round") cores, errors $(field non2xx < "$work/load-$name.$round"), silent for $(sort -g "$work/silences-$name" | tail -n 1) ms at most"
    done
  done
  kill "${pids[@]}"
  wait "${pids[@]}" 2>/dev/null || true
  pids=()
  local without rate us
  without=$(median < "$work/us-none")
  for name in "${names[@]}"; do
    rate=$(cat "$work/load-$name".* | field rps | median)
    us=$(median < "$work/us-$name")
    echo "   median, tokens $name: matches $rate/s, $us us of its master each, ratio $(ratio "$us" "$without")$([ "$name" != kept ] || echo " (aim: 1.15)"); heartbeats due every 250 ms came after $(median < "$work/all-silences-$name") ms, at most $(sort -g "$work/all-silences-$name" | tail -n 1)"
  done
}

# --- tickets --------------------------------------------------------------------------------------
# No two ratings are near enough for a room, so all tickets wait.
measure_tickets() {
  cat > "$work/tickets.json" <<JSON
{
  $(identity_of plain m1),
  "master": { "id": 1, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": 18301, "connections": 15000 },
  "mesh": { "listen": "127.0.0.1:18302", "masters": [{ "id": 1, "address": "127.0.0.1:18302" }] },
  "modes": [{ "name": "duel", "capacity": 2,
              "rules": { "wait_ms": 600000, "party": 1,
                         "distance": [{ "attribute": "rating", "steps": [{ "after_ms": 0, "most": 50 }] }] } }],
  "log": { "level": "warning" }
}
JSON
  echo "tickets. 10 000 tickets wait, each with a connection that polls again every 25 s"
  ulimit -n "$(ulimit -Hn)"
  "$bin/fixkeep-master" --config "$work/tickets.json" > "$work/tickets.log" 2>&1 &
  pids+=("$!")
  wait_for http://127.0.0.1:18301/healthz
  python3 tests/bench/tickets.py 18301 "${pids[-1]}" 10000 "$rounds"
  kill "${pids[@]}"
  wait "${pids[@]}" 2>/dev/null || true
  pids=()
}

for part in "${parts[@]}"; do "measure_$part"; done
