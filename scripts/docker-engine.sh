#!/usr/bin/env bash
# Provides a Docker engine and a base image on machines without an init system and without a registry.
# Does nothing if an engine answers and the image exists.
#
# Usage: scripts/docker-engine.sh start    an engine that answers, with the base image
#        scripts/docker-engine.sh stop     ends only an engine that start has started
#        scripts/docker-engine.sh image    makes the base image with debootstrap, over any other
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

pid_file=/var/run/fixkeep-dockerd.pid
log=/var/log/fixkeep-dockerd.log
base=debian:bookworm-slim

# Whether the process of "start" still runs. The file can outlive the process, and another process can
# get its number. The function therefore also checks the process name.
ours_runs() {
  local pid
  pid=$(cat "$pid_file" 2>/dev/null) && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ]
}

answers() { docker version >/dev/null 2>&1; }

start_engine() {
  # A second engine must not use the files of a running engine.
  if as_root docker version >/dev/null 2>&1; then
    fail "an engine runs, but not for you: add yourself to the group docker, or run this as root"
  fi
  say "Starting dockerd"
  # Uses a separate session, so that Ctrl-C in the caller does not end the engine.
  as_root sh -c "setsid dockerd >$log 2>&1 </dev/null & echo \$! >$pid_file"
  for _ in $(seq 120); do
    answers && return
    # Checks the number only: on a busy machine the process has another name until it runs dockerd.
    [ -e "/proc/$(cat "$pid_file")" ] || break
    sleep 0.5
  done
  tail -n 5 "$log" >&2 || true
  fail "dockerd does not come up; see $log"
}

# Also left out are what the official image leaves out: caches, manuals, translations.
make_image() {
  say "Making $base with debootstrap"
  local root
  root=$(mktemp -d)
  # shellcheck disable=SC2064  # the folder of now
  trap "as_root rm -rf '$root'" EXIT
  as_root debootstrap --variant=minbase bookworm "$root" >"$root.log" || {
    tail -n 20 "$root.log" >&2
    fail "debootstrap failed; see $root.log"
  }
  rm -f "$root.log"
  as_root sh -c "cd '$root' && rm -rf var/cache/apt/* var/lib/apt/lists/* var/log/*.log \
    usr/share/man/* usr/share/info/* usr/share/locale/* &&
    find usr/share/doc -type f ! -name copyright -delete"
  as_root tar -C "$root" --numeric-owner -c . |
    docker import --change 'CMD ["bash"]' - "$base"
}

start() {
  scripts/setup.sh --only docker
  answers || start_engine
  docker image inspect "$base" >/dev/null 2>&1 && return
  say "Pulling $base"
  docker pull -q "$base" && return
  make_image
}

stop() {
  if ours_runs; then
    local pid
    pid=$(cat "$pid_file")
    as_root kill "$pid"
    for _ in $(seq 60); do
      ours_runs || break
      sleep 0.5
    done
    ours_runs && fail "dockerd, process $pid, does not end"
  fi
  as_root rm -f "$pid_file"
}

case ${1:-} in
  start) start ;;
  stop) stop ;;
  image)
    scripts/setup.sh --only docker
    answers || start_engine
    make_image
    ;;
  *) fail "use start, stop or image" ;;
esac
