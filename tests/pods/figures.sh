#!/usr/bin/env bash
# How long a room takes from the request of its first player to the answer, by part, where rooms are
# pods, against `kubectl run` of the same image until the game accepts players. The two take turns, so
# that a change of the machine's speed hits both. Afterwards: from a request to a seat in a room that
# is warm.
#
# Usage: tests/pods/figures.sh PROGRAMS ROUNDS      within scripts/private-cluster.sh
set -euo pipefail
bin=$1
rounds=$2
# shellcheck disable=SC2034  # cluster.sh reads them
close_empty_after_ms=1000
warm='{ "min": 0, "max": 0 }'
# shellcheck source=tests/pods/cluster.sh
source tests/pods/cluster.sh

now() { date +%s%N; }
median() { sort -g | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }
told() { # TEXT: when a node has last said it, in nanoseconds
  date -d "$(cat "$place"/master-*.log "$place/worker.log" | grep "$1" | sort | tail -n 1 | cut -d ' ' -f 1)" +%s%N
}
part() { # NAME FROM TO
  awk -v from="$2" -v to="$3" 'BEGIN {printf "%.1f\n", (to - from) / 1e6}' >>"$place/$1.ms"
}
# The node takes up to a minute to forget a pod whose containers have ended.
none() { [ -z "$(docker ps -q --filter label=io.kubernetes.pod.namespace=games)" ]; }
# The times of a container of the newest pod: of its creation and its start.
happened() { # SINCE CONTAINER WHAT
  docker events --since "${1:0:-9}" --until "$(date +%s.%N)" --filter "event=$3" \
    --filter "label=io.kubernetes.container.name=$2" --format '{{.TimeNano}}' | tail -n 1
}

a_room() { # NUMBER
  local from to ordered sandbox created started
  from=$(now)
  until_it_is "a seat" seated "room-$1"
  to=$(now)
  ordered=$(told "room ordered")
  sandbox=$(happened "$from" POD create)
  created=$(happened "$from" game create)
  started=$(happened "$from" game start)
  part room "$from" "$to"
  part requested "$from" "$ordered"
  part scheduled "$ordered" "$sandbox"
  part made "$sandbox" "$created"
  part started "$created" "$started"
  part ready "$started" "$(told "room open")"
  part answered "$(told "room open")" "$to"
  until_it_is "the room is gone" none
}
seated() { [[ $(match "$1" 1) == *'"seat_token"'* ]]; }
# The pod that the worker orders, without the relay of its SDK.
bare() { # NAME PORT
  jq -n --arg name "$1" --argjson port "$2" --arg program "$programs/fixkeep-demo-game" \
    --arg key "$(printf '0%.0s' {1..64})" \
    '{apiVersion: "v1", kind: "Pod", metadata: {name: $name}, spec: {restartPolicy: "Never",
      shareProcessNamespace: true, automountServiceAccountToken: false, containers: [{name: "game",
      image: "fixkeep-pod-game", imagePullPolicy: "Never", command: [$program, "--port", "7777"],
      ports: [{containerPort: 7777, hostPort: $port}], env: [
      {name: "FIXKEEP_ROOM_ID", value: "w1-1-1"}, {name: "FIXKEEP_CAPACITY", value: "8"},
      {name: "AGONES_SDK_HTTP_PORT", value: "9358"}, {name: "FIXKEEP_SEAT_KEY", value: $key}]}]}}'
}
a_run() { # NUMBER
  local from port=$((28320 + $1)) overrides
  overrides=$(bare "bare-$1" "$port")
  from=$(now)
  kubectl -n games run "bare-$1" --image=fixkeep-pod-game --overrides="$overrides" >/dev/null
  until { : >"/dev/tcp/$node/$port"; } 2>/dev/null; do sleep 0.01; done
  part run "$from" "$(now)"
  kubectl -n games delete pod "bare-$1" --grace-period=1 --wait=false >/dev/null
  until_it_is "the pod is gone" none
}
begin_relay
for id in 1 2 3; do start "master-$id"; done
masters_are=("${pids[@]: -3}")
start worker
a_room warm-up
rm -f "$place"/*.ms
for ((i = 1; i <= rounds; ++i)); do
  a_room "$i"
  a_run "$i"
done

of() { median <"$place/$1.ms"; }
line() { printf '   %-52s %8.1f ms\n' "$1" "$(of "$2")"; }
echo "   medians of $rounds"
line "a room, from the request to the answer" room
line "  from the request to the order" requested
line "  to the creation of its sandbox" scheduled
line "  to the creation of the game's container" made
line "  to its start" started
line "  to its being open" ready
line "  to the answer" answered
line "kubectl run, to a game that accepts players" run
awk -v a="$(of room)" -v b="$(of run)" 'BEGIN {printf "   ratio %.2f\n", a / b}'

# --- warm rooms -----------------------------------------------------------------------------------
kill -9 "${masters_are[@]}"
sed -i 's/"warm": {[^}]*}/"warm": { "min": 2, "max": 2 }/' "$place"/master-*.json
for id in 1 2 3; do start "master-$id"; done
are_warm() { # beside those that were given
  [[ $(curl -sf http://127.0.0.1:28301/v1/rooms |
    jq '[.rooms[] | select(.phase == "open" and .group == null)] | length') == 2 ]]
}
for ((i = 1; i <= rounds; ++i)); do
  until_it_is "two rooms are warm" are_warm
  answer=$(curl -sS -m 60 -w '\n%{time_total}' -H 'Content-Type: application/json' \
    -d "{\"player_id\":\"warm-$i\",\"mode\":\"duel\",\"attributes\":{\"region\":\"warm-$i\"}}" \
    "http://127.0.0.1:2810$((1 + i % 3))/v1/match")
  [[ $answer == *'"seat_token"'* ]] || fail "no seat in a warm room: $answer"
  awk '{print $1 * 1000}' <<<"${answer##*$'\n'}" >>"$place/warm.ms"
done
echo "   $rounds seats in warm rooms: p50 $(of warm) ms, the slowest $(sort -g "$place/warm.ms" | tail -n 1) ms"
