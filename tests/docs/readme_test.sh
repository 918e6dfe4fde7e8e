#!/usr/bin/env bash
# Whether the commands that README.md shows for asking for a seat work as they stand, one after the
# other, against a cluster started like that of scripts/up.sh.
#
# Usage: tests/docs/readme_test.sh FOLDER-OF-PROGRAMS
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
up=
cleanup() {
  if [ -n "$up" ] && kill -0 "$up" 2>/dev/null; then
    kill "$up"
    wait "$up" || true
  fi
  rm -rf "$work"
}
trap cleanup EXIT
fail() {
  printf 'readme: %s\n' "$1" >&2
  cat "$work"/*.log >&2
  exit 1
}

# Output to a pipe, so that the line that ends the start is waited for and not polled.
mkfifo "$work/out"
"$1/fixkeep-client-sim" up --boot-ms 0 >"$work/out" 2>"$work/up.log" &
up=$!
exec 3<"$work/out"
master=
while read -r line <&3; do
  case $line in
    "master 1,"*)
      master=${line#*http://}
      master=${master%% *}
      ;;
    "Ctrl-C ends"*) break ;;
  esac
done
[ -n "$master" ] || fail "the cluster did not start"

# The blocks of shell commands of one section. Where the usual ports are taken, the cluster has
# others, and a reader of what it prints asks there.
awk '/^## /{ours = ($0 == "## Ask for a seat"); next}
     /^```/{shell = ours && !shell && $0 == "```sh"; next}
     shell' README.md | sed "s/127\.0\.0\.1:8101/$master/g" >"$work/commands"
grep -q "$master" "$work/commands" || fail "the section \"Ask for a seat\" asks no master"
bash -eu -o pipefail "$work/commands" >"$work/commands.log" 2>&1 || fail "a command failed"
grep -q '"seat_token":' "$work/commands.log" || fail "nobody got a seat"
grep -q '^WELCOME ann ' "$work/commands.log" || fail "the game did not let the player in"

kill -INT "$up"
code=0
wait "$up" || code=$?
up=
[ "$code" -eq 0 ] || fail "the cluster ended with code $code"
[ ! -s "$work/up.log" ] || fail "the cluster complained"
