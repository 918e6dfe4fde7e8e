#!/usr/bin/env bash
# Whether tests/run.sh ends a program by its processor time, and not by the time on the wall; and whether
# what is skipped counts as failed.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0

if tests/run.sh --counts "$work/busy" --seconds 1 /bin/sh -c 'while :; do :; done' >"$work/said"; then
  echo "a program without an end is not ended"
  code=1
fi
grep -q 'it took more than 1 s of processor time' "$work/said" || { cat "$work/said"; code=1; }
[ "$(cat "$work/busy")" = "0 1 0" ] || { echo "counted: $(cat "$work/busy")"; code=1; }
tests/run.sh --counts "$work/idle" --seconds 1 /bin/sleep 2 || { echo "one that waits is ended"; code=1; }

printf 'echo "[  SKIPPED ] A.b (0 ms)"\necho "[  PASSED  ] 3 tests."\n' >"$work/skips"
if tests/run.sh --counts "$work/skipped" /bin/sh "$work/skips" >/dev/null; then
  echo "a program of which a case is skipped has passed"
  code=1
fi
[ "$(cat "$work/skipped")" = "3 1 0" ] || { echo "counted: $(cat "$work/skipped")"; code=1; }
exit "$code"
