#!/usr/bin/env bash
# Calls every method of Agones' official client for Node, the pinned package of npm, against a room
# of a real worker, and prints a line for each. Needs no network once the packages of npm are in
# build/agones.
#
# Usage: scripts/agones.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with agones
build_programs

# Outside of the tree, which holds no files but ours. npm takes its registry from its own
# configuration.
place=build/agones
mkdir -p "$place"
if ! cmp -s tests/agones/package-lock.json "$place/installed-lock.json"; then
  rm -f "$place/installed-lock.json"
  cp tests/agones/package.json tests/agones/package-lock.json tests/agones/.npmrc "$place/"
  (cd "$place" && timeout 300 npm ci)
  cp tests/agones/package-lock.json "$place/installed-lock.json"
fi
export NODE_PATH=$PWD/$place/node_modules
exec timeout 180 node tests/agones/agones_test.js
