#!/usr/bin/env bash
# Of what deploy/kubernetes/rights.yaml allows a worker, one verb after the other is taken away: the
# worker's log says which one on what it lacks, and so does the master's of a player who gets no room
# for it. The player is not told.
#
# Usage: tests/pods/rights_test.sh PROGRAMS      within scripts/private-cluster.sh
set -euo pipefail
bin=$1
cluster=${FIXKEEP_KUBERNETES:?}
place=$(mktemp -d)
pids=()
worker=
allow() { # VERBS OF PODS, VERBS OF LOGS: in JSON
  kubectl -n games patch role fixkeep-worker --type=json -p "[
    {\"op\": \"replace\", \"path\": \"/rules/0/verbs\", \"value\": $1},
    {\"op\": \"replace\", \"path\": \"/rules/1/verbs\", \"value\": $2}]" >/dev/null
}
all='["create","get","list","watch","delete"]'
without() { allow "$(jq -c ". - [\"$1\"]" <<<"$all")" '["get"]'; }
finish() {
  for pid in "${pids[@]}" $worker; do kill -9 "$pid" 2>/dev/null || true; done
  allow "$all" '["get"]'
  kubectl -n games delete pods -l fixkeep.io/cluster=rights --grace-period=0 --force >/dev/null 2>&1
  rm -rf "$place"
}
trap finish EXIT
fail() {
  echo "rights_test: $*" >&2
  tail -n 20 "$place"/*.log >&2
  exit 1
}

cat >"$place/master.json" <<'JSON'
{ "cluster": { "id": "rights", "secret": "a-secret-of-the-test-of-rights" },
  "master": { "id": 1, "zone": "a" },
  "http": { "address": "127.0.0.1", "port": 28131 },
  "mesh": { "listen": "127.0.0.1:28132", "masters": [{ "id": 1, "address": "127.0.0.1:28132" }] },
  "modes": [{ "name": "long", "capacity": 8 }, { "name": "short", "capacity": 1 }] }
JSON
cat >"$place/worker.json" <<JSON
{ "cluster": { "id": "rights", "secret": "a-secret-of-the-test-of-rights" },
  "worker": { "id": "w1", "zone": "a", "address": "127.0.0.1", "state_folder": "$place/state" },
  "masters": [{ "id": 1, "address": "127.0.0.1:28132" }],
  "rooms": { "limit": 20, "runner": "kubernetes", "ports": { "first": 28420, "last": 28439 },
    "kubernetes": { "kubeconfig": "$cluster/worker.json" } },
  "games": [
$(for mode in "long 600" "short 2"; do
  read -r name seconds <<<"$mode"
  echo "    { \"mode\": \"$name\", \"command\": [\"sleep\", \"$seconds\"], \"ready\": [], \"players\": \"for-a-time\",
      \"pod\": { \"spec\": { \"containers\": [{ \"name\": \"game\", \"image\": \"fixkeep-test-tools\",
        \"imagePullPolicy\": \"Never\" }] } } },"
done | sed '$s/,$//')
  ] }
JSON
start_worker() {
  "$bin/fixkeep-worker" --config "$place/worker.json" >>"$place/worker.log" 2>&1 &
  worker=$!
  disown
}
match() { # PLAYER MODE [MILLISECONDS]
  curl -sS -m 120 -d "{\"player_id\":\"$1\",\"mode\":\"$2\",\"wait_ms\":${3:-30000}}" \
    http://127.0.0.1:28131/v1/match 2>/dev/null || true
}
eventually() { # WHAT, COMMAND …: within a minute
  local what=$1
  shift
  for _ in $(seq 600); do
    if "$@"; then return; fi
    sleep 0.1
  done
  fail "$what"
}
has_seat() { [[ $(match "$1" "$2") == *'"port"'* ]]; }
is_refused_for() {
  [[ $(match p9 short 1000) != *"namespace games"* ]] || fail "a player is told of $1"
  grep -q "match refused.*needs the right to $1 pods in namespace games" "$place/master.log"
}
is_logged() { grep -q "needs the right to $1 in namespace games" "$place/worker.log"; }
no_pod_of() { [ -z "$(kubectl -n games get pods -l "fixkeep.io/cluster=rights,fixkeep.io/mode=$1" -o name)" ]; }

"$bin/fixkeep-master" --config "$place/master.json" >"$place/master.log" 2>&1 &
pids+=($!)
disown
start_worker

without create
eventually "the master does not say that create is missing" is_refused_for create
is_logged "create pods" || fail "the log does not say that create is missing"

allow "$all" '["get"]'
eventually "no room although everything is allowed" has_seat p1 long

allow "$all" '["watch"]'
eventually "no room without logs" has_seat p2 short
eventually "the log does not say that logs are missing" is_logged "get pods/log"
eventually "a room without a log does not end" no_pod_of short

without delete
eventually "no room without delete" has_seat p3 short
eventually "the log does not say that delete is missing" is_logged "delete pods"
no_pod_of short && fail "the pod has gone, although nobody may delete it"
allow "$all" '["get"]'
eventually "what could not be removed stays" no_pod_of short

without get
kill -9 "$worker"
start_worker
eventually "the log does not say that get is missing" is_logged "get pods"

without watch
kill -9 "$worker"
start_worker
eventually "the log does not say that watch is missing" is_logged "watch pods"
eventually "the master does not say that watch is missing" is_refused_for watch

without list
kill -9 "$worker"
start_worker
eventually "the log does not say that list is missing" is_logged "list pods"
code=0
timeout 60 tail --pid="$worker" -f /dev/null || code=$?
[ "$code" -eq 0 ] || fail "a worker that may not list its pods goes on"

allow "$all" '["get"]'
before=$(kubectl -n games get pods -l fixkeep.io/mode=long -o 'jsonpath={.items[*].metadata.uid}')
start_worker
eventually "the worker does not go on with everything allowed" has_seat p4 long
after=$(kubectl -n games get pods -l fixkeep.io/mode=long -o 'jsonpath={.items[*].metadata.uid}')
[ "$after" = "${before:-a pod}" ] || fail "another room: $before, then $after"
echo "passed"
