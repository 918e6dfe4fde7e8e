#!/usr/bin/env bash
# Whether trying the project installs only what running it needs: no lock server, no Java, no test
# library. Lock servers are installed only when they are asked for.
set -euo pipefail
cd "$(dirname "$0")/../.."

packages_of() { # SCRIPT: what the one call of setup.sh in it would install on a new machine
  local arguments
  arguments=$(sed -n 's/^ *scripts\/setup\.sh//p' "$1")
  read -ra words <<<"$arguments"
  scripts/setup.sh --list "${words[@]}"
}

code=0
for script in scripts/up.sh scripts/demo.sh; do
  list=$(packages_of "$script")
  grep -qx clang-19 <<<"$list" || { echo "$script: no compiler in: $list"; code=1; }
  if grep -E 'redis-server|etcd|^zookeeper|jre|gtest|gmock' <<<"$list"; then
    echo "$script: installs what only tests need"
    code=1
  fi
done
grep -qx etcd-server <<<"$(packages_of scripts/engines.sh)" || { echo "engines.sh: no etcd"; code=1; }

# Every purpose that the head of setup.sh names is there, and its error message names it too.
purposes=$(sed -n 's|^#   \([a-z][a-z]*\)  .*|\1|p' scripts/setup.sh)
message=$(scripts/setup.sh --list --only nonsense 2>&1 || true)
for purpose in $purposes; do
  scripts/setup.sh --list --only "$purpose" >/dev/null || { echo "no purpose $purpose"; code=1; }
  grep -qw "$purpose" <<<"$message" || { echo "not in the message: $purpose"; code=1; }
done
for purpose in build sanitizers; do
  grep -qx "$purpose" <<<"$purposes" || { echo "the head does not name $purpose"; code=1; }
done
# What configures a preset with sanitizers.
grep -qx libclang-rt-19-dev <<<"$(packages_of scripts/lib.sh)" || { echo "lib.sh: no libFuzzer"; code=1; }
exit "$code"
