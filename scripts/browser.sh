#!/usr/bin/env bash
# Drives the pages of the project, and the game of examples/arena, with Debian's chromium (tests/browser), and leaves pictures of
# them in build/browser/pictures. Needs no network once the packages of npm are in build/browser.
#
# Usage: scripts/browser.sh [ARGUMENT OF node --test …]      --test-name-pattern=collisions
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --only test --with browser
build release fixkeep-master fixkeep-worker fixkeep-demo-game fixkeep-client-sim fixkeep-lock-node \
  fixkeep-relay fixkeep-bench-rooms

npm_packages browser
export NODE_PATH=$PWD/build/browser/node_modules
# One file after another: each has a cluster of its own, and two cores.
code=0
for file in tests/browser/*_test.js; do
  node --test "$@" "$file" || code=1
done
exit "$code"
