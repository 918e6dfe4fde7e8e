#!/usr/bin/env bash
# Runs games in containers of a real engine, which it starts where none answers: what every runner
# has to do with a game, and what only an engine does, such as to hang or to be restarted. The engine
# is restarted under its containers, so it must be nobody else's.
#
# Usage: scripts/containers.sh [ARGUMENT of GoogleTest …]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

left() { # KIND: what is there of it
  case $1 in
    containers) docker ps -aq ;;
    volumes) docker volume ls -q ;;
    networks) docker network ls --format '{{.Name}}' ;;
  esac | sort
}

scripts/docker-engine.sh start
trap 'scripts/docker-engine.sh stop' EXIT
build release containers fixkeep-room-keeper fixkeep-worker fixkeep-master fixkeep-client-sim \
  fixkeep-demo-game

declare -A before
for kind in containers volumes networks; do before[$kind]=$(left "$kind"); done
code=0
build/release/bin/containers --gtest_brief=1 "$@" || code=$?
tests/containers/worker_test.sh build/release/bin || code=$?
tests/containers/compare_test.sh build/release/bin || code=$?
tests/containers/games_test.sh build/release/bin || code=$?
for kind in containers volumes networks; do
  if [ "$(left "$kind")" != "${before[$kind]}" ]; then
    echo "$kind are left behind:"
    comm -13 <(echo "${before[$kind]}") <(left "$kind")
    code=1
  fi
done
exit "$code"
