#!/usr/bin/env bash
# Real servers as rooms, by the files of configs/games/containers: a player gets a seat in each, and
# at the port that it is told the game itself answers, also one that listens long after its
# container has started. They are published where their players come from and nowhere else, and an
# image that does not exist is named.
#
# Usage: tests/containers/games_test.sh PROGRAMS      with an engine that answers
set -euo pipefail
bin=$1
games=configs/games/containers
place=$(mktemp -d)
mine=label=fixkeep.cluster=real-games
pids=()
finish() {
  for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
  docker ps -aq --filter "$mine" | xargs -r docker rm -fv >/dev/null
  rm -rf "$place"
}
trap finish EXIT
fail() {
  echo "games_test: $*" >&2
  tail -n 20 "$place"/*.log >&2
  exit 1
}
for game in teeworlds freeciv; do
  timeout 120 docker build -q --network host -t "fixkeep-$game" - <"$games/$game.Dockerfile" >"$place/build.log" 2>&1 ||
    fail "the image of $game cannot be built"
done

cat >"$place/master.json" <<'JSON'
{ "cluster": { "id": "real-games", "secret": "a-secret-of-the-test-of-real-games" },
  "master": { "id": 1, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": 28121 },
  "mesh": { "listen": "127.0.0.1:28122", "masters": [{ "id": 1, "address": "127.0.0.1:28122" }] },
  "modes": [{ "name": "teeworlds", "capacity": 8 }, { "name": "freeciv", "capacity": 8 },
            { "name": "late", "capacity": 8 }, { "name": "misspelt", "capacity": 8 }] }
JSON
# shellcheck disable=SC2016  # it is Perl
late='sleep 3; my $s = IO::Socket::INET->new(LocalPort => 7777, Listen => 9) or die;
  my @in; while (my $c = $s->accept) { print $c qq(here\n); $c->flush; push @in, $c }'
cat >"$place/worker.json" <<JSON
{ "cluster": { "id": "real-games", "secret": "a-secret-of-the-test-of-real-games" },
  "worker": { "id": "w1", "zone": "a", "address": "127.0.0.1", "state_folder": "$place/state" },
  "masters": [{ "id": 1, "address": "127.0.0.1:28122" }],
  "rooms": { "limit": 20, "runner": "docker", "ports": { "first": 28220, "last": 28239 } },
  "game_files": ["$PWD/$games/teeworlds.json", "$PWD/$games/freeciv.json"],
  "games": [
    { "mode": "late", "command": ["perl", "-MIO::Socket::INET", "-e", "$(tr '\n' ' ' <<<"$late")"],
      "container": { "image": "debian:bookworm-slim", "publish": { "port": 7777 } },
      "probes": { "port": { "by": "tcp" } }, "ready": ["port"] },
    { "mode": "misspelt", "command": [], "container": { "image": "fixkeep-teewrolds" },
      "ready": [] }] }
JSON
start() { # ROLE
  "$bin/fixkeep-$1" --config "$place/$1.json" >>"$place/$1.log" 2>&1 &
  pids+=($!)
  [ "$1" = worker ] || disown
}
match() { # MODE
  curl -sS -m 60 --retry "${2:-20}" --retry-connrefused \
    -d "{\"player_id\":\"ann-$1\",\"mode\":\"$1\"}" http://127.0.0.1:28121/v1/match
}
asked() { # MODE QUERY: what the game says at the port of a seat
  local seat port
  seat=$(match "$1") || fail "no master answers"
  [[ $seat =~ \"port\":([0-9]+) ]] || fail "no seat in $1: $seat"
  port=${BASH_REMATCH[1]}
  python3 tests/containers/game_query.py "$2" 127.0.0.1 "$port" ||
    fail "nothing of $1 answers at port $port"
}
says() { # MODE QUERY PART: of what the game says
  local said
  said=$(asked "$1" "$2") || exit 1
  [[ $said == *"$3"* ]] || fail "$1: no \"$3\" in \"$said\""
  echo "$1: $said"
}

start master
start worker
says teeworlds teeworlds "map dm"
says freeciv freeciv "joined True"
says late text here

published=$(docker ps --filter "$mine" --format '{{.Ports}}')
grep -q '127\.0\.0\.1:[0-9]*->7777/tcp' <<<"$published" || fail "nothing is published: $published"
! grep -Eq '(0\.0\.0\.0|::|\]):' <<<"$published" || fail "others reach a room: $published"

[[ $(match misspelt 0) != *'"port"'* ]] || fail "there is a seat in a room of no image"
grep -q 'image=fixkeep-teewrolds' "$place/worker.log" || fail "the log does not name the image"

# Nothing is left, and it has not ended by a signal, or after waiting for nothing.
from=$SECONDS
kill "${pids[1]}"
wait "${pids[1]}" || fail "the worker ended with code $?"
[ $((SECONDS - from)) -lt 60 ] || fail "the worker took $((SECONDS - from)) s to end"
for _ in $(seq 300); do
  [ -z "$(docker ps -aq --filter "$mine")" ] && break
  sleep 0.1
done
[ -z "$(docker ps -aq --filter "$mine")" ] || fail "containers are left"
echo "passed"
