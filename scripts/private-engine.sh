#!/usr/bin/env bash
# Runs a command with a separate Docker engine. The engine and other engines do not disturb each other:
# it has its own namespaces (mounts, network, processes), and its files are in memory. The engine and its
# containers always end with the command, however the command ends, and leave nothing behind.
#
# The command finds the engine at the usual socket. It has its own loopback device and reaches no other
# machine. The engine has one image, fixkeep-test-tools, with a shell and a few programs of this machine.
# /run/docker.pid has the engine's process id, and /run/dockerd.log its log.
# FIXKEEP_ENGINE_DISK limits the memory for the engine's data, default 400m.
#
# Usage: scripts/private-engine.sh COMMAND [ARGUMENT …]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

tools=(sleep cat id grep touch head test)

if [ "${1:-}" != --inside ]; then
  [ $# -gt 0 ] || fail "which command?"
  scripts/setup.sh --only docker
  may_make_networks || fail "this machine gives no right to make a network, which an engine needs"
  group=fixkeep-engine-$$ # the control groups, which outlive their processes
  # shellcheck disable=SC2317  # it is called by the trap
  remove_groups() {
    as_root find /sys/fs/cgroup -depth -type d -path "*/$group*" -exec rmdir {} + 2>/dev/null || true
  }
  trap remove_groups EXIT
  as_root unshare --mount --net --pid --fork --kill-child --mount-proc "$0" --inside "$group" "$@"
  exit
fi
group=$2
shift 2

# This is the first process of its namespace: when it ends, all others end.
mount -t tmpfs tmpfs "$(readlink -f /var/run)"
mkdir -p /var/lib/docker
mount -t tmpfs -o "size=${FIXKEEP_ENGINE_DISK:-400m}" tmpfs /var/lib/docker
ip link set lo up
setsid dockerd "--cgroup-parent=/$group" >/run/dockerd.log 2>&1 </dev/null &
engine=$!
for _ in $(seq 600); do
  docker version >/dev/null 2>&1 && break
  [ -e "/proc/$engine" ] || break
  sleep 0.1
done
docker version >/dev/null 2>&1 || {
  tail -n 5 /run/dockerd.log >&2
  fail "dockerd does not come up"
}

files=(/bin/sh) # where it is expected, wherever it is
for tool in "${tools[@]}"; do files+=("$(type -P "$tool")"); done
import_image fixkeep-test-tools "${files[@]}"

code=0
"$@" || code=$?
exit "$code"
