#!/usr/bin/env bash
# Starts a local cluster, prints its addresses and keeps it until Ctrl-C.
#
# Usage: scripts/up.sh [ARGUMENT OF fixkeep-client-sim up …]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with try
build_programs
cmake --build build/release --parallel "$(cores)" --target fixkeepctl
exec build/release/bin/fixkeep-client-sim up "$@"
