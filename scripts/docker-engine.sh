#!/usr/bin/env bash
# A Docker engine and a base image for machines that run neither an init system nor have a registry
# in reach. Does nothing where an engine answers and the image is there.
#
# Usage: scripts/docker-engine.sh start|stop      stop ends only an engine that start started
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

pid_file=/var/run/fixkeep-dockerd.pid
base=debian:bookworm-slim

start() {
  scripts/setup.sh --only docker
  if ! docker info >/dev/null 2>&1; then
    say "Starting dockerd"
    as_root sh -c 'dockerd >/var/log/fixkeep-dockerd.log 2>&1 & echo $! >'"$pid_file"
    for _ in $(seq 60); do
      docker info >/dev/null 2>&1 && break
      sleep 0.5
    done
    docker info >/dev/null 2>&1 || fail "dockerd does not come up; see /var/log/fixkeep-dockerd.log"
  fi
  docker image inspect "$base" >/dev/null 2>&1 && return
  docker pull -q "$base" 2>/dev/null && return
  say "No registry in reach: making $base with debootstrap"
  local root
  root=$(mktemp -d)
  as_root debootstrap --variant=minbase bookworm "$root"
  as_root tar -C "$root" -c . | docker import - "$base"
  as_root rm -rf "$root"
}

stop() {
  [ -f "$pid_file" ] || return 0
  as_root kill "$(cat "$pid_file")" || true
  as_root rm -f "$pid_file"
}

case ${1:-} in
  start) start ;;
  stop) stop ;;
  *) fail "use start or stop" ;;
esac
