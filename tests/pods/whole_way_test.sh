#!/usr/bin/env bash
# The whole way of rooms as pods: requests at three masters for many groups at once make exactly the
# pods that are needed and a player is in each of them, also when the worker is killed between an
# order and its answer, the API server hangs or is killed, the watch is cut, a pod is deleted, or its
# name is somebody else's. Nothing is left afterwards.
#
# Usage: tests/pods/whole_way_test.sh PROGRAMS [GROUPS]      within scripts/private-cluster.sh
set -euo pipefail
bin=$1
groups=${2:-32}
# shellcheck source=tests/pods/cluster.sh
source tests/pods/cluster.sh

touch "$place/seen"
begin_relay
for id in 1 2 3; do start "master-$id"; done
start worker
watch_pods &
pids+=($!)
is_ready() { curl -sf "http://127.0.0.1:2810$1/readyz" >/dev/null; }
for id in 1 2 3; do until_it_is "master $id is ready" is_ready "$id"; done
worker_is_up() { grep -q 'worker started' "$place/worker.log"; }
until_it_is "the worker has started" worker_is_up

players=()
begin_round() { # NAME COUNT: a player of each group asks
  round=$1
  before=$(have_been)
  wanted=$2
  players=()
  for ((i = 1; i <= $2; ++i)); do
    play "$1-$i" &
    players+=($!)
  done
}
end_round() { # [AT-MOST]: pods that there may have been, where one was taken away
  local player most=${1:-$wanted} made
  for player in "${players[@]}"; do wait "$player" || fail "$round: $(tail -n 3 "$place/players.log")"; done
  made=$(($(have_been) - before))
  if [ "$made" -lt "$wanted" ] || [ "$made" -gt "$most" ]; then fail "$round: $made pods for $wanted groups"; fi
  rooms=$(cat "$place/room-$round"-* | sort -u | wc -l)
  [ "$rooms" -eq "$wanted" ] || fail "$round: players of $wanted groups sit in $rooms rooms"
  echo "$round: $wanted groups, $made pods, $((SECONDS - since)) s"
  since=$SECONDS
}
since=$SECONDS
made_at_least() { [ "$(have_been)" -ge $((before + $1)) ]; }
# What was sent to the server waits in its sockets, since it reads nothing.
something_waits() { ss -Htn state established 'sport = :443' | awk '$1 > 0 {found = 1} END {exit !found}'; }

begin_round burst "$groups"
end_round

begin_round deleted 1
until_it_is "there is a pod" made_at_least 1
newest=$(kubectl -n games get pods -l "$mine" --sort-by=.metadata.creationTimestamp -o name | tail -n 1)
kubectl -n games delete "$newest" --wait=false >/dev/null
end_round 2

begin_round cut 3
until_it_is "there is a pod" made_at_least 1
cut_connections
end_round

kill -STOP "$(pid_of api)"
begin_round hangs 3
until_it_is "something was asked" something_waits
sleep 10 # as long as it shall hang
kill -CONT "$(pid_of api)"
end_round

# What a game has told its SDK is there for the worker's next run.
sdk() { # PATH [BODY]: as the game of the first room of the burst asks it, in its pod
  nsenter -n -t "$inside" curl -s -m 20 ${2:+-X PUT -d "$2"} "http://localhost:9358$1"
}
pod=$(kubectl -n games get pods -l "fixkeep.io/room=$(cat "$place/room-burst-1")" -o name)
inside=$(docker inspect -f '{{.State.Pid}}' "$(docker ps -q --no-trunc --filter "label=io.kubernetes.container.name=game" \
  --filter "label=io.kubernetes.pod.name=${pod#pod/}")")
sdk /metadata/label '{"key": "map", "value": "harbour"}' >/dev/null
told() { [ "$(sdk /gameserver | jq -r '.object_meta.labels["agones.dev/sdk-map"]')" = harbour ]; }
until_it_is "the SDK has been told" told

kill -STOP "$(pid_of api)"
begin_round killed 2
until_it_is "an order was sent" something_waits
kill_worker -KILL
kill -CONT "$(pid_of api)"
start worker
end_round
until_it_is "the next run knows what the game had told" told

begin_round restarted 2
until_it_is "there is a pod" made_at_least 1
restart_api
end_round

# The next room's name is that of a pod that is not ours.
last=$(cat "$place"/room-* | sed 's/.*-//' | sort -n | tail -n 1)
object=$(names | sed 's#^pod/##' | grep -E -- "-$last\$" | head -n 1)
for ahead in 1 2 3; do
  kubectl -n games run "${object%-*}-$((last + ahead))" --image=fixkeep-test-tools --image-pull-policy=Never \
    --restart=Never --command -- sleep 600 >/dev/null
done
begin_round taken 1
end_round
grep -q 'that is not ours' "$place/worker.log" || fail "no name was taken"
strangers=$(kubectl -n games get pods -l "run" -o name | wc -l)
[ "$strangers" -eq 3 ] || fail "of three pods that are not ours $strangers are left"
kubectl -n games delete pods -l run --grace-period=0 --force >/dev/null 2>&1

kill_worker -TERM
none() { [ -z "$(names)" ]; }
until_it_is "no pod is left" none
echo "passed"
