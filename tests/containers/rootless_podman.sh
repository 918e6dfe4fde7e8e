# shellcheck shell=bash
# A Podman that belongs to an ordinary user, as on a machine without root rights: it maps that user's
# subordinate ids, and slirp4netns is its network. Source it inside scripts/private-engine.sh, with
# `fail` of scripts/lib.sh. It sets `rootless_user` (a number), `as_rootless_user` (a command before others)
# and `rootless_podman`. The user and the devices exist in the private mount namespace only.

rootless_user=47110
rootless_folder=/run/fixkeep-rootless

# Files of /etc with a line more, for this namespace alone.
add_line() { # FILE LINE
  local copy
  copy=$rootless_folder/$(basename "$1")
  { cat "$1" 2>/dev/null; echo "$2"; } >"$copy"
  touch "$1"
  mount --bind "$copy" "$1"
}

# The machine has an address and a default route, so that slirp4netns passes packets of games on.
make_uplink() {
  ip link add fixkeep-up type veth peer name fixkeep-far
  ip address add 10.78.0.1/24 dev fixkeep-up
  ip link set fixkeep-up up
  ip link set fixkeep-far up
  ip route add default via 10.78.0.2
}

start_rootless_podman() {
  mkdir -p "$rootless_folder/run/podman" "$rootless_folder/home"
  chown -R "$rootless_user:$rootless_user" "$rootless_folder"
  add_line /etc/passwd "fixkeep-rootless:x:$rootless_user:$rootless_user::$rootless_folder/home:/bin/sh"
  add_line /etc/group "fixkeep-rootless:x:$rootless_user:"
  add_line /etc/subuid "fixkeep-rootless:600000:65536"
  add_line /etc/subgid "fixkeep-rootless:600000:65536"
  mkdir "$rootless_folder/net"
  mknod -m 666 "$rootless_folder/net/tun" c 10 200
  mount --bind "$rootless_folder/net/tun" /dev/net/tun
  make_uplink
  as_rootless_user=(setpriv "--reuid=$rootless_user" "--regid=$rootless_user" --clear-groups
    env -u CONTAINERS_CONF "HOME=$rootless_folder/home" "XDG_RUNTIME_DIR=$rootless_folder/run")
  rootless_podman=("${as_rootless_user[@]}" podman)
  local socket=$rootless_folder/run/podman/podman.sock
  (cd / && exec setsid "${rootless_podman[@]}" system service --time 0 "unix://$socket") \
    >/run/rootless-podman.log 2>&1 </dev/null &
  for _ in $(seq 600); do
    curl -s --unix-socket "$socket" http://podman/_ping >/dev/null && return
    sleep 0.1
  done
  tail -n 5 /run/rootless-podman.log >&2
  fail "podman system service of an ordinary user does not come up"
}
