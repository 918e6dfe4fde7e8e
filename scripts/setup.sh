#!/usr/bin/env bash
# Installs the project's dependencies on Debian 12 or 13, as root or with sudo. Does nothing, and needs
# no network, if all of them are installed.
#
# Usage: scripts/setup.sh [--list] [--only PURPOSE …] [--with PURPOSE …]
#
# With --list it prints the packages, one a line, and installs nothing.
#
#   build    compiler, build tools, libraries, and Python with YAML
#                                                    always, unless --only says otherwise
#   test     what the test suite runs                always, unless --only says otherwise
#   engines  the servers that a lock can live in     always, unless --only says otherwise
#   try      what the examples of README.md call     --with try
#   play     node, for the game of clients/arena    --with play
#   lint     clang-format, clang-tidy, doxygen, shellcheck    --with lint
#   sanitizers  what Clang links for them, libFuzzer --with sanitizers
#   browser  chromium, node and npm                  --with browser
#   web      a compiler for WebAssembly              --with web
#   agones   node and npm                            --with agones
#   openapi  node and npm                            --with openapi
#   clients  the runtimes of clients/                --with clients
#   observability    Prometheus, promtool and node   --with observability
#   bench    a load generator of HTTP, and valgrind   --with bench
#   docker   engine, docker-compose, debootstrap     --with docker
#   podman   Podman and its first process of a container    --with podman
#   kubernetes  what a cluster of one node is beside its own programs    --with kubernetes
#   package  what .deb files are made with           --with package
#   site     what scripts/site.sh makes pages with   --with site
#   own-locks    node, npm and Python's client of ZooKeeper    --with own-locks
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

# shellcheck disable=SC1091  # it is part of the system
. /etc/os-release 2>/dev/null || true
case ${ID:-unknown}-${VERSION_ID:-0} in
  debian-12) boost=1.81 ;;
  debian-13) boost=1.83 ;;
  *) boost= ;;
esac

# is_installed PACKAGE …: one of them is.
is_installed() {
  local states
  states=$(dpkg-query -W -f='${db:Status-Abbrev}\n' "$@" 2>/dev/null) || true
  grep -q '^ii' <<<"$states"
}

# unless COMMAND PACKAGE …: prints the packages, unless the command is there from elsewhere: Debian's would
# take its place, as docker.io that of docker-ce.
unless() {
  local command=$1 package=$2
  shift
  if command -v "$command" >/dev/null && ! is_installed "$package"; then return; fi
  echo "$@"
}

