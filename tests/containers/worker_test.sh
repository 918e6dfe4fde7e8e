#!/usr/bin/env bash
# A whole worker whose rooms are containers in a bridge network: a player gets a seat in one, the
# worker is killed and started again, and the same container goes on and takes the next player.
#
# Usage: tests/containers/worker_test.sh PROGRAMS      with an engine that answers
set -euo pipefail
bin=$1
place=$(mktemp -d)
image=debian:bookworm-slim
pids=()
finish() {
  for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
  docker ps -aq --filter label=fixkeep.cluster=containers | xargs -r docker rm -fv >/dev/null
  rm -rf "$place"
}
trap finish EXIT
fail() {
  echo "worker_test: $*" >&2
  tail -n 20 "$place"/*.log >&2
  exit 1
}

cat >"$place/master.json" <<'JSON'
{ "cluster": { "id": "containers", "secret": "a-secret-of-the-test-of-containers" },
  "master": { "id": 1, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": 28101 },
  "mesh": { "listen": "127.0.0.1:28102", "masters": [{ "id": 1, "address": "127.0.0.1:28102" }] },
  "modes": [{ "name": "duel", "capacity": 8 }] }
JSON
cat >"$place/worker.json" <<JSON
{ "cluster": { "id": "containers", "secret": "a-secret-of-the-test-of-containers" },
  "worker": { "id": "w1", "zone": "a", "address": "127.0.0.1", "state_folder": "$place/state" },
  "masters": [{ "id": 1, "address": "127.0.0.1:28102" }],
  "rooms": { "limit": 20, "runner": "docker", "ports": { "first": 28200, "last": 28219 } },
  "games": [{ "mode": "duel", "command": ["perl", "-MIO::Socket::INET", "-e",
      "my \$s = IO::Socket::INET->new(LocalPort => 7777, Listen => 9) or die; my @in; while (my \$c = \$s->accept) { push @in, \$c }"],
    "container": { "image": "$image", "publish": { "port": 7777 }, "read_only": true },
    "probes": { "port": { "by": "tcp" } }, "ready": ["port"] }] }
JSON
start() { # ROLE
  "$bin/fixkeep-$1" --config "$place/$1.json" >>"$place/$1.log" 2>&1 &
  pids+=($!)
  disown
}
match() { # PLAYER
  curl -sS -m 60 -H 'Content-Type: application/json' -d "{\"player_id\":\"$1\",\"mode\":\"duel\"}" \
    http://127.0.0.1:28101/v1/match
}
containers() { docker ps -q --no-trunc --filter label=fixkeep.cluster=containers; }
now_ms() { date +%s%3N; }

start master
start worker
for _ in $(seq 300); do
  seat=$(match p1 2>/dev/null) && [[ $seat == *'"port"'* ]] && break
  sleep 0.1
done
[[ $seat == *'"port"'* ]] || fail "no seat: $seat"
before=$(containers)
[ "$(wc -w <<<"$before")" -eq 1 ] || fail "there is not one container: $before"

kill -9 "${pids[1]}"
sleep 1
[ "$(containers)" = "$before" ] || fail "the container ended with its worker"
from=$(now_ms)
start worker
for _ in $(seq 300); do
  grep -q 'room goes on' "$place/worker.log" && break
  sleep 0.02
done
echo "adopted after $(($(now_ms) - from)) ms"
sleep 2
[ "$(containers)" = "$before" ] || fail "the container was not adopted"
seat=$(match p2)
[[ $seat == *'"port":28200'* || $seat == *'"port": 28200'* ]] || fail "another room for p2: $seat"

kill "${pids[2]}"
for _ in $(seq 300); do
  [ -z "$(docker ps -aq --filter label=fixkeep.cluster=containers)" ] && break
  sleep 0.1
done
[ -z "$(docker ps -aq --filter label=fixkeep.cluster=containers)" ] || fail "containers are left"
echo "passed"
