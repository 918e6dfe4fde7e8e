#!/usr/bin/env bash
# Runs games in containers of a separate, real engine (scripts/private-engine.sh). Tests the duties of
# every runner, faults of engines such as a hang or a restart, and the whole path of a room through
# master, worker and engine.
#
# Usage: scripts/containers.sh [PART …] [ARGUMENT of GoogleTest …]
#
#   engine     the suite of all runners, and faults of the engine
#   podman     the suite of all runners with Podman, and the whole way
#   rootless   the same with a Podman and a worker of an ordinary user
#   whole_way  rooms from a match request to their complete removal, once for each place of their SDK
#   starts     a worker that is killed in each step of a start
#   compare    a local cluster of client-sim
#
# Without a part it runs all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

bin=build/release/bin

if [ "${1:-}" != --inside ]; then
  scripts/setup.sh --only podman
  build release containers fixkeep-room-keeper fixkeep-worker fixkeep-master fixkeep-client-sim \
    fixkeep-demo-game fixkeepctl
  exec scripts/private-engine.sh "$0" --inside "$@"
fi
shift

all=(engine podman rootless whole_way starts compare)
parts=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do
  [[ " ${all[*]} " == *" $1 "* ]] || fail "there is no part $1"
  parts+=("$1")
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")

# Runs a command of a part. If it fails, the end repeats its last output.
failures=/run/fixkeep-failures.log
try() { # NAME COMMAND…
  local name="$part: $1" log=/run/fixkeep-try.log result=0
  shift
  "$@" 2>&1 | tee "$log" || result=$?
  [ "$result" -ne 0 ] || return 0
  code=1
  {
    say "$name failed ($result)"
    tail -n 60 "$log"
  } >>"$failures"
}

left() { # KIND: what is there of it
  case $1 in
    containers) docker ps -aq ;;
    volumes) docker volume ls -q ;;
    networks) docker network ls --format '{{.Name}}' ;;
  esac | sort
}

call_it_docker() { # FOLDER PODMAN…: Podman understands Docker's options
  local folder=$1
  shift
  mkdir "$folder"
  printf '#!/bin/sh\ncd / && exec %s "$@"\n' "$*" >"$folder/docker"
  chmod +x "$folder/docker"
}

# Podman keeps its files beside those of the private Docker engine, and takes over its image.
start_podman() {
  local folder=/run/fixkeep-podman
  mkdir -p "$folder" /run/podman
  # Podman gives each container limits that only CAP_SYS_RESOURCE may give: they are left out.
  cat >"$folder/runtime" <<'END'
#!/usr/bin/env bash
for ((i = 1; i < $#; i++)); do
  next=$((i + 1))
  [ "${!i}" != --bundle ] || sed -i -E 's/"rlimits":\[[^]]*\],//' "${!next}/config.json"
done
exec runc "$@"
END
  chmod +x "$folder/runtime"
  cat >"$folder/containers.conf" <<END
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "loose"
[engine.runtimes]
loose = ["$folder/runtime"]
END
  export CONTAINERS_CONF=$folder/containers.conf
  podman=(podman --root "$folder/root" --runroot "$folder/run")
  call_it_docker "$folder/bin" "${podman[@]}"
  docker save fixkeep-test-tools | "${podman[@]}" load -q >/dev/null
  setsid "${podman[@]}" system service --time 0 unix:///run/podman/podman.sock \
    >/run/podman.log 2>&1 </dev/null &
  for _ in $(seq 600); do
    curl -s --unix-socket /run/podman/podman.sock http://podman/_ping >/dev/null && return
    sleep 0.1
  done
  tail -n 5 /run/podman.log >&2
  fail "podman system service does not come up"
}

# A bridge without a fixed MAC address has the lowest one of its ports. This changes when a
# container starts or ends. Running containers then send to the old address, for up to a minute.
# udev fixes the address; Podman does since netavark 1.9. Here we do; a container keeps the bridge.
keep_bridge() {
  "${podman[@]}" run -d --name keeps-bridge fixkeep-test-tools sleep 3600 >/dev/null
  ip link set podman0 address "$(ip -o link show podman0 | sed 's/.*ether \([^ ]*\).*/\1/')"
}

# Fails if the Podman of this command has left anything.
# shellcheck disable=SC2317  # try calls it
nothing_left() { # PODMAN…
  local left
  left=$("$@" ps -aq && "$@" volume ls -q)
  [ -z "$left" ] || {
    echo "of Podman is left behind: $left"
    return 1
  }
}

podman_part() { # ARGUMENT…
  start_podman
  keep_bridge
  try suite "$bin/containers" --gtest_brief=1 --gtest_filter=*podman* "$@"
  for how in inside host; do
    PATH=/run/fixkeep-podman/bin:$PATH runner=podman \
      try "the whole way, $how" tests/containers/whole_way_test.sh "$bin" "$how"
  done
  "${podman[@]}" rm -f -t 0 keeps-bridge >/dev/null
  try "what is left" nothing_left "${podman[@]}"
  # The control group above those of its containers; it stays where others of it are in use.
  find /sys/fs/cgroup -depth -type d -path '*/libpod_parent*' -exec rmdir {} + 2>/dev/null || true
}

rootless_part() { # ARGUMENT…
  local tree=/run/fixkeep-tree here=$PWD # a path that the user can read
  # shellcheck source=tests/containers/rootless_podman.sh
  source tests/containers/rootless_podman.sh
  start_rootless_podman
  docker save fixkeep-test-tools | (cd / && "${rootless_podman[@]}" load -q >/dev/null)
  call_it_docker "$rootless_folder/bin" "${rootless_podman[@]}"
  call_it_docker "$rootless_folder/own" podman # for a script of this user
  mkdir "$tree"
  mount --bind . "$tree"
  cd "$tree"
  try suite "${as_rootless_user[@]}" "$bin/containers" --gtest_brief=1 --gtest_filter=*podman* "$@"
  for how in outside host; do
    PATH=$rootless_folder/bin:$PATH XDG_RUNTIME_DIR=$rootless_folder/run runner=podman \
      rootless=$rootless_user try "the whole way, $how" tests/containers/whole_way_test.sh "$bin" "$how"
  done
  PATH=$rootless_folder/own:$PATH runner=podman \
    try compare "${as_rootless_user[@]}" tests/containers/compare_test.sh "$bin"
  try "what is left" nothing_left "${rootless_podman[@]}"
  cd "$here"
}

declare -A before
for kind in containers volumes networks; do before[$kind]=$(left "$kind"); done
code=0
for part in "${parts[@]}"; do
  say "$part"
  case $part in
    engine) try suite "$bin/containers" --gtest_brief=1 --gtest_filter=-*podman* "$@" ;;
    podman) podman_part "$@" ;;
    rootless) rootless_part "$@" ;;
    whole_way)
      for how in inside outside host; do
        try "$how" tests/containers/whole_way_test.sh "$bin" "$how"
      done
      ;;
    *) try test "tests/containers/${part}_test.sh" "$bin" ;;
  esac
done
for kind in containers volumes networks; do
  if [ "$(left "$kind")" != "${before[$kind]}" ]; then
    echo "$kind are left behind:"
    comm -13 <(echo "${before[$kind]}") <(left "$kind")
    code=1
  fi
done
[ ! -e "$failures" ] || cat "$failures"
exit "$code"
