#!/usr/bin/env bash
# The whole way of rooms as containers, in one run: from a match request through
# a boot, a drain, a worker that is killed, and one that is replaced as the package does it, to
# nothing being left.
#
# Usage: tests/containers/whole_way_test.sh PROGRAMS [HOW]      with an engine that answers
#
# HOW is one of
#   inside   the SDK of a room is in the container's own network, which is the usual one
#   outside  the worker is no root, and may use the engine but enter no network
#   host     containers are on the machine's own network
#
# With `rootless` set, a number, the engine belongs to this user, and so does the worker: it enters no network.
set -euo pipefail
bin=$1
how=${2:-inside}
# shellcheck disable=SC2034  # cluster.sh reads both
case $how in
  inside) network=bridge worker_user= ;;
  outside) network=bridge worker_user=65534 ;;
  host) network=host worker_user= ;;
esac
worker_user=${rootless:-$worker_user}
# shellcheck source=tests/containers/cluster.sh
source tests/containers/cluster.sh

networks=$(docker network ls -q | sort)

# --- a request, a boot, a player ------------------------------------------------------------------
start master
start worker
seat ann duel
join ann
duel=$room
echo "a room is ready, and its player inside, at the published port $port"

# localhost in the container is its SDK, and nobody else reaches that; or it wants the room's token.
container=$(container_of "$duel")
variable() { # NAME
  docker inspect --format '{{range .Config.Env}}{{println .}}{{end}}' "$container" |
    sed -n "s/^$1=//p"
}
host=$(variable AGONES_SDK_GRPC_HOST)
inside=$(docker inspect --format '{{.NetworkSettings.IPAddress}}' "$container")
if [ "$how" = outside ]; then
  [ "$host" != localhost ] || fail "a worker that may not enter says that its SDK is inside"
  sdk=http://$host:$(variable AGONES_SDK_HTTP_PORT)/gameserver
  status=$(curl -s -o /dev/null -w '%{http_code}' "$sdk")
  [ "$status" = 401 ] || fail "without a token the SDK at $sdk answers $status"
elif [ "$how" = inside ]; then
  [ "$host" = localhost ] || fail "the SDK is not inside, but at $host"
  for at in "127.0.0.1:9357" "127.0.0.1:9358" "$inside:9357" "$inside:9358"; do
    if timeout 5 bash -c ": >/dev/tcp/${at/:/\/}" 2>/dev/null; then
      fail "somebody else reaches the SDK at $at"
    fi
  done
fi

# --- a drain --------------------------------------------------------------------------------------
seat bob race
join bob
drained=$room
"$bin/fixkeepctl" drain "$drained" --admin http://127.0.0.1:28103 >/dev/null
# The request that comes first may be quicker than the drain.
elsewhere() { seat cid race && [ "$room" != "$drained" ]; }
until_it_is "another room than the one that drains" elsewhere
join cid
race=$room
plays_on bob
leave bob
is_gone() { [ -z "$(docker ps -aq --filter "label=fixkeep.room=$1")" ]; }
until_it_is "the drained room ends with its last player" is_gone "$drained"
echo "a room was drained"

# --- the worker is killed -------------------------------------------------------------------------
goes_on() { # SINCE-LINE: both rooms were found by the run that began there
  [ "$(tail -n "+$1" "$place/worker.log" | grep -c 'room goes on')" -eq 2 ]
}
next_run() { # HOW
  local line from took
  line=$(($(wc -l <"$place/worker.log") + 1))
  from=$(date +%s%3N)
  start worker
  until_it_is "both rooms go on" goes_on "$line"
  took=$(($(date +%s%3N) - from))
  echo "$1, both rooms were found after $took ms"
  # On a machine that others keep busy it takes longer, and says nothing.
  local load
  load=$(cut -d. -f1 /proc/loadavg)
  [ "$took" -le 2000 ] || [ "$load" -gt "$(cores)" ] || fail "that is more than 2 s"
}
before=$(containers)
kill_worker -KILL
[ "$(containers)" = "$before" ] || fail "a container ended with its worker"
next_run "killed"
[ "$(containers)" = "$before" ] || fail "a container was started again: $(containers)"
plays_on ann
seat dan duel
[ "$room" = "$duel" ] || fail "the next player of the group sits in another room"
join dan
seat eve race
[ "$room" = "$race" ] || fail "the next player of the other group sits in another room"

# --- the worker is replaced -----------------------------------------------------------------------
kill_worker -USR2
next_run "replaced"
[ "$(containers)" = "$before" ] || fail "a container was started again: $(containers)"
for player in ann cid dan; do plays_on "$player"; done
seat fay duel
[ "$room" = "$duel" ] || fail "after the upgrade the next player sits in another room"
join fay

! grep 'state in the SDK is lost' "$place/worker.log" || fail "a game has to begin anew"

# --- the end --------------------------------------------------------------------------------------
kill_worker -TERM
for what in "container ls -aq --filter label=fixkeep.cluster" "volume ls -q"; do
  # shellcheck disable=SC2086  # several words
  [ -z "$(docker $what)" ] || fail "left behind: $what: $(docker $what)"
done
[ "$(docker network ls -q | sort)" = "$networks" ] || fail "networks are left behind"
echo "passed"
