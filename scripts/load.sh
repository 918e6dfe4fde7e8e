#!/usr/bin/env bash
# Load is not a fault: an overloaded cluster, or a cluster on a busy machine, makes no duplicate rooms and
# keeps its promises. Each row is a burst of fixkeep-client-sim. The script checks its JSON
# (build/load-ROW.json):
#
#   - no duplicate room, no collision, no seat over capacity, leaked or uncounted, no misplaced player
#   - every player gets an answer; a player without a seat is told to repeat the request (429 or 503)
#   - every returned seat admits its player. Players who are late because client-sim was late are counted
#     separately
#
# client-sim gets a higher priority under load, if the system allows it, as if it had a separate machine:
# only the cluster shall be late. "own p99" is the remaining lateness of client-sim, in ms.
#
# Usage: scripts/load.sh [--list] [ROW …]        without a row: those of .ci/run, about two minutes
#
# The row "overload" is different: 49 500 players of 5 000 groups wait at three masters. The workers can
# hold rooms for a tenth of the groups. After these players have left, the masters must free the memory,
# and a match with a new room must be fast again.
#
# The row "matches" asks for rooms of a thousand matches that were made elsewhere, while replies are lost
# and masters die (tests/load/matches.py).
#
# During the rows NAME-busy, FIXKEEP_BUSY_LOOPS (48) empty loops keep the cores busy. They end after 45 s.
# If the row ends earlier, the script ends them by their process ids.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

busy_loops=${FIXKEEP_BUSY_LOOPS:-48}
usual=(small-groups-busy large-groups-busy groups-500 groups-500-busy groups-2000 groups-2000-busy
  idle-connections stopped-worker)
heavy=(groups-5000 groups-5000-busy overload matches) # minutes, and some 5 000 processes or connections

# What client-sim does in a row.
arguments_of() { # ROW
  case ${1%-busy} in
    small-groups) echo --groups 32 --players 256 --boot-ms 500 --seed 1 ;;
    large-groups) echo --groups 4 --players 256 --boot-ms 500 --seed 1 ;;
    groups-500) echo --groups 500 --players 500 --boot-ms 100 --seed 3 ;;
    groups-2000) echo --groups 2000 --players 2000 --boot-ms 100 --seed 3 ;;
    groups-5000) echo --groups 5000 --players 5000 --boot-ms 100 --seed 3 --attempts 20 ;;
    idle-connections) echo --groups 32 --players 256 --boot-ms 500 --seed 1 --idle-connections 10000 ;;
    stopped-worker) echo --groups 32 --players 256 --boot-ms 500 --seed 1 --stop-worker-ms 5000 ;;
    overload | matches) echo ;;
    *) return 1 ;;
  esac
}

rows=()
for word in "$@"; do
  if [ "$word" = --list ]; then
    printf '%s\n' "${usual[@]}" "${heavy[@]}"
    exit 0
  fi
  arguments_of "$word" >/dev/null || fail "there is no row \"$word\"; --list shows them"
  rows+=("$word")
