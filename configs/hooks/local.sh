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

# The number of a process may be another's by now, so its environment is asked.
runs() {
  [ -s "$folder/$1.pid" ] && tr '\0' '\n' 2>/dev/null <"/proc/$(cat "$folder/$1.pid")/environ" |
    grep -qx "FIXKEEP_OBJECT=$1"
}

forget() {
  if [ -s "$folder/$1.port" ]; then rmdir "$folder/ports/$(cat "$folder/$1.port")" || :; fi
  rm -f "$folder/$1.pid" "$folder/$1.port"
}

start() {
  port=$first_port
  until mkdir "$folder/ports/$port" 2>/dev/null; do
    port=$((port + 1))
    if [ "$port" -gt "$last_port" ]; then
      echo "no port is free" >&2
      exit 1
    fi
  done
  echo "$port" >"$folder/$FIXKEEP_OBJECT.port"
  FIXKEEP_PORT=$port setsid "$@" >/dev/null 2>&1 </dev/null &
  echo $! >"$folder/$FIXKEEP_OBJECT.pid"
  echo "${HOOK_HOST:-127.0.0.1} $port"
}

stop() {
  case ${FIXKEEP_STOP:-kill} in ask) signal=TERM ;; *) signal=KILL ;; esac
  if runs "$1"; then kill -s "$signal" -- "-$(cat "$folder/$1.pid")" || :; fi
}

list() {
  for file in "$folder"/*.pid; do
    [ -e "$file" ] || continue
    object=$(basename "$file" .pid)
    if runs "$object"; then echo "$object"; else forget "$object"; fi
  done
}

command=$1
shift
"$command" "$@"
