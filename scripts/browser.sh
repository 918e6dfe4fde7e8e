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

# Outside of the tree, which holds no files but ours. npm takes its registry from its own
# configuration.
place=build/browser
mkdir -p "$place"
if ! cmp -s tests/browser/package-lock.json "$place/installed-lock.json"; then
  rm -f "$place/installed-lock.json"
  cp tests/browser/package.json tests/browser/package-lock.json tests/browser/.npmrc "$place/"
  (cd "$place" && npm ci)
  cp tests/browser/package-lock.json "$place/installed-lock.json"
fi
export NODE_PATH=$PWD/$place/node_modules
# One file after another: each has a cluster of its own, and two cores.
code=0
for file in tests/browser/*_test.js; do
  node --test "$@" "$file" || code=1
done
exit "$code"
