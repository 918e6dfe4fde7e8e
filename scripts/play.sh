#!/usr/bin/env bash
# Sets up, builds, and starts the game of clients/arena: three masters, a worker with game servers in
# Node as rooms, and the page of the game. Ctrl-C ends everything.
#
# Usage: scripts/play.sh [--port N]      the port of the page, default 8000; 0: any free port
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with play
build_programs
exec node clients/arena/play.js "$@"
