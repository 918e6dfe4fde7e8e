#!/usr/bin/env bash
# A whole worker whose rooms are pods: a player gets a seat in one and reaches it where he is told, the
# worker is killed and started again, and the same pod goes on and takes the next player.
#
# Usage: tests/pods/worker_test.sh PROGRAMS      within scripts/private-cluster.sh
set -euo pipefail
# shellcheck source=scripts/lib.sh
source scripts/lib.sh
bin=$1
cluster=${FIXKEEP_KUBERNETES:?}
place=$(mktemp -d)
game=$(realpath "$bin/fixkeep-demo-game")
import_image fixkeep-pod-game "$game"
pids=()
pods() { kubectl -n games get pods -l fixkeep.io/cluster=pods -o "jsonpath={.items[*].metadata.uid}"; }
finish() {
  for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
  kubectl -n games delete pods -l fixkeep.io/cluster=pods --grace-period=1 >/dev/null
  rm -rf "$place"
}
trap finish EXIT
fail() {
  echo "worker_test: $*" >&2
  tail -n 20 "$place"/*.log >&2
  exit 1
}

cat >"$place/master.json" <<'JSON'
{ "cluster": { "id": "pods", "secret": "a-secret-of-the-test-of-pods" },
  "master": { "id": 1, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": 28111 },
  "mesh": { "listen": "127.0.0.1:28112", "masters": [{ "id": 1, "address": "127.0.0.1:28112" }] },
  "modes": [{ "name": "duel", "capacity": 8 }, { "name": "broken", "capacity": 8 }] }
JSON
cat >"$place/worker.json" <<JSON
{ "cluster": { "id": "pods", "secret": "a-secret-of-the-test-of-pods" },
  "worker": { "id": "w1", "zone": "a", "address": "127.0.0.1", "state_folder": "$place/state" },
  "masters": [{ "id": 1, "address": "127.0.0.1:28112" }],
  "rooms": { "limit": 20, "runner": "kubernetes", "ports": { "first": 28400, "last": 28419 },
    "kubernetes": { "kubeconfig": "$cluster/worker.json", "addresses": { "10.77.0.1": "localhost" } } },
  "games": [
    { "mode": "duel", "command": ["$game", "--port", "7777"],
      "pod": { "spec": { "shareProcessNamespace": true, "containers": [{ "name": "game",
        "image": "fixkeep-pod-game", "imagePullPolicy": "Never", "ports": [{ "containerPort": 7777 }] }] } },
      "boot_timeout_ms": 120000,
      "probes": { "port": { "by": "tcp" } }, "ready": ["port"] },
    { "mode": "broken", "command": [],
      "pod": { "spec": { "containers": [{ "image": "127.0.0.1:1/no/such:image" }] } } }] }
JSON
start() { # ROLE
  "$bin/fixkeep-$1" --config "$place/$1.json" >>"$place/$1.log" 2>&1 &
  pids+=($!)
  disown
}
match() { # PLAYER [MODE]
  curl -sS -m 120 -H 'Content-Type: application/json' -d "{\"player_id\":\"$1\",\"mode\":\"${2:-duel}\"}" \
    http://127.0.0.1:28111/v1/match
}

start master
start worker
for _ in $(seq 300); do
  seat=$(match p1 2>/dev/null) && [[ $seat == *'"port"'* ]] && break
  sleep 0.1
done
[[ $seat == *'"port"'* ]] || fail "no seat: $seat"
[ "$(jq -r .address <<<"$seat")" = localhost ] || fail "another host: $seat"
port=$(jq -r .port <<<"$seat")
exec {socket}<>"/dev/tcp/127.0.0.1/$port" || fail "nobody listens at port $port"
echo "JOIN $(jq -r .seat_token <<<"$seat")" >&"$socket"
IFS= read -r -t 60 said <&"$socket" || true
[[ $said == "WELCOME p1 "* ]] || fail "the room at port $port says: $said"
exec {socket}>&-
before=$(pods)
[ "$(wc -w <<<"$before")" -eq 1 ] || fail "there is not one pod: $before"

kill -9 "${pids[1]}"
sleep 1
[ "$(pods)" = "$before" ] || fail "the pod ended with its worker"
start worker
for _ in $(seq 300); do
  seat=$(match p2 2>/dev/null) && [[ $seat == *'"port"'* ]] && break
  sleep 0.1
done
[ "$(jq -r .port <<<"$seat")" = "$port" ] || fail "another room for p2: $seat"
[[ $(pods) == *"$before"* ]] || fail "the pod was not adopted: $(pods)"

match p9 broken >"$place/broken" 2>&1 || true
for _ in $(seq 600); do
  grep -q ErrImage "$place/worker.log" && break
  sleep 0.1
done
grep -q ErrImage "$place/worker.log" || fail "nobody says why: $(cat "$place/broken")"

kill "${pids[2]}"
for _ in $(seq 600); do
  [ -z "$(pods)" ] && break
  sleep 0.1
done
[ -z "$(pods)" ] || fail "pods are left: $(pods)"
echo "passed"
