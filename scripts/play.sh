#!/usr/bin/env bash
# Sets up, builds, and starts the game of clients/arena: three masters, a worker whose rooms are a game
# server in Node, and the page on which one plays. Ctrl-C ends it all.
#
# Usage: scripts/play.sh [--port N]      of the page, 8000; 0: any
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with play
build_programs
exec node clients/arena/play.js "$@"
