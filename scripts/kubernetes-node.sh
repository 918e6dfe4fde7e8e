#!/usr/bin/env bash
# A cluster of one node on this machine: etcd, API server, scheduler, controllers, and a kubelet over
# the Docker engine. Its pods are real.
#
# Usage: scripts/kubernetes-node.sh start PROGRAMS FOLDER   PROGRAMS: of kubernetes-build.sh
#        scripts/kubernetes-node.sh stop FOLDER             ends what start has started, and its pods
#
# FOLDER has afterwards: admin.conf, for kubectl; worker.json, a kubeconfig of a user who may do what
# a worker has to, in the namespace "games", and nothing else; stranger.json, of one who may nothing.
set -euo pipefail

start() {
  local bin ip=127.0.0.1
  bin=$(cd "$1" && pwd)
  mkdir -p "$2"
  cd "$2"
  # It ends when it is told to: a kubelet waits ten seconds for one that does not.
  docker image inspect fixkeep-sandbox >/dev/null 2>&1 ||
    printf 'FROM debian:bookworm-slim\nCMD ["sh","-c","trap exit TERM; sleep infinity & wait"]\n' |
    docker build -q -t fixkeep-sandbox - >/dev/null 2>&1
  openssl genrsa -out sa.key 2048 2>/dev/null
  openssl rsa -in sa.key -pubout -out sa.pub 2>/dev/null
  cat >tokens.csv <<'T'
token-of-the-admin,admin,1,"system:masters"
token-of-the-worker,worker,2
token-of-the-stranger,stranger,3
T
  cat >admin.conf <<'K'
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:16443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: token-of-the-admin}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
K
  : >pids
  run etcd etcd --data-dir etcd --unsafe-no-fsync --listen-client-urls http://127.0.0.1:12379 \
    --advertise-client-urls http://127.0.0.1:12379 --listen-peer-urls http://127.0.0.1:12380 \
    --initial-advertise-peer-urls http://127.0.0.1:12380 --initial-cluster default=http://127.0.0.1:12380
  run api "$bin/kube-apiserver" --etcd-servers=http://127.0.0.1:12379 --secure-port=16443 \
    --bind-address=127.0.0.1 --cert-dir=certs --service-account-issuer=https://kubernetes.default.svc \
    --service-account-signing-key-file=sa.key --service-account-key-file=sa.pub --token-auth-file=tokens.csv \
    --authorization-mode=RBAC --service-cluster-ip-range=10.96.0.0/16
  export KUBECONFIG=$PWD/admin.conf
  eventually kubectl get --raw /readyz
  run controllers "$bin/kube-controller-manager" --kubeconfig=admin.conf \
    --service-account-private-key-file=sa.key --leader-elect=false
  run scheduler "$bin/kube-scheduler" --kubeconfig=admin.conf --leader-elect=false
  # Images are the engine's, which others use too: none is removed for want of room.
  run kubelet "$bin/kubelet" --kubeconfig=admin.conf --container-runtime=docker \
    --pod-infra-container-image=fixkeep-sandbox --fail-swap-on=false --cgroup-driver=cgroupfs \
    --root-dir="$PWD/kubelet" --hostname-override=$ip --eviction-hard= --enforce-node-allocatable= \
    --image-gc-high-threshold=100
  eventually node_is_ready
  kubectl create namespace games >/dev/null
  eventually kubectl -n games get serviceaccount default
  kubectl -n games create role worker --verb=create,get,list,watch,delete --resource=pods >/dev/null
  kubectl -n games create role worker-logs --verb=get --resource=pods/log >/dev/null
  for role in worker worker-logs; do
    kubectl -n games create rolebinding "$role" --role="$role" --user=worker >/dev/null
  done
  for user in worker stranger; do
    jq -n --arg ca "$(base64 -w0 certs/apiserver.crt)" --arg token "token-of-the-$user" \
      '{"apiVersion":"v1","kind":"Config","current-context":"x",
        "clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:16443","certificate-authority-data":$ca}}],
        "users":[{"name":"u","user":{"token":$token}}],
        "contexts":[{"name":"x","context":{"cluster":"c","user":"u","namespace":"games"}}]}' >"$user.json"
  done
}

run() { # NAME PROGRAM ARGUMENT …
  local name=$1
  shift
  setsid "$@" >"$name.log" 2>&1 </dev/null &
  echo $! >>pids
}
node_is_ready() { kubectl get nodes 2>/dev/null | grep -q ' Ready '; }
eventually() { # COMMAND …
  for _ in $(seq 240); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.5
  done
  tail -n 5 ./*.log >&2
  exit 1
}

stop() {
  cd "$1"
  KUBECONFIG=$PWD/admin.conf timeout 40 kubectl delete pods --all --all-namespaces --grace-period=1 \
    --wait=true >/dev/null 2>&1 || true
  # The kubelet first, since it needs the others.
  tac pids | while read -r id; do kill "$id" 2>/dev/null || true; done
  sleep 2
  grep -oE '^\S+ \S*'"$PWD"'/kubelet\S*' /proc/mounts | awk '{print $2}' | sort -r | xargs -r umount 2>/dev/null || true
  rm -f pids
}

case ${1:-} in
  start) start "$2" "$3" ;;
  stop) stop "$2" ;;
  *)
    sed -n '5,6p' "$0" >&2
    exit 2
    ;;
esac
