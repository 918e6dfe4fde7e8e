#!/usr/bin/env bash
# Whether trying the project installs only what running it needs: no lock server, no Java, no test
# library. Lock servers are installed only when they are asked for.
set -euo pipefail
cd "$(dirname "$0")/../.."

packages_of() { # SCRIPT: what the one call of setup.sh in it would install on a new machine
  local arguments
  arguments=$(sed -n 's/^ *scripts\/setup\.sh//p' "$1")
  read -ra words <<<"$arguments"
  scripts/setup.sh --list "${words[@]}"
}

code=0
for script in scripts/up.sh scripts/demo.sh; do
  list=$(packages_of "$script")
  grep -qx clang-19 <<<"$list" || { echo "$script: no compiler in: $list"; code=1; }
  if grep -E 'redis-server|etcd|^zookeeper|^postgresql|jre|gtest|gmock' <<<"$list"; then
    echo "$script: installs what only tests need"
    code=1
  fi
done
grep -qx etcd-server <<<"$(packages_of scripts/engines.sh)" || { echo "engines.sh: no etcd"; code=1; }

# Every purpose that the head of setup.sh names is there, and its error message names it too.
purposes=$(sed -n 's|^#   \([a-z][a-z]*\)  .*|\1|p' scripts/setup.sh)
message=$(scripts/setup.sh --list --only nonsense 2>&1 || true)
for purpose in $purposes; do
  scripts/setup.sh --list --only "$purpose" >/dev/null || { echo "no purpose $purpose"; code=1; }
  grep -qw "$purpose" <<<"$message" || { echo "not in the message: $purpose"; code=1; }
done
for purpose in build sanitizers; do
  grep -qx "$purpose" <<<"$purposes" || { echo "the head does not name $purpose"; code=1; }
done
# What configures a preset with sanitizers.
grep -qx libclang-rt-19-dev <<<"$(packages_of scripts/lib.sh)" || { echo "lib.sh: no libFuzzer"; code=1; }

# What is there from elsewhere is not replaced by Debian's package; what Debian's package gave is listed.
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
stub() { # NAME TEXT: a program that others run in its place
  printf '#!/bin/sh\n%s\n' "$2" >"$elsewhere/$1"
  chmod +x "$elsewhere/$1"
}
# The programs of this machine, without those that a setup brings: they may be here or not.
mkdir "$elsewhere/machine"
ln -s /usr/bin/* "$elsewhere/machine"
rm -f "$elsewhere"/machine/{docker*,redis*,etcd*,java*,prometheus*}
listed() { PATH=$elsewhere:$elsewhere/machine scripts/setup.sh --list --only "$1"; }
stub docker true
stub dpkg-query true
grep -qx docker.io <<<"$(listed docker)" || { echo "no engine beside a client alone"; code=1; }
stub dockerd true
if grep -qx docker.io <<<"$(listed docker)"; then
  echo "docker.io would be installed over another Docker"
  code=1
fi
grep -qx debootstrap <<<"$(listed docker)" || { echo "docker: no debootstrap"; code=1; }
stub redis-server true
if grep -qx redis-server <<<"$(listed engines)"; then
  echo "redis-server would be installed over another Redis"
  code=1
fi
rm "$elsewhere/dockerd"
# shellcheck disable=SC2016 # the variables are those of the stub
stub dpkg-query 'case " $* " in *" docker-ce "*) echo "ii " ;; esac'
if grep -qx docker.io <<<"$(listed docker)"; then
  echo "docker.io would take the place of docker-ce"
  code=1
fi
# shellcheck disable=SC2016 # the variables are those of the stub
stub dpkg-query 'case " $* " in *" docker-ce "*) ;; *) echo "ii " ;; esac'
stub dockerd true
grep -qx docker.io <<<"$(listed docker)" || { echo "docker.io is not listed though it is there"; code=1; }

# Another apt is waited for. Nothing of this machine is touched: all that would is a stub.
stub sudo 'exec "$@"'
for each in tee chmod rm; do stub "$each" 'cat >/dev/null 2>&1 </dev/null'; done
stub dpkg-query true
# shellcheck disable=SC2016 # the variables are those of the stub
stub apt-get 'echo "$*" >>"$STUB_LOG"
case " $* " in
  *" update "*)
    if [ ! -e "$STUB_LOG.busy" ]; then
      : >"$STUB_LOG.busy"
      echo "E: Could not get lock /var/lib/apt/lists/lock" >&2
      exit 100
    fi
    ;;
esac'
PATH=$elsewhere:$PATH STUB_LOG=$elsewhere/log FIXKEEP_APT_PAUSE_S=0 \
  scripts/setup.sh --only lint >"$elsewhere/said" 2>&1 || { cat "$elsewhere/said"; code=1; }
[ "$(grep -c ' update$' "$elsewhere/log")" = 2 ] || { echo "another apt was not waited for"; code=1; }
grep -q 'DPkg::Lock::Timeout=[0-9]* install ' "$elsewhere/log" || { echo "apt does not wait"; code=1; }
exit "$code"
