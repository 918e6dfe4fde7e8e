#!/usr/bin/env bash
# Calls every method of Agones' official client for Node, the pinned package of npm, against a room
# of a real worker, and prints a line for each. Needs no network if the npm packages are in
# build/agones.
#
# Usage: scripts/agones.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with agones
build_programs

npm_packages tests/agones
export NODE_PATH=$PWD/build/agones/node_modules
exec timeout 180 node tests/agones/agones_test.js
