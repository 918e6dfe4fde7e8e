#!/usr/bin/env bash
# Tests a real Prometheus that scrapes real clusters and answers queries. promtool checks the files of
# configs/observability.
#
# Usage: scripts/observability.sh [ARGUMENT OF node --test …]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with observability
build_programs
exec timeout 300 node --test "$@" tests/observability/prometheus_test.js
