#!/usr/bin/env bash
# Runs a command with a separate Kubernetes cluster. The cluster has one node with real pods: etcd, API
# server, scheduler, controllers, a kubelet over the engine of scripts/private-engine.sh, services by
# kube-proxy and their names by dnsmasq. All of them run in the namespaces of that engine. The cluster
# therefore disturbs no other cluster and leaves nothing behind. The first run builds Kubernetes
# (scripts/kubernetes-build.sh). The programs remain in ~/.cache/fixkeep/kubernetes, or in
# $FIXKEEP_KUBERNETES_PROGRAMS.
#
# The folder $FIXKEEP_KUBERNETES has these files for the command: admin.json, which is also $KUBECONFIG;
# worker.json, a kubeconfig with only the rights that deploy/kubernetes gives a worker in the namespace
# "games"; stranger.json, a kubeconfig without rights; "pids"; and the commands and logs of the cluster's
# programs.
# The node has the address 10.77.0.1. A pod reaches the API server at 10.96.0.1, as in any cluster.
#
# Usage: scripts/private-cluster.sh COMMAND [ARGUMENT …]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

programs=${FIXKEEP_KUBERNETES_PROGRAMS:-$HOME/.cache/fixkeep/kubernetes}
patience=300 # the longest wait, in seconds
node=10.77.0.1
service=10.96.0.1 # that the API server has in the cluster

