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
  grep -qx 'g++' <<<"$list" || { echo "$script: no compiler in: $list"; code=1; }
  if grep -E 'redis-server|etcd|^zookeeper|jre|gtest|gmock' <<<"$list"; then
    echo "$script: installs what only tests need"
    code=1
  fi
done
grep -qx etcd-server <<<"$(packages_of scripts/engines.sh)" || { echo "engines.sh: no etcd"; code=1; }
exit "$code"
