#!/usr/bin/env bash
# Sets up, builds, and starts the game of clients/arena: three masters, a worker with game servers in
# Node as rooms, and the page of the game. Ctrl-C ends everything.
#
# Usage: scripts/play.sh [--port N] [--tls]      see clients/arena/play.js; the default port is 8000
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with play
build_programs
exec node clients/arena/play.js "$@"