if [ "${1:-}" != --inside ]; then
  [ $# -gt 0 ] || fail "which command?"
  scripts/setup.sh --only kubernetes
  scripts/kubernetes-build.sh "$programs"
  exec scripts/private-engine.sh "$0" --inside "$@"
fi
shift

run() { # NAME PROGRAM ARGUMENT …
  printf '%q ' "${@:2}" >"$place/$1.command" # to start it again, in this folder
  setsid "${@:2}" >"$place/$1.log" 2>&1 </dev/null &
  echo "$1 $!" >>"$place/pids"
  disown
}
eventually() { # COMMAND …
  local end=$((SECONDS + patience))
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || {
      tail -n 5 "$place"/*.log >&2
      fail "not within $patience s: $*"
    }
    sleep 0.2
  done
}
# The names of services, and of pods in headless ones, after every change, for the server of names. The
# API server may be away, or killed.
names() { # ITS ID
  while kill -0 "$1"; do
    kubectl get endpoints --all-namespaces --watch --no-headers | while read -r _; do
      # shellcheck disable=SC2016  # the variables are those of jq
      kubectl get services,endpoints --all-namespaces -o json | jq -r '
        .items as $all | $all[] | select(.kind == "Service") | .metadata as $its |
        "\($its.name).\($its.namespace).svc.cluster.local" as $name |
        if .spec.clusterIP != "None" then "\(.spec.clusterIP) \($name)" else
          $all[] | select(.kind == "Endpoints" and .metadata.name == $its.name and
                          .metadata.namespace == $its.namespace) |
          .subsets[]?.addresses[]? | "\(.ip) \($name)", "\(.ip) \(.hostname // empty).\($name)"
        end' >"$place/hosts.new" || continue
      cmp -s "$place/hosts" "$place/hosts.new" && continue
      cp "$place/hosts.new" "$place/hosts"
      kill -HUP "$1"
    done || true
    sleep 0.5
  done
}
node_is_ready() { grep -q ' Ready ' <<<"$(kubectl get nodes 2>/dev/null)"; }

place=/run/fixkeep-cluster # which is ours alone, in memory
mkdir "$place"
mount -t tmpfs tmpfs /var/log # where a kubelet writes, wherever its folder is
export FIXKEEP_KUBERNETES=$place KUBECONFIG=$place/admin.json
# A kubelet requires these kernel settings, which belong to the whole machine. The kubelet sets no value
# that already reads as required.
while read -r value setting; do
  echo "$value" >"$place/${setting##*/}"
  mount --bind "$place/${setting##*/}" "/proc/sys/$setting"
done <<'SETTINGS'
1 vm/overcommit_memory
0 vm/panic_on_oom
10 kernel/panic
1 kernel/panic_on_oops
1000000 kernel/keys/root_maxkeys
25000000 kernel/keys/root_maxbytes
SETTINGS
for address in "$node" "$service"; do ip address add "$address/32" dev lo; done
ip route add 10.96.0.0/16 dev docker0 # services, whose addresses nobody has
# This sandbox ends when it is asked to. A kubelet would wait ten seconds for another sandbox.
printf 'FROM fixkeep-test-tools\nCMD ["sh","-c","trap exit TERM; sleep infinity & wait"]\n' |
  docker build -q -t fixkeep-sandbox - >/dev/null 2>&1

cd "$place"
openssl genrsa -out sa.key 2048 2>/dev/null
openssl rsa -in sa.key -pubout -out sa.pub 2>/dev/null
for user in admin worker stranger; do echo "token-of-the-$user,$user,$user"; done >tokens.csv
sed -i '1s/$/,"system:masters"/' tokens.csv
run etcd etcd --data-dir etcd --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 \
  --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380 \
  --initial-advertise-peer-urls http://127.0.0.1:2380 --initial-cluster default=http://127.0.0.1:2380
run api "$programs/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --secure-port=443 \
  "--advertise-address=$node" --cert-dir=certs --service-account-issuer=https://kubernetes.default.svc \
  --service-account-signing-key-file=sa.key --service-account-key-file=sa.pub --token-auth-file=tokens.csv \
  --authorization-mode=RBAC --service-cluster-ip-range=10.96.0.0/16
eventually test -s certs/apiserver.crt
for user in admin worker stranger; do
  jq -n --arg ca "$(base64 -w0 certs/apiserver.crt)" --arg token "token-of-the-$user" --arg server "https://$node" \
    '{"apiVersion":"v1","kind":"Config","current-context":"x",
      "clusters":[{"name":"c","cluster":{"server":$server,"certificate-authority-data":$ca}}],
      "users":[{"name":"u","user":{"token":$token}}],
      "contexts":[{"name":"x","context":{"cluster":"c","user":"u","namespace":"games"}}]}' >"$user.json"
done
eventually kubectl get --raw /readyz
run controllers "$programs/kube-controller-manager" --kubeconfig=admin.json \
  --service-account-private-key-file=sa.key --root-ca-file=certs/apiserver.crt --leader-elect=false
run scheduler "$programs/kube-scheduler" --kubeconfig=admin.json --leader-elect=false
# Other programs share this machine's disk and control groups. The kubelet therefore evicts no pod for
# lack of disk space, and searches no pods in control groups. It notices changes of a starting pod only
# at the next check of all pods, which by default comes once a minute.
run kubelet "$programs/kubelet" --kubeconfig=admin.json --container-runtime=docker \
  --pod-infra-container-image=fixkeep-sandbox --fail-swap-on=false --cgroup-driver=cgroupfs \
  --cgroups-per-qos=false "--root-dir=$place/kubelet" \
  "--experimental-dockershim-root-directory=$place/dockershim" "--hostname-override=$node" \
  --eviction-hard= --enforce-node-allocatable= --image-gc-high-threshold=100 \
  "--cluster-dns=$node" --cluster-domain=cluster.local --sync-frequency=2s --kube-api-qps=200 --kube-api-burst=200 --event-qps=0
eventually node_is_ready
# Answers between pods would pass only the bridge. --masquerade-all makes the machine their sender.
run proxy "$programs/kube-proxy" --kubeconfig=admin.json "--hostname-override=$node" --masquerade-all \
  --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0
: >hosts
run dns dnsmasq --keep-in-foreground --conf-file=/dev/null --user=root "--listen-address=$node" \
  --bind-interfaces --no-resolv --no-hosts "--addn-hosts=$place/hosts" --local=/cluster.local/ --pid-file
names "$!" >names.log 2>&1 </dev/null &
disown

cd "$OLDPWD"
kubectl apply -f deploy/kubernetes/rights.yaml >/dev/null
eventually kubectl -n games get serviceaccount default
kubectl -n games create rolebinding worker --role=fixkeep-worker --user=worker >/dev/null
"$@"
