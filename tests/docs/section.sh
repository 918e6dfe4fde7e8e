# shellcheck shell=bash
# What stands before the commands of a section when they are run: bash -eu -o pipefail.

exec 9>"$DOCS_WORK/at" # which command is under way
jobs_of_section=()

# What a document starts and leaves running ends by SIGTERM and with code 0.
end_section() {
  local code=$? pid one
  trap - EXIT
  mapfile -t jobs_of_section < <(jobs -p)
  for pid in "${jobs_of_section[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${jobs_of_section[@]}"; do
    one=0
    wait "$pid" || one=$?
    if [ "$one" -ne 0 ]; then
      echo "what was started in the background has ended with code $one"
      if [ "$code" -eq 0 ]; then code=1; fi
    fi
  done
  exit "$code"
}
trap end_section EXIT
trap 'exit 143' TERM

# A room that nobody has drained or closed yet, of a group of its own.
rooms_made=0
fresh_room() {
  rooms_made=$((rooms_made + 1))
  room=$(curl -s "$DOCS_MASTER/v1/match" -d "{\"player_id\":\"player$rooms_made\",\"mode\":\"duel\",
    \"attributes\":{\"region\":\"r$rooms_made\",\"version\":\"1\",\"skill\":1000}}" |
    sed 's/.*"room_id":"\([^"]*\)".*/\1/')
  case $room in
    w1-*-*) ;;
    *)
      echo "no room: $room"
      return 1
      ;;
  esac
}

# A program that is looked at until Ctrl-C may end by the signal.
end_watch() { # PID
  local code=0
  kill -TERM "$1"
  wait "$1" || code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 143 ]
}
