#!/usr/bin/env bash
# Runs every client of clients/ against servers that answer by a table, tests/clients/table.txt, and then
# against a real cluster, for a match. A runtime that is missing is a failure.
#
# Usage: scripts/clients.sh [CLIENT …]       python, js, cpp, csharp, godot; without one: all
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with clients
clients=("$@")
if [ ${#clients[@]} -eq 0 ]; then clients=(python js cpp csharp godot); fi
drivers=build/clients
mkdir -p "$drivers"
# Each as a project of its own, which is how a game has it.
build_driver() {
  case $1 in
    cpp)
      cmake -S tests/clients -B "$drivers/cpp" -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 \
        -DCMAKE_CXX_COMPILER_LAUNCHER=ccache || return
      cmake --build "$drivers/cpp"
      ;;
    csharp)
      local from=clients/csharp to=tests/clients/drivers
      mcs -langversion:7.2 -warnaserror+ -out:"$drivers/driver.exe" $from/{Json,FixKeepClient}.cs \
        $from/WebRequestTransport.cs $to/Driver.cs || return
      mcs -langversion:7.2 -warnaserror+ -target:library -out:"$drivers/unity.dll" \
        $from/{Json,FixKeepClient,UnityTransport}.cs $to/UnityStandIns.cs || return
      mcs -langversion:7.2 -warnaserror+ -out:"$drivers/door.exe" $from/{Json,FixKeepDoor}.cs $to/Door.cs
      ;;
    godot)
      mkdir -p "$drivers/godot"
      cp clients/godot/*.gd tests/clients/drivers/godot/* "$drivers/godot/"
      ;;
  esac
}
for client in "${clients[@]}"; do
  if ! build_driver "$client" >"$drivers/$client.log" 2>&1; then
    cat "$drivers/$client.log"
    fail "the driver of $client does not build"
  fi
done
build_programs
code=0
timeout 600 python3 tests/clients/run.py "$drivers" "${clients[@]}" || code=$?
mapfile -t doors < <(printf '%s\n' "${clients[@]}" | grep -v '^js$') # no door is in JavaScript
if [ ${#doors[@]} -gt 0 ]; then
  timeout 300 python3 tests/clients/doors.py "$drivers" "${doors[@]}" || code=$?
fi
timeout 300 python3 tests/clients/match.py build/release/bin "$drivers" "${clients[@]}" || code=$?
exit "$code"
