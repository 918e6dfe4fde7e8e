#!/usr/bin/env bash
# A worker is killed in each step of the start of a container, and its next run finds what it has
# left: the player gets a seat, no order becomes two containers, and one game has run.
#
# Usage: tests/containers/starts_test.sh PROGRAMS      with an engine that answers
set -euo pipefail
bin=$1
# shellcheck source=tests/containers/cluster.sh
source tests/containers/cluster.sh

sed -i "s#\"runner\": \"docker\"#&, \"engine_socket\": \"$place/engine\"#" "$place/worker.json"
sed -i 's#"capacity": 4#"capacity": 1#' "$place/master.json"
python3 tests/containers/engine_relay.py "$place/engine" /var/run/docker.sock "$place/orders" \
  >"$place/relay.log" 2>&1 &
pids+=($!)
disown
until_it_is "the relay listens" test -S "$place/engine"

events() { # SINCE EVENT: the orders whose containers it has happened to
  docker events --since "$1" --until "$(date +%s.%N)" --filter label=fixkeep.cluster=containers \
    --filter "event=$2" --format '{{index .Actor.Attributes "fixkeep.creation"}}'
}
start master
start worker
seat player-1 duel
join player-1

players=1
while read -r when request; do
  players=$((players + 1))
  since=$(date +%s.%N)
  echo "$when $pid_of_worker $request" >"$place/orders.new"
  mv "$place/orders.new" "$place/orders"
  match "player-$players" duel >/dev/null &
  until_it_is "the worker is killed $when $request" worker_has_ended
  start worker
  seat "player-$players" duel
  join "player-$players" # and stays, or its seat would be the next player's
  plays_on "player-$players"

  twice=$(events "$since" create | sort | uniq -d)
  [ -z "$twice" ] || fail "killed $when $request: two containers of the order $twice"
  ran=$(events "$since" start | wc -l)
  [ "$ran" -eq 1 ] || fail "killed $when $request: $ran games have run"
  # Those of earlier players have gone on.
  [ "$(containers | wc -l)" -eq "$players" ] || fail "killed $when $request: $(containers)"
  echo "killed $when $request: one container"
done <<'STEPS'
before POST /v[0-9.]+/containers/create
after POST /v[0-9.]+/containers/create
before PUT /v[0-9.]+/containers/.*/archive
after PUT /v[0-9.]+/containers/.*/archive
before POST /v[0-9.]+/containers/.*/start
after POST /v[0-9.]+/containers/.*/start
before GET /v[0-9.]+/containers/.*/json
after GET /v[0-9.]+/containers/.*/json
STEPS
kill_worker -TERM
[ -z "$(docker ps -aq)" ] || fail "containers are left"
echo "passed"
