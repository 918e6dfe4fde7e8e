#!/usr/bin/env bash
# deploy/kubernetes as a person applies it, on a real cluster: certificates, three masters and two
# workers, matches through the Service, rooms that tell the SDK who plays. Then all masters and all
# workers are replaced, one after the other, while players come: each gets in and stays, no room is
# made that is not needed, and no room of before ends.
#
# Usage: tests/pods/deploy_test.sh PROGRAMS      within scripts/private-cluster.sh
set -euo pipefail
# shellcheck source=scripts/lib.sh
source scripts/lib.sh
bin=$(realpath "$1")
place=$(mktemp -d)
chmod 755 "$place"
export PATH=$bin:$PATH
loader=
finish() {
  touch "$place/enough" "$place/over"
  if [ -n "$loader" ]; then wait "$loader" 2>/dev/null || true; fi
  kubectl -n fixkeep delete pods --all --grace-period=0 --force >/dev/null 2>&1 || true
  kubectl delete namespace fixkeep --timeout=120s >/dev/null || true
  kubectl delete persistentvolume state-0 state-1 --timeout=30s >/dev/null || true
  kubectl -n games delete pods -l fixkeep.io/cluster=kubernetes --grace-period=0 --force >/dev/null 2>&1 || true
  rm -rf "$place"
}
trap finish EXIT
fail() {
  echo "deploy_test: $*" >&2
  kubectl get pods -A -o wide >&2 || true
  for pod in master-0 master-1 master-2 worker-0 worker-1; do
    echo "-- $pod" >&2
    kubectl -n fixkeep describe pod $pod 2>&1 | tail -n 6 >&2 || true
    kubectl -n fixkeep logs --tail=15 $pod >&2 || true
  done
  exit 1
}

# --- what this cluster has otherwise than others: images of the release build, no class of storage, one
# node for all rooms, and a release that is older than the API of disruption budgets; and pods may take
# minutes to come back
import_image fixkeep-programs /bin/sh "$(type -P sleep)" "$bin"/fixkeep-{master,worker,room-keeper,sdk-relay,demo-game}
printf 'FROM fixkeep-programs\nENV PATH=%s:/usr/bin:/bin\n' "$bin" | docker build -q -t fixkeep - >/dev/null 2>&1
deploy/kubernetes/certificates.sh "$place/certificates" >"$place/log" 2>&1 ||
  fail "no certificates: $(cat "$place/log")"
for i in 0 1; do
  mkdir -p "$place/state-$i"
  chown 10001:10001 "$place/state-$i"
  kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: PersistentVolume
metadata: { name: state-$i }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  hostPath: { path: "$place/state-$i" }
YAML
done
kubectl kustomize deploy/kubernetes |
  sed 's#^apiVersion: policy/v1$#&beta1#; s#"out_of_sight_ms": 60000#&0#; s#"cpu": "50m"#"cpu": "5m"#' | kubectl apply -f - >"$place/log" ||
  fail "the cluster does not take it"

# --- the tests' own words
rolled_out() { kubectl -n fixkeep rollout status "statefulset/$1" --timeout="$2"; }
match() { # PLAYER: asks as a client does, for a minute and a half
  curl -sS -m 90 --retry 40 --retry-delay 1 --retry-all-errors -H 'Content-Type: application/json' -f \
    -d "{\"player_id\":\"$1\",\"mode\":\"duel\"}" "http://$service/v1/match"
}
# Plays until everybody may go. A room whose worker is being replaced cannot say who may come in, so
# whoever gets no answer asks again.
play() { # PLAYER
  local seat='' said='' socket code end=$((SECONDS + 600))
  while [ "$SECONDS" -lt "$end" ]; do
    if seat=$(match "$1" 2>>"$place/errors") &&
      { exec {socket}<>"/dev/tcp/$(jq -r .address <<<"$seat")/$(jq -r .port <<<"$seat")"; } 2>/dev/null; then
      echo "JOIN $(jq -r .seat_token <<<"$seat")" >&"$socket"
      said=
      IFS= read -r -t 60 said <&"$socket" || true
      [[ $said != "WELCOME $1 "* ]] || break
      exec {socket}>&-
    fi
    sleep 1
  done
  [[ $said == WELCOME* ]] || { echo "$1: $seat; $said" >>"$place/lost" && return; }
  echo "$(jq -r .room_id <<<"$seat") $1" >>"$place/seats"
  until [ -e "$place/over" ]; do
    code=0
    read -r -t 2 <&"$socket" || code=$?
    [ "$code" -ne 1 ] || { echo "$1" >>"$place/thrown-out" && return; }
  done
}
rooms() { kubectl -n games get pods -l fixkeep.io/cluster=kubernetes -o 'jsonpath={.items[*].metadata.uid}'; }

rolled_out master 180s >"$place/log" || fail "the masters do not come up"
rolled_out worker 180s >"$place/log" || fail "the workers do not come up"
service=$(kubectl -n fixkeep get service match -o 'jsonpath={.spec.clusterIP}')
touch "$place/seats"
come() { wc -l <"$place/seats"; }

# --- everything is replaced while players come
(
  trap - EXIT
  for ((i = 0; ; i++)); do
    [ -e "$place/enough" ] && break
    play "p$i" &
    echo "$i" >"$place/last"
    sleep 2
  done
  wait
) &
loader=$!
until_come() { # COUNT
  for _ in $(seq 1800); do
    [ "$(come)" -ge "$1" ] && return
    [ -e "$place/lost" ] && break
    sleep 0.1
  done
  fail "of $1 players $(come) are in: $(cat "$place/lost" "$place/errors" 2>/dev/null | tail -n 5)"
}
until_come 10
before=$(rooms)
begun=$SECONDS
for role in master worker; do
  kubectl -n fixkeep rollout restart "statefulset/$role" >/dev/null
  rolled_out "$role" 300s >"$place/log" || fail "no rolling update of $role: $(cat "$place/log")"
  echo "all of role $role replaced after $((SECONDS - begun)) s"
done
until_come $(($(come) + 10))
touch "$place/enough"
sleep 3 # the last one has begun
players=$(($(cat "$place/last") + 1))
until_come "$players"

# --- what must hold
[ ! -e "$place/thrown-out" ] || fail "players were thrown out: $(cat "$place/thrown-out")"
needed=$(((players + 7) / 8))
made=$(cut -d ' ' -f 1 "$place/seats" | sort -u | wc -l)
[ "$made" -eq "$needed" ] || fail "$players players are in $made rooms, where $needed would do"
for uid in $before; do
  [[ " $(rooms) " == *" $uid "* ]] || fail "a room of before has ended: $uid"
done
[ "$(rooms | wc -w)" -eq "$needed" ] || fail "$needed rooms are needed, and there are: $(rooms)"
again=$(match p0 | jq -r .room_id)
grep -qx "$again p0" "$place/seats" || fail "the first player is sent to another room: $again"
echo "passed: $players players, $needed rooms"
