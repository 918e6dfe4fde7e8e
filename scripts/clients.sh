#!/usr/bin/env bash
# Runs every client of clients/ against servers that answer by a table, tests/clients/table.txt. A
# runtime that is missing is a failure.
#
# Usage: scripts/clients.sh [CLIENT …]       python, js; without one: all
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with clients
clients=("$@")
if [ ${#clients[@]} -eq 0 ]; then clients=(python js); fi
drivers=build/clients
mkdir -p "$drivers"
exec timeout 600 python3 tests/clients/run.py "$drivers" "${clients[@]}"
