#!/usr/bin/env bash
# Runs rooms in real clusters of its own (scripts/private-cluster.sh). The first time it builds
# Kubernetes for ten minutes.
#
# Usage: scripts/kubernetes.sh [PART …] [ARGUMENT of GoogleTest …]
#
#   pods      the suite of all runners with pods, and faults of a cluster, such as a full one
#   worker    a whole worker, which is killed while its pods continue
#   whole_way concurrent requests for many groups at three masters, with faults of each part
#   rights    a worker without one of its rights, for each right: it must report the missing right
#   deploy    the unchanged deploy/kubernetes, with masters and workers that are replaced under load
#   locks     the lock kubernetes-lease: its engine's tests and the conformance suite, with API servers
#             of their own
#   fleets    the suite of all runners with the servers of a fleet, and a thousand requests, some of
#             which are lost. A stand-in acts as Agones (tests/fleets)
#
# Without a part it runs all of them, in two clusters in parallel: most of their time is waiting.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

bin=build/release/bin
halves='pods whole_way
deploy rights fleets worker locks'

if [ "${1:-}" != --inside ]; then
  build release pods fixkeep-worker fixkeep-master fixkeep-demo-game fixkeep-sdk-relay fixkeep-relay \
    fixkeepctl unit_worker_runner unit_lock_engine_lease conformance_lock_lease
  [ $# -gt 0 ] || {
    # What both need is installed and built once.
    scripts/setup.sh --only kubernetes
    scripts/kubernetes-build.sh "${FIXKEEP_KUBERNETES_PROGRAMS:-$HOME/.cache/fixkeep/kubernetes}"
    # shellcheck disable=SC2016  # another shell reads it
    exec xargs -P 2 -I '{}' sh -c 'exec scripts/private-cluster.sh "$0" --inside {}' "$0" <<<"$halves"
  }
  exec scripts/private-cluster.sh "$0" --inside "$@"
fi
shift

fleets() { # ARGUMENT of GoogleTest …
  kubectl apply -f tests/fleets/agones.yaml >/dev/null &&
    kubectl wait --for=condition=established --timeout=60s crd --all >/dev/null &&
    FIXKEEP_FLEET_API=$KUBECONFIG "$bin/unit_worker_runner" --gtest_brief=1 \
      --gtest_filter='*agones*:LostReplies.*' "$@" &&
    # The fleet is still there, which is how one sees that it was this server's.
    kubectl -n games get fleet duel >/dev/null
}

parts=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do
  [[ " ${halves//$'\n'/ } " == *" $1 "* ]] || fail "there is no part $1"
  parts+=("$1")
  shift
done
[ ${#parts[@]} -gt 0 ] || fail "which part?"

code=0
for part in "${parts[@]}"; do
  say "$part"
  from=$SECONDS
  case $part in
    pods) "$bin/pods" --gtest_brief=1 "$@" ;;
    fleets) fleets "$@" ;;
    locks) { "$bin/unit_lock_engine_lease" --gtest_brief=1 && "$bin/conformance_lock_lease" --gtest_brief=1; } ;;
    *) "tests/pods/${part}_test.sh" "$bin" ;;
  esac || code=$?
  echo "$part: $((SECONDS - from)) s"
  if kubectl -n games get pods -o name | grep .; then
    echo "pods are left behind"
    code=1
  fi
done
exit "$code"
