#!/usr/bin/env bash
# Installs the packages in a container with a bare Debian 12 and systemd as init. Tests a match, a restart
# of the worker's unit while a player is connected, reload, watchdog, another version, logrotate, a drain,
# users of rooms, and a purge that removes everything. The last line is "N passed, N failed".
#
# Usage: scripts/package_test.sh      makes the packages first (scripts/package.sh)
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

image=fixkeep-packages-bare
container=fixkeep-packages-$$
work=build/packages/test
passed=0
failed=0

scripts/package.sh
scripts/docker-engine.sh start

# If a step outside of a check fails, the script ends. This counts as a failed check.
# shellcheck disable=SC2317  # by the trap
cleanup() {
  if [ $? -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
  if [ "$failed" -gt 0 ]; then inside journalctl --no-pager -n 200 || true; fi
  docker rm -f "$container" >/dev/null 2>&1 || true
  docker rmi "$image" >/dev/null 2>&1 || true
  # An engine that was there before, or is used by somebody else, stays.
  if [ -z "$(docker ps -q)" ]; then scripts/docker-engine.sh stop || true; fi
  printf '\n%s passed, %s failed\n' "$passed" "$failed"
}
trap cleanup EXIT

inside() { docker exec "$container" "$@"; }
property() { inside systemctl show -P "$2" "$1.service"; } # UNIT PROPERTY
journal() { inside journalctl --no-pager -o cat -u "$1.service"; }

check() { # WHAT COMMAND …
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "passed: $what"
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
  fi
}

# Whether the command succeeds within so many seconds.
within() { # SECONDS COMMAND …
  local until=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$until" ] || return 1
    sleep 0.2
  done
}

active() { [ "$(property "$1" ActiveState)" = active ]; }
# Reads everything before the search: a writer fails if its reader ends early.
has_text() { [[ $1 == *"$2"* ]]; }                      # WHOLE PART
says() { has_text "$(journal "$1")" "$2"; }             # UNIT TEXT
status_is() { [ "$(property "$1" StatusText)" = "$2" ]; }
changed() { [ "$(property "$1" MainPID)" != "$2" ] && active "$1"; } # UNIT PID-BEFORE

match() { # PLAYER: the answer, on one line
  inside curl -s -m 20 http://127.0.0.1:8080/v1/match -d \
    "{\"player_id\":\"$1\",\"mode\":\"duel\",\"attributes\":{\"region\":\"eu\",\"version\":\"1\",\"skill\":1000}}"
}
field() { grep -oE "\"$1\":\"?[^\",}]*" <<<"$seat" | sed -E 's/^[^:]*:"?//'; }
seated() { # PLAYER
  seat=$(match "$1") && grep -q '"seat_token":' <<<"$seat"
}
games() { # by a name of 15 characters, as the kernel keeps it
  # shellcheck disable=SC2016  # the shell inside expands it
  inside sh -c 'for one in /proc/[0-9]*; do
    if [ "$(cat "$one/comm" 2>/dev/null)" = fixkeep-demo-ga ]; then echo "${one#/proc/}"; fi
  done'
}
no_process() { ! has_text "$(inside sh -c 'cat /proc/[0-9]*/comm' 2>/dev/null)" fixkeep; }
no_games() { [ -z "$(games)" ]; }
operators() { # URL: the answer to one who shows the token
  inside sh -c "curl -s -H \"Authorization: Bearer \$(cat /etc/fixkeep/admin.token)\" $1"
}
rooms() { operators http://127.0.0.1:8180/v1/rooms; }
lists_room() { has_text "$(rooms)" "\"$room\""; }

# A player who holds a connection and says PING whenever a byte comes to its pipe.
enter() { # TOKEN PORT
  inside sh -c 'rm -rf /run/player; mkdir /run/player'
  docker exec -d "$container" bash -c "
    exec 3<>/dev/tcp/127.0.0.1/$2
    echo 'JOIN $1' >&3
    while read -r line <&3; do echo \"\$line\" >>/run/player/heard; done &
    while [ ! -e /run/player/leave ]; do
      if [ -e /run/player/ping ]; then rm /run/player/ping; echo PING >&3; fi
      sleep 0.1
    done"
}
heard() { inside grep -q "$1" /run/player/heard 2>/dev/null; }
still_plays() {
  inside rm -f /run/player/heard
  inside touch /run/player/ping
  within 10 heard PONG
}

# Everything in the file system that apt and the system do not change by themselves.
tree() {
  inside find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /packages \
    -o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/log/apt \
    -o -path /var/lib/logrotate -o -path /var/log/journal -o -path /var/tmp \) -prune -o -print | sort
}
with() { # UNIT LINE …: a drop-in, in effect from the next start
  local unit=$1
  shift
  inside mkdir -p "/etc/systemd/system/$unit.service.d"
  printf '%s\n' '[Service]' "$@" |
    docker exec -i "$container" tee "/etc/systemd/system/$unit.service.d/test.conf" >/dev/null
  inside systemctl daemon-reload
}
without() { # UNIT
  inside rm -r "/etc/systemd/system/$1.service.d"
  inside systemctl daemon-reload
}

# --- installation ---------------------------------------------------------------------------------
say "A bare Debian with systemd"
docker build -q -t "$image" -f deploy/packaging/bare.Dockerfile deploy/packaging >/dev/null
# The rights that systemd needs, and a worker with users for rooms. Some machines cannot give
# "--privileged".
docker run -d --name "$container" --cap-add SYS_ADMIN --cap-add SYS_PTRACE \
  --cgroupns=private --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
  --tmpfs /run --tmpfs /run/lock -v "$PWD/build/packages:/packages:ro" "$image" >/dev/null
running() { [ "$(inside systemctl is-system-running 2>/dev/null)" = running ]; }
check "systemd is the init" within 30 running
mkdir -p "$work"
tree >"$work/before"

say "Only fixkeep"
# The pattern is for the shell inside.
install_package() {
  inside sh -c "apt-get install -y -q $1" >"$work/apt.log" 2>&1 || {
    cat "$work/apt.log"
    return 1
  }
}
check "apt installs fixkeep" install_package '/packages/fixkeep_*.deb'
check "the master is active" within 10 active fixkeep-master
check "the worker is active" within 10 active fixkeep-worker
check "the master says where it serves" status_is fixkeep-master "takes match requests at 127.0.0.1:8080"
check "the worker says which program is missing" says fixkeep-worker "program=fixkeep-demo-game"
check "nodes have a link" within 10 says fixkeep-master "link up"
secret_is_closed() { [ "$(inside stat -c '%a %U %G' /etc/fixkeep/cluster.secret)" = "640 root fixkeep" ]; }
check "the secret is for root and fixkeep alone" secret_is_closed
token_is_closed() { [ "$(inside stat -c '%a %U %G' /etc/fixkeep/admin.token)" = "640 root fixkeep" ]; }
check "so is the token of operators" token_is_closed
wants_token() { # PORT
  [ "$(inside curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$1/metrics")" = 401 ] &&
    has_text "$(operators "http://127.0.0.1:$1/metrics")" fixkeep_build_info
}
check "the master shows operators nothing without it" wants_token 8180
check "nor does the worker" wants_token 8280
refused() { has_text "$(match nobody)" 'the operator finds the reason in the log of this master'; }
check "a player is told that no game starts" refused
check "the master says why" within 10 says fixkeep-master "cannot execute fixkeep-demo-game"

# --- a match --------------------------------------------------------------------------------------
say "With fixkeep-tools"
check "apt installs fixkeep-tools" install_package '/packages/fixkeep-tools_*.deb'
check "a player gets a seat" within 60 seated ann
room=$(field room_id)
enter "$(field seat_token)" "$(field port)"
check "the game lets the player in" within 10 heard WELCOME
game=$(games)
game_is_there() { [ -n "$game" ] && [ "$(games)" = "$game" ]; }
check "one game runs" test "$(wc -w <<<"$game")" = 1
has_nothing_of_systemd() {
  local environment
  environment=$(inside sh -c "tr '\\0' ' ' </proc/$game/environ")
  has_text "$environment" FIXKEEP_ROOM_ID && ! has_text "$environment" NOTIFY_SOCKET &&
    ! has_text "$environment" WATCHDOG_
}
check "the game knows nothing of systemd's socket" has_nothing_of_systemd

# --- restart, reload, watchdog --------------------------------------------------------------------
say "The worker's unit restarts under a running game"
worker=$(property fixkeep-worker MainPID)
from=$(date +%s%N)
inside systemctl restart fixkeep-worker
echo "restarted in $((($(date +%s%N) - from) / 1000000)) ms"
check "another worker runs" changed fixkeep-worker "$worker"
check "it is the same game" game_is_there
check "the worker goes on with the room" within 10 says fixkeep-worker "room goes on"
check "the master lists the room" within 10 lists_room
check "the player still plays" still_plays
same_room() { seated bob && [ "$(field room_id)" = "$room" ]; }
check "another player comes to the same room" within 20 same_room

say "Reload"
inside sed -i 's/--boot-ms", "500"/--boot-ms", "400"/' /etc/fixkeep/worker.json
inside systemctl reload fixkeep-worker
check "systemctl reload takes over the games" within 10 says fixkeep-worker "changed=games[0].command"
inside sed -i 's/"limit": 100/"limit": "many"/' /etc/fixkeep/worker.json
inside systemctl reload fixkeep-worker
check "a mistake is refused, as the status says" within 10 status_is fixkeep-worker \
  "starts rooms when masters order them; refused a new configuration, see the log"
inside sed -i 's/"limit": "many"/"limit": 100/' /etc/fixkeep/worker.json
inside systemctl reload fixkeep-worker fixkeep-master
check "the mended one is taken" within 10 status_is fixkeep-worker "starts rooms when masters order them"
check "the master has read its own" within 10 says fixkeep-master "configuration read again"
check "both are active" eval "active fixkeep-master && active fixkeep-worker"

say "The watchdog"
master=$(property fixkeep-master MainPID)
worker=$(property fixkeep-worker MainPID)
inside sh -c "kill -STOP $master $worker"
check "a master that hangs is started again" within 60 changed fixkeep-master "$master"
check "a worker that hangs is started again" within 60 changed fixkeep-worker "$worker"
check "it was the watchdog" eval "says fixkeep-master 'Watchdog timeout' && says fixkeep-worker 'Watchdog timeout'"
check "it is still the same game" game_is_there
check "the new master lists the room" within 20 lists_room
check "the player still plays" still_plays

say "Another version of the package"
worker=$(property fixkeep-worker MainPID)
check "apt installs it over the other" install_package '--reinstall /packages/fixkeep_*.deb'
check "another worker runs" within 10 changed fixkeep-worker "$worker"
check "it is still the same game" game_is_there
check "the player still plays" still_plays
check "what was edited stays" inside grep -qF '"400"' /etc/fixkeep/worker.json
inside touch /run/player/leave

# --- log files, stop, users -----------------------------------------------------------------------
say "Log files"
with fixkeep-master 'Environment=FIXKEEP_LOG_FILE=/var/log/fixkeep/master.log'
inside systemctl restart fixkeep-master
check "the master logs to a file" within 10 inside grep -q "master started" /var/log/fixkeep/master.log
inside logrotate --force /etc/logrotate.d/fixkeep
reopened() { inside sh -c 'test -s /var/log/fixkeep/master.log && test -s /var/log/fixkeep/master.log.1'; }
check "logrotate moves it, and the master opens a new one" within 10 reopened
without fixkeep-master

say "Stop"
inside systemctl stop fixkeep-worker
check "systemctl stop closes the rooms" within 10 no_games

say "Stop, while rooms drain for longer than the unit allows"
with fixkeep-worker TimeoutStopSec=2 Environment=FIXKEEP_WORKER_DRAIN_MS=8000
inside systemctl start fixkeep-worker
check "a player gets a seat" within 60 seated eve
enter "$(field seat_token)" "$(field port)"
check "the game lets the player in" within 10 heard "WELCOME eve"
from=$SECONDS
inside systemctl stop fixkeep-worker
drained() { [ $((SECONDS - from)) -ge 7 ] && no_games && says fixkeep-worker "Deactivated successfully"; }
check "systemd waits for the end of the drain" drained
not_killed() { ! says fixkeep-worker "stop-sigterm' timed out"; }
check "and kills nothing" not_killed
inside touch /run/player/leave
without fixkeep-worker

say "A user for each room"
inside install -D -m 644 /usr/share/doc/fixkeep/examples/users-of-rooms.conf \
  /etc/systemd/system/fixkeep-worker.service.d/users.conf
with fixkeep-worker 'Environment=FIXKEEP_ROOMS_USERS_FIRST=200000'
check "the worker starts with the drop-in" inside systemctl start fixkeep-worker
inside systemctl restart fixkeep-master
check "a player gets a seat" within 60 seated cid
of_its_own() { [ "$(inside stat -c %u "/proc/$(games)")" -ge 200000 ]; }
check "the game has a user of its own" of_its_own
check "systemctl stop closes the rooms" eval "inside systemctl stop fixkeep-worker && within 10 no_games"
without fixkeep-worker
inside systemctl start fixkeep-worker

# --- removal --------------------------------------------------------------------------------------
say "Removal, with a room that runs"
check "a player gets a seat" within 60 seated dan
inside systemctl restart fixkeep-worker
for unit in fixkeep-master fixkeep-worker; do
  inside systemd-analyze security --no-pager "$unit.service" | tail -n 1 || true
done
check "apt removes both" inside sh -c "apt-get remove -y -q fixkeep fixkeep-tools >/dev/null"
check "no process is left" within 10 no_process
check "the configuration stays" inside test -e /etc/fixkeep/worker.json -a -e /etc/fixkeep/cluster.secret
purge() {
  inside sh -c "apt-get purge -y -q fixkeep fixkeep-tools && apt-get autoremove --purge -y -q" \
    >"$work/purge.log" 2>&1 || {
    cat "$work/purge.log"
    return 1
  }
}
check "apt purges both" purge
tree >"$work/after"
same_tree() { diff "$work/before" "$work/after"; }
check "no file is left" same_tree
check "no user and no group is left" eval "! inside getent passwd fixkeep && ! inside getent group fixkeep"
no_unit() { [ -z "$(inside systemctl list-units --all --no-legend --plain 'fixkeep*')$(inside systemctl list-unit-files --no-legend 'fixkeep*')" ]; }
check "no unit is left" no_unit

# --- the library of locks -------------------------------------------------------------------------
say "With libfixkeep-lock-dev alone"
check "apt installs it, and a compiler" install_package \
  '--no-install-recommends /packages/libfixkeep-lock-dev_*.deb g++ cmake make'
build_examples() {
  inside sh -c "cmake -S /usr/share/doc/libfixkeep-lock-dev/examples -B /tmp/examples &&
    cmake --build /tmp/examples" >"$work/examples.log" 2>&1 || {
    cat "$work/examples.log"
    return 1
  }
}
check "its examples build" build_examples
check "two masters share a lock" has_text "$(inside /tmp/examples/two_masters)" "counted to 200"
two_processes() {
  inside timeout 60 sh -c "/tmp/examples/two_processes 1 27001 & /tmp/examples/two_processes 2 27001 && wait \$!"
}
check "so do two processes" two_processes

[ "$failed" -eq 0 ]
