#!/usr/bin/env bash
# Starts or stops the servers of the lock strategies redis, redlock, etcd, zookeeper, postgres
# and kubernetes-lease on loopback, with their data in a temporary folder: five and one Redis, three
# etcd, one ZooKeeper, one PostgreSQL, and an API server (scripts/kubernetes-build.sh), which "all"
# leaves out.
#
# Usage: scripts/engines.sh start [STRATEGY,…]     prints the "lock" lines for a master's configuration
#        scripts/engines.sh status                 prints them again
#        scripts/engines.sh stop                   their data is lost
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

state=build/engines
running() { [ -f "$state/pid" ] && kill -0 "$(cat "$state/pid")" 2>/dev/null; }

start() {
  if running; then fail "they run already; scripts/engines.sh status shows them"; fi
  scripts/setup.sh --only build --with engines
  build_lab
  mkdir -p "$state"
  # A session of its own, so that Ctrl-C or the end of this terminal does not end the servers.
  setsid build/release/bin/fixkeep-lab engines --of "${1:-all}" \
    >"$state/log" 2>&1 </dev/null &
  echo $! >"$state/pid"
  for _ in $(seq 120); do
    if grep -q '^Ready' "$state/log"; then
      grep '^"lock"' "$state/log"
      return
    fi
    running || break
    sleep 0.5
  done
  cat "$state/log" >&2
  stop
  fail "the servers could not be started"
}

stop() {
  if running; then
    kill "$(cat "$state/pid")"
    for _ in $(seq 60); do
      running || break
      sleep 0.25
    done
    if running; then fail "process $(cat "$state/pid") does not end"; fi
  fi
  rm -rf "$state"
}

case ${1:-} in
  start) start "${2:-all}" ;;
  stop) stop ;;
  status)
    if ! running; then fail "they do not run; scripts/engines.sh start starts them"; fi
    grep '^"lock"' "$state/log"
    ;;
  *) fail "use start, status or stop; see the head of this file" ;;
esac
