#!/bin/sh
# A hook for rooms, in small: it starts them as processes of this machine, with a port each.
# A hook of yours asks a service instead; docs/integration.md says what each command is told.
#   local.sh start PROGRAM [ARGUMENT ...]    local.sh stop OBJECT    local.sh list
set -eu
folder=${HOOK_FOLDER:-/tmp/fixkeep-hook-$(id -u)}
first_port=${HOOK_FIRST_PORT:-21000}
last_port=${HOOK_LAST_PORT:-21999}
umask 077
mkdir -p "$folder/ports"

# When a process began: its number alone may be another's by now. Nothing of one that has ended.
began() {
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  # shellcheck disable=SC2086 # these are words
  set -- ${stat##*) }
  case $1 in Z | X) ;; *) echo "${20}" ;; esac
}

runs() {
  [ -s "$folder/$1.pid" ] && read -r pid since <"$folder/$1.pid" && [ "$(began "$pid")" = "$since" ]
}

# The game begins when this script has ended, and only if it has been written down until then. So
# there is no game that no list shows, whenever this script is killed.
start() {
  exec 9>"$folder/$FIXKEEP_OBJECT.lock"
  flock 9
  port=$first_port
  until ln -s "$FIXKEEP_OBJECT" "$folder/ports/$port" 2>/dev/null; do
    port=$((port + 1))
    if [ "$port" -gt "$last_port" ]; then
      echo "no port is free" >&2
      exit 1
    fi
  done
  # shellcheck disable=SC2016 # for the shell that becomes the game
  FIXKEEP_PORT=$port setsid sh -c '
    flock "$0.lock" true && read -r pid since <"$0.pid" && [ "$pid" = "$$" ] && exec "$@"
  ' "$folder/$FIXKEEP_OBJECT" "$@" >/dev/null 2>&1 </dev/null 9>&- &
  echo "$! $(began $!)" >"$folder/$FIXKEEP_OBJECT.new"
  mv "$folder/$FIXKEEP_OBJECT.new" "$folder/$FIXKEEP_OBJECT.pid"
  echo "${HOOK_HOST:-127.0.0.1} $port"
}

stop() {
  case ${FIXKEEP_STOP:-kill} in ask) signal=TERM ;; *) signal=KILL ;; esac
  if runs "$1"; then kill -s "$signal" -- "-$pid" || kill -s "$signal" "$pid" || :; fi
}

# What a start that was killed has left is taken away as well, but for one that is under way. One
# list at a time: a port that another has just taken away may be that of a new room.
list() {
  exec 9>"$folder/lock"
  flock 9
  for port in "$folder"/ports/*; do
    object=$(readlink "$port") || continue
    if runs "$object"; then
      echo "$object"
    elif flock -n "$folder/$object.lock" true; then
      rm -f "$folder/$object.pid" "$folder/$object.lock" "$port"
    fi
  done
}

command=$1
shift
"$command" "$@"
