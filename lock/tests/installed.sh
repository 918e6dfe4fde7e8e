#!/usr/bin/env bash
# Installs the library from a build into a folder of its own, builds the examples as a program of
# somebody else would be built, and runs them.
#
# Usage: lock/tests/installed.sh BUILD [COMPILER [GENERATOR]]
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
redis=
trap '[ -z "$redis" ] || kill "$redis" 2>/dev/null; rm -rf "$folder"' EXIT

cmake --install "$1" --component lock-dev --prefix "$folder/prefix" >"$folder/log"
# From a copy: only what is installed can be included.
cp -r "$folder/prefix/share/doc/libfixkeep-lock-dev/examples" "$folder/examples"
cmake -S "$folder/examples" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -G "${3:-Ninja}" -DCMAKE_CXX_COMPILER="${2:-c++}" -DCMAKE_BUILD_TYPE=Debug >"$folder/log" 2>&1 || {
  cat "$folder/log"
  exit 1
}
cmake --build "$folder/build" >"$folder/log" 2>&1 || {
  cat "$folder/log"
  exit 1
}

says() { # TEXT COMMAND…
  local said
  said=$(timeout 60 "${@:2}" 2>/dev/null) || true
  grep -qF -- "$1" <<<"$said" || {
    echo "${2##*/} says '$said' and not '$1'"
    exit 1
  }
}
free_port() {
  local port
  for port in $(shuf -i 20000-29999 -n 50); do
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then echo "$port" && return; fi
  done
}

# Each header of the locks, with nothing but what is installed.
(cd "$folder/prefix/include/fixkeep" && find . -name '*.hpp' ! -path '*/engines/*' ! -path '*/net/*' |
  sed 's|^\./\(.*\)|#include "\1"|') >"$folder/headers.cpp"
"${2:-c++}" -std=c++20 -fsyntax-only -I "$folder/prefix/include/fixkeep" "$folder/headers.cpp"

says "two masters counted to 200" "$folder/build/two_masters"
port=$(free_port)
says "master 1 counted to 200" "$folder/build/two_processes" 1 "$port" &
says "master 2 counted to 200" "$folder/build/two_processes" 2 "$port"
wait $!
if [ -x "$folder/build/in_redis" ]; then
  port=$(free_port)
  redis-server --bind 127.0.0.1 --port "$port" --save '' --dir "$folder" >/dev/null &
  redis=$!
  says "counted to 100" "$folder/build/in_redis" 1 "$port"
fi
says "-lfixkeep-lock" env PKG_CONFIG_PATH="$(dirname "$(find "$folder/prefix" -name fixkeep-lock.pc)")" \
  pkg-config --libs fixkeep-lock
echo "the examples run with what is installed"