done
if [ ${#rows[@]} -eq 0 ]; then rows=("${usual[@]}"); fi

build release fixkeep-master fixkeep-worker fixkeep-demo-game fixkeep-client-sim fixkeep-room-keeper

loops=()
start_loops() {
  local _
  for _ in $(seq "$busy_loops"); do
    # In a session of its own, as every game is: the scheduler may share processors out by session.
    setsid timeout 45 sh -c 'while :; do :; done' &
    loops+=($!)
  done
}
end_loops() {
  if [ ${#loops[@]} -eq 0 ]; then return; fi
  kill "${loops[@]}" 2>/dev/null || true
  wait "${loops[@]}" 2>/dev/null || true
  loops=()
}
trap end_loops EXIT

# The number KEY of the only run in FILE; the first KEY of it is that of the run itself.
number_of() { # FILE KEY
  grep -oE "\"$2\": ?[0-9]+" "$1" | head -n 1 | grep -oE '[0-9]+$'
}
time_of() { # FILE KEY PERCENTILE, in whole milliseconds
  sed -nE "s/.*\"$2\":\\{[^}]*\"$3\":([0-9]+).*/\\1/p" "$1"
}

# Prints the failures that neither ask the player to repeat the request nor come from client-sim's lateness.
bad_reasons() { # FILE
  sed -nE 's/.*"reasons":\{([^}]*)\}.*/\1/p' "$1" | grep -oE '"[^"]+":[0-9]+' |
    grep -vE '^"(429|503) |^"room: REFUSED (token_expired|no_seat)"' || true
}

# What is wrong with a run, a line each.
complaints_of() { # FILE KEY …: those that are to be 0
  local file=$1 key got players seated connected refused came_late
  shift
  for key in "$@"; do
    got=$(number_of "$file" "$key" || true)
    if [ "$got" != 0 ]; then echo "$key is ${got:-not known}"; fi
  done
  players=$(number_of "$file" players)
  seated=$(number_of "$file" seated)
  connected=$(number_of "$file" connected)
  refused=$(number_of "$file" refused)
  came_late=$(number_of "$file" came_late)
  if [ "$seated" -eq 0 ]; then echo "nobody got a seat"; fi
  if [ $((connected + came_late)) -ne "$seated" ]; then
    echo "$seated were answered, $connected let in, $came_late late by client-sim's doing"
  fi
  if [ $((seated + refused)) -ne "$players" ]; then
    echo "of $players players $seated got a seat, and $refused were told to come back"
  fi
  bad_reasons "$file"
}
# Figures that must be 0: for a cluster of another process, and for a cluster that the run has started.
zero_of_load=(duplicate_rooms overbooked_seats misplaced wrong_tokens lost turned_away answered_late unreachable dropped)
zero_of_all=("${zero_of_load[@]}" collisions leaked_seats uncounted_seats orphaned_processes)

# --- overload -------------------------------------------------------------------------------------
client_sim=build/release/bin/fixkeep-client-sim
masters_kib() { # PROCESS …: the memory that they occupy, all together
  local process
  for process in "$@"; do cat "/proc/$process/status" 2>/dev/null || true; done |
    awk '/^VmRSS/ {sum += $2} END {print sum + 0}'
}
seat_ms() { # MASTER GROUP PLAYER
  curl -s -o build/load-overload-seat.json -w '%{http_code} %{time_total}' -m 20 "$1/v1/match" \
    -d "{\"mode\":\"duel\",\"attributes\":{\"region\":\"$2\"},\"player_id\":\"$3\"}" |
    awk '{if ($1 == 200) printf "%d\n", $2 * 1000; else print "none"}'
}
overload() {
  local up masters admin before most=0 now after seat players=0 seated=0 refused=0 loads=() processes=()
  local log=build/load-overload.log complaints=() k
  "$client_sim" up --masters 3 --workers 6 --room-limit 82 --boot-ms 100 --close-empty-ms 2000 \
    --log-level warning >"$log" 2>&1 &
  up=$!
  # shellcheck disable=SC2064 # this process
  trap "kill -INT $up 2>/dev/null || true; end_loops" EXIT
  for _ in $(seq 300); do grep -q Ctrl-C "$log" && break; sleep 0.1; done
  masters=$(sed -nE 's|^  master [0-9].* (http://[^ ]+)  for operators .*|\1|p' "$log" | paste -sd ,)
  admin=$(sed -nE 's|^  master [0-9].*for operators (http://[^ ]+).*|\1|p' "$log" | paste -sd ,)
  mapfile -t processes < <(pgrep -P "$up" fixkeep-master)
  before=$(masters_kib "${processes[@]}")
  rm -f build/load-overload-*.json
  for k in 1 2 3; do
    "$client_sim" load --masters "$masters" --admin "$admin" --groups 5000 --players 16500 --seed "$k" \
      --attempts 3 --rest-ms 0 --json "build/load-overload-$k.json" >"build/load-overload-$k.log" 2>&1 &
    loads+=($!)
  done
  while kill -0 "${loads[@]}" 2>/dev/null; do
    now=$(masters_kib "${processes[@]}")
    if [ "$now" -gt "$most" ]; then most=$now; fi
    sleep 0.5
  done
  wait "${loads[@]}" || true
  sleep 2 # in which rooms close, and workers have room again
  seat=$(seat_ms "${masters%%,*}" "a group of its own" ann)
  sleep 5
  after=$(masters_kib "${processes[@]}")
  kill -INT "$up"
  wait "$up" || true
  for k in 1 2 3; do
    mapfile -t -O "${#complaints[@]}" complaints < <(complaints_of "build/load-overload-$k.json" "${zero_of_load[@]}")
    players=$((players + $(number_of "build/load-overload-$k.json" players)))
    seated=$((seated + $(number_of "build/load-overload-$k.json" seated)))
    refused=$((refused + $(number_of "build/load-overload-$k.json" refused)))
  done
  [ "$seat" != none ] && [ "$seat" -lt 2000 ] || complaints+=("a match after it took $seat ms")
  [ $((after - before)) -lt $(((most - before) / 2)) ] ||
    complaints+=("masters had $before KiB, then $most, and still $after")
  printf '%-18s %s\n' overload "$players players, $seated seated, $refused told to come back; a match in a new \
room after it: $seat ms; memory of the masters $((before / 1024)), then $((most / 1024)), then \
$((after / 1024)) MiB: $([ ${#complaints[@]} -eq 0 ] && echo fine || echo FAILED)"
  if [ ${#complaints[@]} -gt 0 ]; then
    printf '    %s\n' "${complaints[@]}"
    code=1
  fi
}

code=0
format='%-18s %5s %8s %7s %9s %8s %6s %6s %6s %8s %8s %9s  %s\n'
# shellcheck disable=SC2059 # one format for all lines
line() { printf "$format" "$@"; }
line row loops players seated connected refused dupl. coll. late 'p50 ms' 'p99 ms' 'own p99' verdict
for row in "${rows[@]}"; do
  if [ "$row" = overload ]; then
    overload
    continue
  fi
  if [ "$row" = matches ]; then
    python3 tests/load/matches.py "$(dirname "$client_sim")" || code=1
    continue
  fi
  file=build/load-$row.json
  rm -f "$file"
  beside=0
  if [[ $row == *-busy ]]; then
    beside=$busy_loops
    start_loops
  fi
  read -ra arguments <<<"$(arguments_of "$row")"
  # Its exit code tells less than the JSON: it is 1 also where rooms were justified.
  "$client_sim" compare --locks multiphase --masters 3 --workers 6 --capacity 8 \
    --arrival burst --own-nice -10 --json "$file" "${arguments[@]}" >"build/load-$row.log" 2>&1 || true
  end_loops
  if [ ! -s "$file" ]; then
    line "$row" "$beside" - - - - - - - - - - "FAILED: there was no run, see build/load-$row.log"
    code=1
    continue
  fi
  mapfile -t complaints < <(complaints_of "$file" "${zero_of_all[@]}")
  verdict=fine
  if [ ${#complaints[@]} -gt 0 ]; then
    verdict=FAILED
    code=1
  fi
  line "$row" "$beside" "$(number_of "$file" players)" "$(number_of "$file" seated)" \
    "$(number_of "$file" connected)" "$(number_of "$file" refused)" \
    "$(number_of "$file" duplicate_rooms)" "$(number_of "$file" collisions || echo '?')" \
    "$(number_of "$file" came_late)" "$(time_of "$file" match_ms p50)" \
    "$(time_of "$file" match_ms p99)" "$(time_of "$file" own_lateness_ms p99)" "$verdict"
  if [ ${#complaints[@]} -gt 0 ]; then printf '    %s\n' "${complaints[@]}"; fi
done
exit "$code"
