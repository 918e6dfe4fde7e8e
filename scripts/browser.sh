#!/usr/bin/env bash
# Drives the pages of the project, and the game of clients/arena, with Debian's chromium (tests/browser), and leaves pictures of
# them in build/browser/pictures. Needs no network once the packages of npm are in build/browser.
#
# Usage: scripts/browser.sh [WORD | OPTION OF node --test …]      a word: the tests and groups of tests
#                                                                 that have it in their names
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

options=() files=()
for word in "$@"; do
  if [[ $word = -* ]]; then options+=("$word"); continue; fi
  # Skips files without a matching test: each file would start its cluster even without a test to run.
  mapfile -t found < <(grep -lE "^ *(describe|test)\('.*$word" tests/browser/*_test.js)
  [ ${#found[@]} -gt 0 ] || fail "no test of tests/browser has \"$word\" in its name"
  options+=("--test-name-pattern=$word") files+=("${found[@]}")
done
[ ${#files[@]} -gt 0 ] || files=(tests/browser/*_test.js)
# scripts/web.sh runs cluster_test.js: its page needs no cluster.
mapfile -t files < <(printf '%s\n' "${files[@]}" | grep -v /cluster_test | sort -u)

scripts/setup.sh --only build --only test --with browser
build release fixkeep-master fixkeep-worker fixkeep-demo-game fixkeep-client-sim fixkeep-lab fixkeep-lock-node \
  fixkeep-relay fixkeep-bench-rooms

npm_packages tests/browser
export NODE_PATH=$PWD/build/browser/node_modules
# Runs the files one after another: each has its own cluster, which needs two cores.
code=0
for file in "${files[@]}"; do
  node --test "${options[@]}" "$file" || code=1
done
exit "$code"
