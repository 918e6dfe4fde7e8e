#!/bin/sh
# A small hook for rooms: starts each room as a process of this machine, with its own port.
# Your hook would call a service instead. docs/integration.md describes the commands' arguments.
#   local.sh start PROGRAM [ARGUMENT ...]    local.sh stop OBJECT    local.sh list
set -eu
folder=${HOOK_FOLDER:-/tmp/fixkeep-hook-$(id -u)}
first_port=${HOOK_FIRST_PORT:-21000}
last_port=${HOOK_LAST_PORT:-21999}
umask 077
mkdir -p "$folder/ports"

# Prints the start time of a process, because the system may reuse its number. Prints nothing for an
# ended process.
began() {
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  # shellcheck disable=SC2086 # these are words
  set -- ${stat##*) }
  case $1 in Z | X) ;; *) echo "${20}" ;; esac
}

runs() {
  [ -s "$folder/$1.pid" ] && read -r pid since <"$folder/$1.pid" && [ "$(began "$pid")" = "$since" ]
}

# The game starts after this script has ended, and only if the script has recorded it. Even if this
# script is killed at any point, "list" therefore shows every game.
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

# Also removes the files of a killed "start", but not of a running one. Only one "list" runs at a time:
# otherwise it could remove a port that another "list" has freed and a new room has taken.
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
