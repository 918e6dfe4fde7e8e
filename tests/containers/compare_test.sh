#!/usr/bin/env bash
# A whole comparison whose rooms are containers: a small burst is exact, its report says how rooms
# were run, and nothing is left, also of one that is interrupted, and of a worker that is killed.
#
# Usage: tests/containers/compare_test.sh PROGRAMS      with an engine that answers; `runner` is docker
# unless it is set
set -euo pipefail
bin=$1
runner=${runner:-docker}
place=$(mktemp -d)
sim=
finish() {
  [ -z "$sim" ] || kill -9 "$sim" 2>/dev/null || true
  rm -rf "$place"
}
trap finish EXIT
fail() {
  echo "compare_test: $*" >&2
  tail -n 30 "$place"/*.txt >&2
  exit 1
}
# Those of client-sim with this number, or of any.
containers() { # FILTER-OPTION
  docker ps "$1" --filter label=fixkeep.cluster --format '{{.Labels}}' |
    grep -c "fixkeep.cluster[=:]client-sim-$sim-" || true
}
begin() { # NAME ARGUMENT…: client-sim in the background
  local name=$1
  shift
  "$bin/fixkeep-client-sim" "$@" --runner "$runner" --masters 1 --workers 1 >"$place/$name.txt" 2>&1 &
  sim=$!
}
wait_for_a_room() {
  for _ in $(seq 600); do
    [ "$(containers --no-trunc)" -gt 0 ] && return
    sleep 0.1
  done
  fail "no room has become a container"
}

# There is but an image of an earlier build, which goes when there is a newer one.
docker images --format '{{.Repository}}:{{.Tag}}' localhost/fixkeep-demo-game | xargs -r docker rmi >/dev/null
tar --create --files-from /dev/null | docker import - localhost/fixkeep-demo-game:of-an-earlier-build >/dev/null

# --- a burst -------------------------------------------------------------------------------------
begin burst compare --locks multiphase --players 24 --groups 2 --boot-ms 100 --json "$place/runs.json"
wait "$sim" || fail "the burst ended with $?"
[ "$(containers --all)" -eq 0 ] || fail "the burst has left containers"
for fact in "\"runner\":\"$runner\"" '"rooms":4,' '"connected":24' '"duplicate_rooms":0'; do
  grep -qF "$fact" "$place/runs.json" || fail "not in the JSON: $fact: $(cat "$place/runs.json")"
done
images=$(docker images --format '{{.Repository}}:{{.Tag}}' localhost/fixkeep-demo-game)
[ "$(wc -w <<<"$images")" -eq 1 ] || fail "there are images of earlier builds: $images"
grep -q '^lock .* runner ' "$place/burst.txt" || fail "the table does not say the runner"

# --- Ctrl-C while rooms boot ---------------------------------------------------------------------
begin interrupted compare --locks none --players 16 --groups 2 --boot-ms 20000
wait_for_a_room
kill -INT "$sim"
code=0
wait "$sim" || code=$?
[ "$code" -eq 130 ] || fail "interrupted, it ended with $code"
[ "$(containers --all)" -eq 0 ] || fail "one that was interrupted has left containers"

# --- a worker that is killed ---------------------------------------------------------------------
begin killed up --boot-ms 0 --warm 2
wait_for_a_room
# Before that, a worker that ends is a cluster that cannot be started.
for _ in $(seq 600); do
  grep -q 'Ctrl-C ends it all' "$place/killed.txt" && break
  sleep 0.1
done
worker=$(pgrep -P "$sim" -f fixkeep-worker)
kill -9 "$worker"
for _ in $(seq 300); do
  grep -q 'worker-1 .*has ended' "$place/killed.txt" && break
  sleep 0.1
done
[ "$(containers --all)" -gt 0 ] || fail "containers went with their worker: this tries nothing"
kill -INT "$sim"
wait "$sim" || fail "up ended with $?"
[ "$(containers --all)" -eq 0 ] || fail "a worker that was killed has left containers"
folder=$(sed -n 's/^Configuration and logs are kept in //p' "$place/killed.txt")
[ -d "$folder" ] || fail "nothing says where the logs are of a worker that was killed"
rm -rf "$folder"
echo "passed"
