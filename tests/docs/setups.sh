# shellcheck shell=bash disable=SC2154 # work, programs and document are those of document_test.sh
# What the sections of documents need before their commands can be run. Each set-up fills `mapping`,
# a script for sed that puts the ports of this run in the place of those in the document. Source it
# from document_test.sh.

started=() # processes to be ended, the last one first

# Ports that no other test and no local cluster has: client-sim/cluster/ports.hpp says how a slot is
# taken. They are `base` and 249 more.
take_ports() {
  exec 4< <(exec python3 -c '
import signal, socket
for slot in range(79, -1, -1):
    guard = socket.socket()
    try:
        guard.bind(("127.0.0.1", 31000 + slot))
        guard.listen(1)
    except OSError:
        continue
    print(10000 + slot * 250, flush=True)
    signal.pause()')
  guard=$!
  read -r base <&4 || fail "no free ports"
  started+=("$guard")
}

# Folder and programs as a reader has them who stands in the root of the repository.
set_up_folder() {
  # What the set-up before has said is not to be taken for what this one says.
  rm -f "$work"/*.out "$work"/*.log
  mkdir -p "$work/here/build/release"
  ln -sfn "$programs" "$work/here/build/release/bin"
  ln -sfn "$PWD/scripts" "$PWD/tests" "$PWD/lock" "$PWD/clients" "$work/here"
  export PATH="$programs:$PATH" TMPDIR="$work/tmp" DOCS_WORK="$work"
  mkdir -p "$TMPDIR"
}

# For what is started by the commands themselves: the examples of configuration and the files of the
# document, with ports of their own.
set_up_machine() {
  take_ports
  local index=0 port file
  for port in 8080 8101 8102 8103 8180 8181 8182 8183 7100 7101 7102 7103 8280 7181 8090; do
    mapping+="s/\b$port\b/$((base + index))/g;"
    index=$((index + 1))
  done
  mapping+="s/\b20000\b/$((base + 50))/g;s/\b20009\b/$((base + 59))/g;s/\b20999\b/$((base + 249))/g;"
  mkdir -p "$work/here/configs"
  cp -r configs/*.json configs/games "$work/here/configs"
  cp configs/master.json configs/worker.json "$work/here"
  mapping+="s#/srv/game\b#$work/here#g;"
  write_files "$document" "$work/here"
  for file in "$work"/here/*.json "$work"/here/configs/*.json; do sed -i "$mapping" "$file"; done
}

# ADDRESS_OF PATTERN: of the first line of what the cluster has printed.
address_of() { sed -nE "s/.*$1 *http:\/\/([0-9.:]+).*/\1/p" "$work/up.out" | head -n 1; }

# A cluster like that of scripts/up.sh. Where the usual ports are taken it has others.
set_up_cluster() {
  "$programs/fixkeep-client-sim" up --boot-ms 0 "$@" >"$work/up.out" 2>"$work/up.log" &
  started+=($!)
  wait_for '^Ctrl-C ends' "$work/up.out" $! ||
    fail "the cluster did not start: $(cat "$work/up.log")"
  local number admins='' address
  for number in 1 2 3; do
    address=$(address_of "master $number,[^h]*")
    if [ -z "$address" ]; then break; fi
    mapping+="s/127\.0\.0\.1:810$number/$address/g;"
    address=$(address_of "master $number,.*operators")
    mapping+="s/127\.0\.0\.1:818$number/$address/g;"
    admins+="${admins:+,}http://$address"
  done
  mapping+="s/127\.0\.0\.1:7181/$(address_of 'worker 1,.*operators')/g;"
  export FIXKEEP_ADMIN=$admins DOCS_MASTER
  DOCS_MASTER=http://$(address_of 'master 1,[^h]*')
  write_files "$document" "$work/here"
}

# The same with one worker, so that it is known which one has a room.
set_up_one_worker() { set_up_cluster --workers 1; }

# The same where an engine has to run what the document has as an image.
set_up_engine() {
  docker version >"$work/docker.out" 2>&1 || fail "no engine answers: $(tail -n 1 "$work/docker.out")"
  set_up_machine
}

set_up_race() {
  take_ports
  "$programs/fixkeep-lab" race --port "$base" >"$work/up.out" 2>"$work/up.log" &
  started+=($!)
  wait_for 'http://' "$work/up.out" $! || fail "the race did not start"
  mapping+="s/127\.0\.0\.1:8090/127.0.0.1:$base/g;"
}

set_up_none() { :; }

# For commands that read the examples of rules.
set_up_rules() {
  mkdir -p "$work/here/configs"
  cp -r configs/matching "$work/here/configs"
}

# For commands that a game gives: a cluster whose games are room.sh, which run_in_room writes. The
# files are those of the integration guide.
set_up_room() {
  document=docs/integration.md set_up_machine
  sed -i 's#"python3", ".*/game.py"#"bash", "'"$work"'/room.sh"#' "$work/here/worker.json"
  local role
  for role in master worker; do
    (cd "$work/here" && exec "$programs/fixkeep-$role" --config $role.json) >"$work/$role.log" 2>&1 &
    started+=($!)
    wait_for "$role started" "$work/$role.log" $! || fail "the $role did not start"
  done
}

# Runs a script as the game of a room. The seat is answered for when the script is through, since only
# then the room is ready.
run_in_room() { # SCRIPT
  cat >"$work/room.sh" <<END
export DOCS_WORK="$work" PATH="$PATH"
code=0
cd "$work/here" && bash -eu -o pipefail "$1" </dev/null >"$1.out" 2>&1 || code=\$?
echo "\$code" >"$1.code"
curl -s "http://localhost:\$AGONES_SDK_HTTP_PORT/ready" -d '{}'
exec sleep infinity
END
  curl -s --retry 5 "http://127.0.0.1:$base/v1/match" \
    -d '{"player_id":"ann","mode":"chat","attributes":{"region":"eu"},"wait_ms":30000}' >"$work/seat"
  return "$(cat "$1.code" || echo 1)"
}

# Ends what has been started; what must end with code 0 and without complaint does.
end_set_up() {
  local pid code index
  for ((index = ${#started[@]} - 1; index >= 0; index--)); do
    pid=${started[index]} code=0
    kill -TERM "$pid" 2>/dev/null || continue
    wait "$pid" || code=$?
    if [ "$code" -ne 0 ] && [ "$pid" != "${guard:-}" ]; then complain "the set-up ended with code $code"; fi
  done
  started=()
  if [ -s "$work/up.log" ]; then complain "the cluster complained: $(cat "$work/up.log")"; fi
  rm -f "$work/up.log"
}
