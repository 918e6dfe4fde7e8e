#!/usr/bin/env bash
# Tries locks that people use (lab/adapters) with `fixkeep-lab lock`: JavaScript's of npm at real Redis
# servers, Python's at a real ZooKeeper, and two of FIX Keep. Writes build/own-locks/report.{json,html}.
#
# Usage: scripts/own-locks.sh [--rounds N] [--seconds S] [LOCK …]
#
# Fails if a lock is not as docs/own-lock.md says: caught, or without a fault.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

rounds=1 seconds=20
while [[ ${1:-} == --* ]]; do
  case $1 in
    --rounds) rounds=${2:?} ;;
    --seconds) seconds=${2:?} ;;
    *) fail "there is no option $1; there are --rounds and --seconds" ;;
  esac
  shift 2
done

# Lock, what it has to be, its servers (-: none), the program of a node.
table=(
  "wrong caught redis /usr/bin/python3 lab/adapters/wrong.py"
  "redlock-4 fine redlock node lab/adapters/redlock4.js"
  "redlock-5 caught redlock node lab/adapters/redlock5.js"
  "redlock-5-fork fine redlock node lab/adapters/redlock5_fork.js"
  "redis-semaphore fine redis node lab/adapters/redis_semaphore.js"
  "multiphase fine - /usr/bin/python3 lab/adapters/fixkeep_lock.py multiphase --lease-ms 2500"
  "etcd fine etcd /usr/bin/python3 lab/adapters/fixkeep_lock.py etcd --lease-ms 2500"
  "kazoo fine zookeeper /usr/bin/python3 lab/adapters/kazoo_lock.py"
)

scripts/setup.sh --with own-locks
npm_packages lab/adapters
export NODE_PATH=$PWD/build/adapters/node_modules
export PYTHONDONTWRITEBYTECODE=1
build release fixkeep-lab fixkeep-lock-node

place=build/own-locks
mkdir -p "$place"
rm -f "$place"/*
earlier=() passed=0 failed=0 matched=0
for row in "${table[@]}"; do
  read -r name verdict servers program <<<"$row"
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  matched=$((matched + 1))
  code=0
  read -ra command <<<"$program"
  needs=(--servers "$servers")
  if [ "$servers" = - ]; then needs=(); fi
  build/release/bin/fixkeep-lab lock --name "$name" "${needs[@]}" --hold-ms 2000 --seconds "$seconds" \
    --rounds "$rounds" --faults stop,kill "${earlier[@]}" --json "$place/$name.json" \
    --report "$place/report.html" --history "$place/$name.history" -- "${command[@]}" || code=$?
  earlier=(--with "$place/$name.json")
  cp "$place/$name.json" "$place/report.json"
  found=fine
  if [ "$code" -eq 1 ]; then found=caught; elif [ "$code" -ne 0 ]; then found="not tried (exit code $code)"; fi
  if [ "$found" = "$verdict" ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "$name is $found; it has to be $verdict"
  fi
done
[ "$matched" -gt 0 ] || fail "there is no lock \"$*\" in the table of this script"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
