#!/usr/bin/env bash
# Runs games in containers of a separate, real engine (scripts/private-engine.sh). Tests the duties of
# every runner, faults of engines such as a hang or a restart, and the whole path of a room through
# master, worker and engine.
#
# Usage: scripts/containers.sh [PART …] [ARGUMENT of GoogleTest …]
#
#   engine     the suite of all runners, and faults of the engine
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
  build release containers fixkeep-room-keeper fixkeep-worker fixkeep-master fixkeep-client-sim \
    fixkeep-demo-game fixkeepctl
  exec scripts/private-engine.sh "$0" --inside "$@"
fi
shift

all=(engine whole_way starts compare)
parts=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do
  [[ " ${all[*]} " == *" $1 "* ]] || fail "there is no part $1"
  parts+=("$1")
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")

left() { # KIND: what is there of it
  case $1 in
    containers) docker ps -aq ;;
    volumes) docker volume ls -q ;;
    networks) docker network ls --format '{{.Name}}' ;;
  esac | sort
}

declare -A before
for kind in containers volumes networks; do before[$kind]=$(left "$kind"); done
code=0
for part in "${parts[@]}"; do
  say "$part"
  if [ "$part" = engine ]; then
    "$bin/containers" --gtest_brief=1 "$@" || code=$?
  else
    hows=("")
    [ "$part" != whole_way ] || hows=(inside outside host)
    for how in "${hows[@]}"; do "tests/containers/${part}_test.sh" "$bin" "$how" || code=$?; done
  fi
done
for kind in containers volumes networks; do
  if [ "$(left "$kind")" != "${before[$kind]}" ]; then
    echo "$kind are left behind:"
    comm -13 <(echo "${before[$kind]}") <(left "$kind")
    code=1
  fi
done
exit "$code"
