#!/usr/bin/env bash
# Takes rooms from a fleet whose servers are objects of a real API server of Kubernetes, which it
# starts and ends: the suite of all runners, and a thousand requests of which a part is lost. What
# Agones does with these objects a stand-in does (tests/fleets).
#
# The first time it builds Kubernetes, as scripts/kubernetes.sh does.
#
# Usage: scripts/fleets.sh [ARGUMENT of GoogleTest …]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh
programs=${FIXKEEP_KUBERNETES_PROGRAMS:-$HOME/.cache/fixkeep/kubernetes}

scripts/setup.sh --only kubernetes
scripts/kubernetes-build.sh "$programs"
build release unit_worker_runner
place=$(mktemp -d)
ids=()
# shellcheck disable=SC2317  # it is called by the trap
finish() {
  # Nothing of them is to be kept, and an API server waits long for one that has gone.
  kill -KILL "${ids[@]}" 2>/dev/null || true
  wait "${ids[@]}" 2>/dev/null || true
  rm -rf "$place"
}
trap finish EXIT
run() { # NAME PROGRAM ARGUMENT …
  "${@:2}" >"$place/$1.log" 2>&1 </dev/null &
  ids+=($!)
}
eventually() { # COMMAND …
  for _ in $(seq 240); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.5
  done
  tail -n 5 "$place"/*.log >&2
  exit 1
}

port=$((21000 + $$ % 3000 * 3))
openssl genrsa -out "$place/sa.key" 2048 2>/dev/null
openssl rsa -in "$place/sa.key" -pubout -out "$place/sa.pub" 2>/dev/null
echo 'token-of-the-admin,admin,1,"system:masters"' >"$place/tokens.csv"
run etcd etcd --data-dir "$place/etcd" --unsafe-no-fsync \
  --listen-client-urls "http://127.0.0.1:$port" --advertise-client-urls "http://127.0.0.1:$port" \
  --listen-peer-urls "http://127.0.0.1:$((port + 1))" \
  --initial-advertise-peer-urls "http://127.0.0.1:$((port + 1))" \
  --initial-cluster "default=http://127.0.0.1:$((port + 1))"
run api "$programs/kube-apiserver" "--etcd-servers=http://127.0.0.1:$port" "--secure-port=$((port + 2))" \
  --bind-address=127.0.0.1 "--cert-dir=$place/certs" \
  --service-account-issuer=https://kubernetes.default.svc \
  "--service-account-signing-key-file=$place/sa.key" "--service-account-key-file=$place/sa.pub" \
  "--token-auth-file=$place/tokens.csv" --authorization-mode=RBAC \
  --service-cluster-ip-range=10.96.0.0/16
eventually test -s "$place/certs/apiserver.crt"
jq -n --arg ca "$(base64 -w0 "$place/certs/apiserver.crt")" --arg server "https://127.0.0.1:$((port + 2))" \
  '{"apiVersion":"v1","kind":"Config","current-context":"x",
    "clusters":[{"name":"c","cluster":{"server":$server,"certificate-authority-data":$ca}}],
    "users":[{"name":"u","user":{"token":"token-of-the-admin"}}],
    "contexts":[{"name":"x","context":{"cluster":"c","user":"u","namespace":"games"}}]}' >"$place/admin.json"
export KUBECONFIG=$place/admin.json
eventually kubectl get --raw /readyz
eventually kubectl create namespace games
kubectl apply -f tests/fleets/agones.yaml
eventually kubectl -n games get gameservers,fleets
FIXKEEP_FLEET_API=$place/admin.json build/release/bin/unit_worker_runner --gtest_brief=1 \
  --gtest_filter='*agones*:LostReplies.*' "$@"
# The fleet is still there, which is how one sees that it was this server's.
kubectl -n games get fleet duel >/dev/null
