#!/usr/bin/env bash
# Load is not a fault: a cluster that has too much to do, or whose machine others keep busy, makes no
# duplicate and breaks no word. Each row is a burst of fixkeep-client-sim, judged by its JSON
# (build/load-ROW.json):
#
#   - no duplicate room, no collision, no seat over capacity, leaked or uncounted, nobody misplaced
#   - nobody is without an answer; whoever gets no seat is told to come back (429 or 503)
#   - a seat that was answered admits its player. A player that comes too late by client-sim's own
#     lateness is counted apart
#
# client-sim itself has precedence under load, where we may give it: as if it had a machine of its own,
# so that it is the cluster that is late. "own p99" is what of it was late nevertheless, in ms.
#
# Usage: scripts/load.sh [--list] [ROW …]        without a row: those of .ci/run, about two minutes
#
# Beside the rows NAME-busy run so many loops that do nothing, of FIXKEEP_BUSY_LOOPS (48). They end
# after 45 s by themselves, and by their ids when the row is over before.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

busy_loops=${FIXKEEP_BUSY_LOOPS:-48}
usual=(small-groups-busy large-groups-busy groups-500 groups-500-busy groups-2000 groups-2000-busy
  idle-connections stopped-worker)
heavy=(groups-5000 groups-5000-busy) # minutes, and some 5 000 processes

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

# Of the reasons why players failed those that tell nobody to come back, and are not our own lateness.
bad_reasons() { # FILE
  sed -nE 's/.*"reasons":\{([^}]*)\}.*/\1/p' "$1" | grep -oE '"[^"]+":[0-9]+' |
    grep -vE '^"(429|503) |^"room: REFUSED (token_expired|no_seat)"' || true
}

# What is wrong with a run, a line each.
complaints_of() { # ROW FILE
  local key got players seated connected refused came_late
  local zero=(duplicate_rooms collisions overbooked_seats leaked_seats uncounted_seats misplaced lost
    orphaned_processes turned_away answered_late unreachable dropped)
  for key in "${zero[@]}"; do
    got=$(number_of "$2" "$key" || true)
    if [ "$got" != 0 ]; then echo "$key is ${got:-not known}"; fi
  done
  players=$(number_of "$2" players)
  seated=$(number_of "$2" seated)
  connected=$(number_of "$2" connected)
  refused=$(number_of "$2" refused)
  came_late=$(number_of "$2" came_late)
  if [ "$seated" -eq 0 ]; then echo "nobody got a seat"; fi
  if [ $((connected + came_late)) -ne "$seated" ]; then
    echo "$seated were answered, $connected let in, $came_late late by client-sim's doing"
  fi
  if [ $((seated + refused)) -ne "$players" ]; then
    echo "of $players players $seated got a seat, and $refused were told to come back"
  fi
  bad_reasons "$2"
}

code=0
format='%-18s %5s %8s %7s %9s %8s %6s %6s %6s %8s %8s %9s  %s\n'
# shellcheck disable=SC2059 # one format for all lines
line() { printf "$format" "$@"; }
line row loops players seated connected refused dupl. coll. late 'p50 ms' 'p99 ms' 'own p99' verdict
for row in "${rows[@]}"; do
  file=build/load-$row.json
  rm -f "$file"
  beside=0
  if [[ $row == *-busy ]]; then
    beside=$busy_loops
    start_loops
  fi
  read -ra arguments <<<"$(arguments_of "$row")"
  # Its exit code tells less than the JSON: it is 1 also where rooms were justified.
  build/release/bin/fixkeep-client-sim compare --locks multiphase --masters 3 --workers 6 --capacity 8 \
    --arrival burst --own-nice -10 --json "$file" "${arguments[@]}" >"build/load-$row.log" 2>&1 || true
  end_loops
  if [ ! -s "$file" ]; then
    line "$row" "$beside" - - - - - - - - - - "FAILED: there was no run, see build/load-$row.log"
    code=1
    continue
  fi
  mapfile -t complaints < <(complaints_of "$row" "$file")
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
