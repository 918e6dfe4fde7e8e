#!/usr/bin/env bash
# Runs games in pods of a real cluster of one node, which it starts and ends: what every runner has to
# do with a game, and what only a cluster does, such as to have no room. The first time it builds
# Kubernetes, which takes 20 minutes; the programs stay in ~/.cache/fixkeep/kubernetes, or where
# FIXKEEP_KUBERNETES_PROGRAMS says.
#
# Usage: scripts/kubernetes.sh [ARGUMENT of GoogleTest …]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh
programs=${FIXKEEP_KUBERNETES_PROGRAMS:-$HOME/.cache/fixkeep/kubernetes}

scripts/setup.sh --only kubernetes
scripts/kubernetes-build.sh "$programs"
build release pods fixkeep-worker fixkeep-master
scripts/docker-engine.sh start
place=$(mktemp -d)
# shellcheck disable=SC2317  # it is called by the trap
finish() {
  scripts/kubernetes-node.sh stop "$place"
  scripts/docker-engine.sh stop
  # What a kubelet has mounted below it is no folder to be removed.
  grep -q " $place/" /proc/mounts || rm -rf "$place"
}
trap finish EXIT
scripts/kubernetes-node.sh start "$programs" "$place"
code=0
FIXKEEP_KUBERNETES=$place build/release/bin/pods --gtest_brief=1 "$@" || code=$?
tests/pods/worker_test.sh build/release/bin "$place" || code=$?
exit "$code"
