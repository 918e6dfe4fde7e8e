#!/usr/bin/env bash
# How long a room takes from the request of its first player to the answer, by part, where rooms are
# containers in a bridge network, against `docker run` of the same image with the same options until
# the game accepts players. The two take turns, so that a change of the machine's speed hits both.
#
# Usage: tests/containers/figures.sh PROGRAMS ROUNDS      with an engine that answers
set -euo pipefail
bin=$1
rounds=$2
# shellcheck source=tests/containers/cluster.sh
source tests/containers/cluster.sh

now() { date +%s%N; }
median() { sort -g | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }
# The time of the last line of a node's log that fits, in nanoseconds.
told() { # ROLE TEXT
  date -d "$(grep "$2" "$place/$1.log" | tail -n 1 | cut -d ' ' -f 1)" +%s%N
}
part() { # NAME FROM TO
  awk -v from="$2" -v to="$3" 'BEGIN {printf "%.1f\n", (to - from) / 1e6}' >>"$place/$1.ms"
}

sed -i 's#"capacity": 4#"capacity": 1#' "$place/master.json"
start master
start worker
seat warm duel # everything is connected, and has been done once

a_room() { # NUMBER
  local from to ordered events created started open
  from=$(now)
  seat "player-$1" race
  to=$(now)
  ordered=$(told master "room ordered")
  open=$(told worker "room open")
  events=$(docker events --since "${from:0:-9}" --until "$(date +%s.%N)" \
    --filter "label=fixkeep.room=$room" --format '{{.Action}} {{.TimeNano}}')
  created=$(awk '/^create/ {print $2}' <<<"$events")
  started=$(awk '/^start/ {print $2}' <<<"$events")
  part room "$from" "$to"
  part requested "$from" "$ordered"
  part created "$ordered" "$created"
  part started "$created" "$started"
  part ready "$started" "$open"
  part answered "$open" "$to"
  "$bin/fixkeepctl" close "$room" --admin http://127.0.0.1:28103 >/dev/null
  until_it_is "the room is gone" is_gone_room "$room"
}
is_gone_room() { [ -z "$(docker ps -aq --filter "label=fixkeep.room=$1")" ]; }
a_run() {
  local from to started id
  from=$(now)
  id=$(docker run -d --init --read-only --tmpfs /tmp --cap-drop ALL -v /fixkeep \
    --security-opt no-new-privileges -p 28300:7777/tcp -p 28300:7777/udp \
    -e FIXKEEP_ROOM_ID=w1-1-1 -e FIXKEEP_CAPACITY=1 -e AGONES_SDK_HTTP_PORT=9358 \
    -e "FIXKEEP_SEAT_KEY=$(printf '0%.0s' {1..64})" "$image" "$game" --port 7777)
  started=$(now)
  until { : >"/dev/tcp/$address/28300"; } 2>/dev/null; do sleep 0.002; done
  to=$(now)
  part run "$from" "$to"
  part run_returns "$from" "$started"
  docker rm -fv "$id" >/dev/null
}
for round in $(seq "$rounds"); do
  a_room "$round"
  a_run
done

of() { median <"$place/$1.ms"; }
line() { printf '   %-52s %8.1f ms\n' "$1" "$(of "$2")"; }
echo "   medians"
line "a room, from the request to the answer" room
line "  from the request to the order" requested
line "  to the container's creation" created
line "  to its start" started
line "  to the game's word that it is ready" ready
line "  to the answer" answered
line "docker run, to a game that accepts players" run
line "  to its return" run_returns
awk -v a="$(of room)" -v b="$(of run)" 'BEGIN {printf "   ratio %.2f\n", a / b}'
