# shellcheck shell=bash
# Shared functions of the scripts. Source it from the root of the repository, after `set -euo pipefail`.

# Python writes no __pycache__ beside the clients.
export PYTHONDONTWRITEBYTECODE=1

# The number of processor cores that we may use.
cores() { nproc; }

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# configure PRESET [CMAKE ARGUMENT …]: quiet unless it fails.
configure() {
  local preset=$1 log=build/configure-$1.log
  shift
  case $preset in
    dev | tsan | fuzz)
      scripts/setup.sh --only build --with sanitizers
      ;;
  esac
  mkdir -p build
  cmake --preset "$preset" "$@" >"$log" 2>&1 || {
    cat "$log"
    rm -f "$log"
    fail "cmake --preset $preset failed"
  }
  rm -f "$log"
}

# build PRESET [TARGET …]: configures if necessary, then builds the targets, or everything. Quiet if
# nothing is to do. A folder that build_programs has configured has no tests; this adds them.
build() {
  local preset=$1
  shift
  if [ ! -f "build/$preset/build.ninja" ] ||
    grep -qx 'FIXKEEP_TESTS:BOOL=OFF' "build/$preset/CMakeCache.txt"; then
    configure "$preset"
  fi
  if [ $# -gt 0 ]; then
    cmake --build "build/$preset" --parallel "$(cores)" --target "$@"
  else
    cmake --build "build/$preset" --parallel "$(cores)"
  fi
}

# Builds only the programs, in release mode. Does not need the dependencies of the tests.
build_programs() {
  if [ ! -f build/release/build.ninja ]; then configure release -DFIXKEEP_TESTS=OFF; fi
  cmake --build build/release --parallel "$(cores)" --target \
    fixkeep-master fixkeep-worker fixkeep-demo-game fixkeep-client-sim fixkeep-relay
}

# The laboratory as well.
build_lab() {
  build_programs
  cmake --build build/release --parallel "$(cores)" --target fixkeep-lab
}

# npm_packages FOLDER [ARGUMENT OF npm ci …]: the packages of FOLDER, in build/ and its last name, since the
# tree holds no files but ours. npm takes its registry from its own configuration, and is not called where they are.
npm_packages() {
  local packages=$1 place=build/${1##*/}
  shift
  mkdir -p "$place"
  if cmp -s "$packages/package-lock.json" "$place/installed-lock.json"; then return; fi
  rm -f "$place/installed-lock.json"
  cp "$packages/package.json" "$packages/package-lock.json" "$packages/.npmrc" "$place/"
  (cd "$place" && timeout 600 npm ci "$@") || fail "npm ci for $packages failed"
  cp "$packages/package-lock.json" "$place/installed-lock.json"
}

may_make_networks() {
  local users=(--map-root-user)
  if [ "$(id -u)" -eq 0 ]; then users=(); fi
  unshare "${users[@]}" --mount --net true 2>/dev/null
}

# Prints a line for each missing dependency of tests: a part of the tests' names, and the dependency.
beyond_this_machine() {
  may_make_networks ||
    echo "InOwnNetwork no right to make a network, as most containers (docker run --cap-add SYS_ADMIN)"
  getent hosts localhost >/dev/null || may_make_networks ||
    echo "AtLocalhost no localhost in /etc/hosts, and no right to bring another one"
  grep -qs '^0\{31\}1 ' /proc/net/if_inet6 || echo "OverIpv6 no ::1"
  grep -qs '^[^ ]* /dev/pts devpts ' /proc/mounts || echo "OnATerminal no /dev/pts, where terminals are"
}

# run_ctest PRESET [CTEST ARGUMENT …]: runs the tests, prints the numbers, and leaves them as
# "passed failed kept" in build/PRESET/ctest-counts, where a program of GoogleTest counts by its cases.
# `beyond` has the names of those that it left out. Its exit code is that of ctest.
run_ctest() {
  local preset=$1 left_out=() name what skipped
  beyond=''
  shift
  while read -r name what; do
    echo "Left out: tests *$name*. This machine has $what."
    beyond+=${beyond:+|}$name
  done < <(beyond_this_machine)
  if [ -n "$beyond" ]; then
    left_out=(-E "$beyond")
    export FIXKEEP_LEFT_OUT="*${beyond//|/*:*}*"
  fi
  local log=build/$preset/ctest.log counts=build/$preset/ctest-counts code=0
  rm -rf "$counts" "build/$preset/counts"
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
    "${left_out[@]}" "$@" 2>&1 |
    tee "$log" || code=$?
  skipped=$(grep -c '^\s*[0-9]* - .* (Skipped)$' "$log" || true)
  if [ "$skipped" -gt 0 ]; then
    echo "$skipped tests were skipped. They count as failed."
    code=1
  fi
  # "97% tests passed, 3 tests failed out of 100"; those that tests/run.sh has counted are in files.
  {
    sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests\{0,1\} failed out of \([0-9]*\).*/\1 \2/p' \
      "$log" | awk -v skipped="$skipped" '{ print $2 - $1 - skipped, $1 + skipped, 0 }'
    find "build/$preset/counts" -type f ! -name '*.log' -exec cat {} + 2>/dev/null |
      awk '{ one_failed = ($2 > 0); print $1 - !one_failed, $2 - one_failed, $3 }'
  } | awk '{ passed += $1; failed += $2; kept += $3 } END { print passed, failed, kept }' >"$counts"
  [[ $(<"$counts") != "0 0 "* ]] || printf '0 1 0\n' >"$counts"
  return "$code"
}

# Prints git's state of the tree without build folders: a line for each changed, new or ignored file.
# Prints nothing if git fails.
tree_state() {
  git status --porcelain --ignored --untracked-files=all -- . ':(exclude)build' 2>/dev/null || true
}

# same_tree STATE: fails and names the files if tree_state says something else now.
same_tree() {
  local change
  change=$(diff <(printf '%s\n' "$1") <(tree_state) | grep '^[<>] .') || true
  if [ -z "$change" ]; then return 0; fi
  printf 'The tree is not as it was before the tests (< before, > after). Who wrote this?\n%s\n' "$change"
  return 1
}

# Every C++ file of the project, one a line.
sources() {
  find clients common master worker lock client-sim ctl lab deploy tests cmake \( -name '*.cpp' -o -name '*.hpp' \) -type f |
    sort
}

# Runs a command as root: directly, or with sudo.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "needs root, and there is no sudo; run as root: $*"
  fi
}

# import_image NAME FILE…: an image of these files, the first of which it runs, of all libraries that
# they are linked with, and of empty folders /tmp and /var. It needs no base image and no registry.
import_image() {
  local name=$1 empty libraries
  shift
  empty=$(mktemp -d)
  mkdir "$empty/tmp" "$empty/var"
  mapfile -t libraries < <(ldd "$@" 2>/dev/null | grep -o '/[^ :]* ' | sort -u)
  tar --create --dereference --hard-dereference --absolute-names "$@" "${libraries[@]% }" \
    --directory "$empty" tmp var |
    docker import --change "CMD [\"$1\"]" - "$name" >/dev/null
  rm -r "$empty"
}

# A fresh machine installs its own updates first; apt and dpkg wait for others, but not for the lists.
# shellcheck disable=SC2034 # for those who install
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600)
update_lists() {
  local said
  for _ in $(seq 120); do
    said=$(as_root "${apt[@]}" update 2>&1) && return
    if ! grep -q 'Could not get lock' <<<"$said"; then break; fi
    say "Another apt is at work; waiting for it"
    sleep "${FIXKEEP_APT_PAUSE_S:-5}"
  done
  printf '%s\n' "$said" >&2
  fail "apt-get update failed"
}