packages_for() {
  case $1 in
    build)
      echo clang-19 ccache cmake ninja-build mold "libboost${boost:-1.81}-dev" libssl-dev protobuf-compiler \
        libprotobuf-dev nlohmann-json3-dev libcli11-dev prometheus-cpp-dev \
        libvalijson-dev libhiredis-dev libzookeeper-st-dev libpq-dev libfmt-dev libspdlog-dev \
        liblemon-dev \
        libre2-dev libgrpc++-dev protobuf-compiler-grpc python3-yaml libsystemd-dev libjemalloc-dev
      ;;
    test)
      # The last two are game servers as studios have them, unmodified. The examples of
      # docs/integration.md are in Python.
      echo libgtest-dev libgmock-dev curl git netcat-openbsd pkg-config python3 teeworlds-server freeciv-server
      ;;
    engines)
      echo openssl zookeeper postgresql
      unless redis-server redis-server
      unless etcd etcd-server
      unless java default-jre-headless
      ;;
    play)
      echo openssl
      if ! command -v node >/dev/null; then echo nodejs; fi
      ;;
    try) echo curl netcat-openbsd ;;
    lint) echo clang-format clang-tidy doxygen shellcheck ;;
    # The last package has the symbolizer for the sanitizers' reports.
    sanitizers) echo libclang-rt-19-dev llvm-19 ;;
    browser)
      # Where node comes from elsewhere, it brings its npm, and Debian's would remove it.
      if command -v npm >/dev/null; then echo chromium; else echo chromium nodejs npm; fi
      ;;
    web)
      echo clang-19 lld-19 libc++-19-dev-wasm32 libclang-rt-19-dev-wasm32 wasi-libc "libboost${boost:-1.81}-dev" \
        nlohmann-json3-dev python3
      ;;
    agones | openapi) if ! command -v npm >/dev/null; then echo nodejs npm; fi ;;
    clients)
      # Where node comes from elsewhere, Debian's would remove it.
      echo python3 python3-pip python3-setuptools python3-wheel openssl mono-mcs mono-runtime \
        godot3-server golang-go libmono-system-net-http4.0-cil libcurl4-openssl-dev
      if ! command -v npm >/dev/null; then echo nodejs npm; fi
      ;;
    observability)
      unless prometheus prometheus
      if ! command -v node >/dev/null; then echo nodejs; fi
      ;;
    bench) echo wrk curl valgrind ;;
    docker)
      # Clients alone, as a copied /usr/local/bin/docker, start no engine. Packages of others go when
      # docker.io comes.
      is_installed docker-ce docker-ce-cli moby-engine moby-cli podman-docker ||
        unless dockerd docker.io
      unless docker-compose docker-compose
      echo debootstrap iptables ca-certificates curl
      ;;
    podman)
      unless podman podman catatonit netavark runc
      echo uidmap slirp4netns
      ;;
    kubernetes) # kubectl may be there from elsewhere
      unless etcd etcd-server
      echo openssl jq iptables conntrack dnsmasq-base
      if ! command -v kubectl >/dev/null; then echo kubernetes-client; fi
      ;;
    package) echo dpkg-dev fakeroot gzip man-db lintian ;;
    own-locks)
      echo python3-kazoo
      if ! command -v npm >/dev/null; then echo nodejs npm; fi
      ;;
    site) echo git mkdocs mkdocs-material mkdocs-material-extensions python3-pymdownx python3-yaml ;;
    *) fail "there is no purpose \"$1\"; there are build, test, engines, try, play, lint," \
      "sanitizers, browser, web, agones, openapi, clients, observability, bench, docker, podman, kubernetes, package," \
      "site and own-locks" ;;
  esac
}

purposes=(build test engines)
only=no
list_only=no
if [ "${1:-}" = --list ]; then
  list_only=yes
  shift
fi
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || fail "$1 needs a purpose; see the head of this file"
  case $1 in
    --only)
      [ "$only" = yes ] || purposes=()
      only=yes
      purposes+=("$2")
      ;;
    --with) purposes+=("$2") ;;
    *) fail "unknown option $1; see the head of this file" ;;
  esac
  shift 2
done

wanted=()
for purpose in "${purposes[@]}"; do
  list=$(packages_for "$purpose")
  read -ra names <<<"${list//$'\n'/ }"
  wanted+=("${names[@]}")
done

if [ "$list_only" = yes ]; then
  printf '%s\n' "${wanted[@]}"
  exit 0
fi

if [ -z "$boost" ]; then
  fail "this is ${PRETTY_NAME:-an unknown system}; only Debian 12 (bookworm) and 13 (trixie) are" \
    "supported. On another system install the counterparts of: ${wanted[*]}"
fi

# A removed package with remaining configuration still has a line, so this checks the status.
installed=$(dpkg-query -W -f='${Package} ${db:Status-Abbrev}\n' "${wanted[@]}" 2>/dev/null |
  awk '$2 == "ii" { print $1 }' || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qxF "$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

say "Installing ${missing[*]}"
update_lists
# Programs that need lock servers start them with separate ports and data. This step therefore prevents
# that the system starts them as services too. Running services are kept.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
  as_root chmod +x "$policy"
  trap 'as_root rm -f "$policy"' EXIT
fi
# libboost1.81-dev replaces Debian 12's default 1.74, which is too old for the project. Both cannot be
# installed together, so apt-get removes 1.74.
as_root "${apt[@]}" install --no-install-recommends "${missing[@]}"
