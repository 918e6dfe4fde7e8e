#!/usr/bin/env bash
# Runs every client of clients/ against servers that answer by a table, tests/clients/table.txt, and then
# against a real cluster, for a match and for tickets whose master is killed. A runtime that is missing is a
# failure.
#
# Usage: scripts/clients.sh [CLIENT …]       python, js, chromium (js in a page), cpp, csharp, godot,
#                                            unreal (by stand-ins of its classes); without one: all
#        scripts/clients.sh --row WORD CLIENT …     only the rows of the table with the word in their names
#        scripts/clients.sh --doors CLIENT …        only the token checks of game servers
#        scripts/clients.sh --tickets CLIENT …      only the tickets whose master is killed
#        scripts/clients.sh --arena                 only malformed requests to the servers of clients/arena
#        scripts/clients.sh --packages              only the packages of scripts/pack-clients.sh
#        scripts/clients.sh --adapters              only the adapters of other matchmakers
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

# Needs nothing but Node, and the programs.
try_arena() {
  build_programs
  timeout 120 node --test tests/clients/arena_test.js
}

try_adapters() {
  scripts/setup.sh --only build --with clients
  build_programs
  mkdir -p build/clients
  mcs -langversion:7.2 -warnaserror+ -r:System.Net.Http -out:build/clients/unity-adapter.exe \
    clients/adapters/unity-matchmaker/FixKeepAllocator.cs clients/csharp/Json.cs \
    tests/clients/drivers/UnityCloudCode.cs || return
  python3 tests/clients/adapters.py build/release/bin build/clients
}

only=all rows=()
case ${1:-} in
  --row)
    only=table rows=(--row "${2:?a word}")
    shift 2
    ;;
  --arena)
    try_arena
    exit
    ;;
  --doors | --tickets)
    only=${1#--}
    shift
    ;;
  --packages) exec tests/clients/packages_test.sh ;;
  --adapters)
    try_adapters
    exit
    ;;
esac
clients=("$@")
whole=no
if [ ${#clients[@]} -eq 0 ]; then clients=(python js chromium cpp csharp godot unreal) whole=yes; fi
if [[ " ${clients[*]} " = *" chromium "* ]]; then
  scripts/setup.sh --only build --with clients --with browser
  npm_packages tests/browser
else
  scripts/setup.sh --only build --with clients
fi
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
    unreal)
      cmake -S tests/clients/drivers/unreal -B "$drivers/unreal" -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 \
        -DCMAKE_CXX_COMPILER_LAUNCHER=ccache || return
      cmake --build "$drivers/unreal"
      ;;
    csharp)
      local from=clients/csharp to=tests/clients/drivers
      mcs -langversion:7.2 -warnaserror+ -out:"$drivers/driver.exe" $from/{Json,FixKeepClient,FixKeepTickets}.cs \
        $from/WebRequestTransport.cs $to/Driver.cs || return
      mcs -langversion:7.2 -warnaserror+ -target:library -out:"$drivers/unity.dll" \
        $from/{Json,FixKeepClient,FixKeepTickets,UnityTransport}.cs $to/UnityStandIns.cs || return
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

play_table() { timeout 900 python3 tests/clients/run.py "${rows[@]}" "$drivers" "${clients[@]}"; }
# without CLIENT … PROGRAM ARGUMENT …: with the other clients as its last arguments, if there are any.
without() {
  local left=" ${clients[*]} " others
  while [[ $1 != python3 ]]; do
    left=${left/ $1 / }
    shift
  done
  read -ra others <<<"$left"
  [ ${#others[@]} -eq 0 ] || timeout 300 "$@" "${others[@]}"
}
# JavaScript and Unreal have no door.
try_doors() {
  without js chromium unreal python3 tests/clients/doors.py "$drivers" && python3 tests/clients/fleet_door.py
}
# The game of clients/arena is the match that scripts/browser.sh plays in a page.
play_match() { without chromium python3 tests/clients/match.py build/release/bin "$drivers"; }
play_tickets() { without chromium python3 tests/clients/tickets.py build/release/bin "$drivers"; }
case $only in
  table) play_table ;;
  doors) try_doors ;;
  tickets)
    build_programs
    play_tickets
    ;;
  all)
    code=0
    build_programs
    play_table || code=$?
    try_doors || code=$?
    play_match || code=$?
    play_tickets || code=$?
    try_arena || code=$?
    if [ "$whole" = yes ]; then
      tests/clients/packages_test.sh || code=$?
      try_adapters || code=$?
    fi
    exit "$code"
    ;;
esac
