# shellcheck shell=bash
# Three masters and a worker whose rooms are pods, each with a demo game and its SDK at localhost. The
# worker asks the API server through a relay, so that its connections can be cut. Source it from the
# root of the repository with `bin` set, within scripts/private-cluster.sh. What the script starts ends
# with it, and what it has written goes.

# shellcheck source=scripts/lib.sh
source scripts/lib.sh

: "${bin:?}"
cluster=${FIXKEEP_KUBERNETES:?}
place=$(mktemp -d)
programs=$(realpath "$bin")
node=10.77.0.1
patience=300 # seconds, for what has to come
pids=()
mine=fixkeep.io/cluster=whole-way

finish() {
  for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
  kubectl -n games delete pods --all --grace-period=0 --force >/dev/null 2>&1 || true
  rm -rf "$place"
}
trap finish EXIT
fail() {
  echo "$(basename "$0"): $*" >&2
  tail -n 15 "$place"/*.log >&2
  exit 1
}
# until_it_is WHAT COMMAND…: until the command succeeds
until_it_is() {
  local what=$1 end=$((SECONDS + patience))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || fail "not within $patience s: $what"
    sleep 0.1
  done
}

import_image fixkeep-pod-programs "$programs/fixkeep-demo-game" "$programs/fixkeep-sdk-relay"
printf 'FROM fixkeep-pod-programs\nENV PATH=%s\n' "$programs" |
  docker build -q -t fixkeep-pod-game - >/dev/null 2>&1

identity='"cluster": { "id": "whole-way", "secret": "a-secret-of-the-test-of-pods" }'
masters=$(for id in 1 2 3; do echo "{ \"id\": $id, \"address\": \"127.0.0.1:2820$id\" }"; done | paste -sd,)
for id in 1 2 3; do
  cat >"$place/master-$id.json" <<JSON
{ $identity, "master": { "id": $id, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": 2810$id },
  "admin": { "address": "127.0.0.1", "port": 2830$id },
  "mesh": { "listen": "127.0.0.1:2820$id", "masters": [$masters] },
  "matching": { "rooms_per_client_per_minute": 0 },
  "modes": [{ "name": "duel", "capacity": 8, "attributes": ["region"]${warm:+, \"warm\": $warm} }] }
JSON
done
cat >"$place/worker.json" <<JSON
{ $identity, "worker": { "id": "w1", "zone": "a", "address": "$node", "state_folder": "$place/state" },
  "masters": [$masters],
  "rooms": { "limit": 60, "runner": "kubernetes", "ports": { "first": 28400, "last": 28499 },
    "close_empty_after_ms": ${close_empty_after_ms:-600000}, "reservation_ms": 600000,
    "kubernetes": { "kubeconfig": "$place/kubeconfig.json",
      "sdk": { "image": "fixkeep-pod-game", "host": "$node" } } },
  "games": [{ "mode": "duel", "command": ["$programs/fixkeep-demo-game", "--port", "7777"],
    "boot_timeout_ms": 300000,
    "pod": { "spec": { "shareProcessNamespace": true, "containers": [{ "name": "game",
      "image": "fixkeep-pod-game", "imagePullPolicy": "Never", "ports": [{ "containerPort": 7777 }] }] } } }] }
JSON
jq '.clusters[0].cluster.server = "https://localhost:28443"' "$cluster/worker.json" >"$place/kubeconfig.json"

# Its standard input is open as long as this script is.
begin_relay() {
  [ -p "$place/wires" ] || mkfifo "$place/wires"
  exec {wires}<>"$place/wires"
  "$bin/fixkeep-relay" <"$place/wires" >>"$place/relay.log" 2>&1 &
  pid_of_relay=$!
  pids+=("$pid_of_relay")
  disown
  echo '{"do":"open","wire":"api","listen":28443,"target":443,"delay_ms":0,"jitter_ms":0,"loss_percent":0}' >&"$wires"
}
cut_connections() { # to the API server, those of the watch too
  kill -KILL "$pid_of_relay"
  exec {wires}>&-
  rm "$place/wires"
  begin_relay
}
start() { # master-N or worker
  "$bin/fixkeep-${1%-*}" --config "$place/$1.json" >>"$place/$1.log" 2>&1 &
  pids+=($!)
  [ "$1" != worker ] || pid_of_worker=$!
  disown
}
worker_has_ended() { ! kill -0 "$pid_of_worker" 2>/dev/null; }
kill_worker() { # SIGNAL: and waits until it has ended
  kill "$1" "$pid_of_worker"
  until_it_is "the worker ends by $1" worker_has_ended
}
pid_of() { awk -v name="$1" '$1 == name {print $2}' "$cluster/pids" | tail -n 1; } # of the cluster's
restart_api() { # after it was killed and away for ten seconds
  kill -KILL "$(pid_of api)"
  sleep 10
  (cd "$cluster" && eval "exec setsid $(<api.command)" >>api.log 2>&1 </dev/null) &
  echo "api $!" >>"$cluster/pids"
  disown
}
names() { kubectl -n games get pods -l "$mine" -o name; }
# Each pod that there has been is a line of its number; what the server does not tell, the next list
# does.
watch_pods() {
  while :; do
    kubectl -n games get pods -l "$mine" -w -o 'jsonpath={.metadata.uid}{"\n"}' 2>/dev/null >>"$place/seen" || true
    sleep 0.2
  done
}
have_been() { sort -u "$place/seen" | wc -l; }

match() { # GROUP MASTER: the answer
  curl -sS -m 60 -H 'Content-Type: application/json' \
    -d "{\"player_id\":\"of-$1\",\"mode\":\"duel\",\"attributes\":{\"region\":\"$1\"}}" \
    "http://127.0.0.1:2810$2/v1/match" 2>/dev/null
}
# A player of the group is in: whoever answers at the place that it was told knows its token.
play() { # GROUP
  local answer said end=$((SECONDS + patience)) socket i=0
  while [ "$SECONDS" -lt "$end" ]; do
    i=$((i + 1))
    answer=$(match "$1" $((1 + (i + ${#1}) % 3))) || true
    if [[ $answer == *'"seat_token"'* ]] &&
      { exec {socket}<>"/dev/tcp/$(jq -r .address <<<"$answer")/$(jq -r .port <<<"$answer")"; } 2>/dev/null; then
      echo "JOIN $(jq -r .seat_token <<<"$answer")" >&"$socket"
      said=
      IFS= read -r -t 30 said <&"$socket" || true
      exec {socket}>&-
      if [[ $said == "WELCOME of-$1 "* ]]; then
        jq -r .room_id <<<"$answer" >"$place/room-$1"
        return
      fi
    fi
    sleep 0.2
  done
  echo "nobody of $1 is in: $answer; $said" >>"$place/players.log"
  return 1
}
