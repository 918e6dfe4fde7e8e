# shellcheck shell=bash
# A master and a worker whose rooms are containers, each with a demo game that listens at port 7777
# inside. Source it from the root of the repository with `bin` set; it needs an engine that answers.
# `network` is that of the containers. With `worker_user` set, a number, the worker is that user and
# may use the engine, and no more. `runner` is docker unless it is set. What the script starts ends with it, and what it has written goes.

# shellcheck source=scripts/lib.sh
source scripts/lib.sh

: "${bin:?}"
network=${network:-bridge}
place=$(mktemp -d)
game=$(realpath "$bin/fixkeep-demo-game")
image=fixkeep-whole-way
# Packets from the machine to this address of its own are routed as those of players are; those to
# 127.0.0.1 would take a way of their own.
address=10.77.0.1
api=http://127.0.0.1:28101
patience=60 # seconds, for what has to come
pids=()

finish() {
  for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
  docker ps -aq --filter label=fixkeep.cluster=containers | xargs -r docker rm -fv >/dev/null
  rm -rf "$place"
}
trap finish EXIT

fail() {
  echo "$(basename "$0"): $*" >&2
  tail -n 20 "$place"/*.log >&2
  exit 1
}

cat >"$place/master.json" <<JSON
{ "cluster": { "id": "containers", "secret": "a-secret-of-the-test-of-containers" },
  "master": { "id": 1, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": 28101 },
  "admin": { "address": "127.0.0.1", "port": 28103 },
  "mesh": { "listen": "127.0.0.1:28102", "masters": [{ "id": 1, "address": "127.0.0.1:28102" }] },
  "modes": [{ "name": "duel", "capacity": 4 }, { "name": "race", "capacity": 4 }] }
JSON
described() { # MODE
  local at='{port}'
  [ "$network" = host ] || at=7777
  echo "{ \"mode\": \"$1\", \"command\": [\"$game\", \"--port\", \"$at\"], \"container\": {
    \"image\": \"$image\", \"network\": \"$network\", \"publish\": { \"port\": 7777 }, \"read_only\": true } }"
}
cat >"$place/worker.json" <<JSON
{ "cluster": { "id": "containers", "secret": "a-secret-of-the-test-of-containers" },
  "worker": { "id": "w1", "zone": "a", "address": "$address", "state_folder": "$place/state" },
  "masters": [{ "id": 1, "address": "127.0.0.1:28102" }],
  "rooms": { "limit": 20, "runner": "${runner:-docker}", "ports": { "first": 28200, "last": 28219 } },
  "games": [$(described duel), $(described race)] }
JSON

ip address add "$address/32" dev lo 2>/dev/null || true
import_image "$image" "$game"

as_worker=()
if [ -n "${worker_user:-}" ]; then
  groups=--clear-groups
  [ "${runner:-docker}" != docker ] || groups=--groups=$(stat -Lc %g /var/run/docker.sock)
  as_worker=(setpriv "--reuid=$worker_user" "--regid=$worker_user" "$groups")
  mkdir "$place/state"
  chown "$worker_user" "$place/state"
  chmod 755 "$place"
fi

pid_of_worker=
start() { # ROLE
  local as=()
  [ "$1" != worker ] || as=("${as_worker[@]}")
  "${as[@]}" "$bin/fixkeep-$1" --config "$place/$1.json" >>"$place/$1.log" 2>&1 &
  pids+=($!)
  [ "$1" != worker ] || pid_of_worker=$!
  disown
}
# until_it_is WHAT COMMAND…: until the command succeeds
until_it_is() {
  local what=$1 end=$((SECONDS + patience))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || fail "not within $patience s: $what"
    sleep 0.05
  done
}
worker_has_ended() { ! kill -0 "$pid_of_worker" 2>/dev/null; }
kill_worker() { # SIGNAL: and waits until it has ended
  kill "$1" "$pid_of_worker"
  until_it_is "the worker ends by $1" worker_has_ended
}
match() { # PLAYER MODE: the answer
  curl -sS -m 60 -H 'Content-Type: application/json' -d "{\"player_id\":\"$1\",\"mode\":\"$2\"}" \
    "$api/v1/match" 2>/dev/null
}
value_of() { # NAME JSON
  sed -n "s/.*\"$1\" *: *\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$2" | head -n 1
}
seated() { # PLAYER MODE
  answer=$(match "$1" "$2") && [[ $answer == *'"seat_token"'* ]]
}
seat() { # PLAYER MODE: sets `room`, `port` and `token`
  local answer
  until_it_is "a seat for $1" seated "$@"
  room=$(value_of room_id "$answer")
  port=$(value_of port "$answer")
  token=$(value_of seat_token "$answer")
}
declare -A socket_of # by player
# The line that the game says to a player. It ends the test if none comes.
hear() { # PLAYER
  local line
  IFS= read -r -t "$patience" line <&"${socket_of[$1]}" || fail "the game says nothing to $1"
  echo "$line"
}
join() { # PLAYER: goes in at the published port with what seat() has set, and stays
  local socket said
  exec {socket}<>"/dev/tcp/$address/$port"
  socket_of[$1]=$socket
  echo "JOIN $token" >&"$socket"
  said=$(hear "$1")
  [ "$said" = "WELCOME $1 $room" ] || fail "the game says to $1: $said"
}
plays_on() { # PLAYER
  echo PING >&"${socket_of[$1]}"
  [ "$(hear "$1")" = PONG ] || fail "the connection of $1 has not outlived it"
}
leave() { # PLAYER
  local socket=${socket_of[$1]}
  exec {socket}>&-
}
# Number, process and beginning of each container.
containers() {
  docker ps -q --no-trunc --filter label=fixkeep.cluster=containers |
    xargs -r docker inspect --format '{{.Id}} {{.State.Pid}} {{.State.StartedAt}}' | sort
}
container_of() { # ROOM
  docker ps -q --no-trunc --filter "label=fixkeep.room=$1"
}
