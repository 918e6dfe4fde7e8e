#!/usr/bin/env bash
# The stack of configs/compose/containers.yml as a person starts it: rooms are containers beside its
# workers, the games answer where players are sent, a burst is exact, a worker that is killed comes
# back to its rooms, and "down" leaves nothing, also of one that was killed before.
#
# Usage: tests/containers/stack_test.sh      with an engine that answers and the image "fixkeep"
set -euo pipefail
log=$(mktemp)
mine=label=fixkeep.cluster=containers
stack() { docker-compose -f configs/compose/containers.yml "$@"; }
finish() {
  stack down -t 5 >/dev/null 2>&1 || true
  docker ps -aq --filter "$mine" | xargs -r docker rm -fv >/dev/null
  rm -f "$log"
}
trap finish EXIT
fail() {
  echo "stack_test: $*" >&2
  tail -n 20 "$log" >&2
  stack logs --tail=20 w1 w2 >&2 || true
  exit 1
}
match() { # PLAYER MODE
  curl -sS -m 60 --retry 30 --retry-connrefused -d "{\"player_id\":\"$1\",\"mode\":\"$2\"}" \
    http://127.0.0.1:8101/v1/match
}
number() { sed 's/.*"port":\([0-9]*\).*/\1/'; }
room() { cut -d'"' -f8; }
query() { # MODE PORT
  python3 tests/containers/game_query.py "$1" 127.0.0.1 "$2" || fail "no game of $1 at port $2"
}
kill_workers() { # of this stack
  local id
  for id in $(stack ps -q w1 w2); do
    # Killed by the engine it would not be started again.
    kill -9 "$(docker inspect -f '{{.State.Pid}}' "$id")" || fail "no worker to kill"
  done
}
volumes_of_rooms() {
  docker ps -q --filter "$mine" | xargs docker inspect -f '{{range .Mounts}}{{println .Name}}{{end}}' |
    grep . | sort
}
anything_left() {
  docker ps -aq --filter "$mine"
  stack ps -q
  comm -12 <(echo "$volumes") <(docker volume ls -q | sort)
}

stack up -d >"$log" 2>&1 || fail "the stack does not start"
for mode in teeworlds freeciv; do
  seat=$(match ann "$mode") || fail "no master answers"
  [[ $seat == *'"port"'* ]] || fail "no seat in $mode: $seat"
  query "$mode" "$(number <<<"$seat")"
done

# The last one is the room in freeciv, for somebody else too.
before=$(docker ps -q --filter "$mine")
[ "$(wc -w <<<"$before")" -eq 2 ] || fail "there are not two rooms: $before"
kill_workers
again=$(match ben freeciv) || fail "no master answers"
[ "$(room <<<"$again")" = "$(room <<<"$seat")" ] ||
  fail "another room after workers were killed: $seat and $again"
[ "$(docker ps -q --filter "$mine")" = "$before" ] || fail "containers ended with their workers"
query freeciv "$(number <<<"$again")"

timeout 120 docker-compose -f configs/compose/containers.yml run --rm client-sim >"$log" 2>&1 ||
  fail "the burst failed"
grep -Eq '^multiphase +1 +0 .* 256/256 +256 +32 +32 ' <<<"$(tr -d '\r' <"$log")" ||
  fail "the burst was not exact"

volumes=$(volumes_of_rooms)
[ -n "$volumes" ] || fail "no room has a volume: what is left of them cannot be seen"
kill_workers
# One that is stopped before the engine has started it again leaves its rooms, as containers.yml says.
for port in 8281 8282; do
  curl -sS -o /dev/null -f --retry 60 --retry-delay 1 --retry-all-errors \
    "http://127.0.0.1:$port/readyz" 2>>"$log" || fail "a worker that was killed does not come back"
done
stack stop >"$log" 2>&1 || fail "the stack does not stop"
for id in $(stack ps -q w1 w2); do
  code=$(docker inspect -f '{{.State.ExitCode}}' "$id")
  [ "$code" -eq 0 ] || fail "a worker has ended with code $code"
done
stack down >"$log" 2>&1 || fail "the stack does not end"
for _ in $(seq 100); do
  [ -z "$(anything_left)" ] && break
  sleep 0.1
done
[ -z "$(anything_left)" ] || fail "left: $(anything_left)"
echo "passed"
