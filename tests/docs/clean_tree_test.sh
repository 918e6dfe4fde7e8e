#!/usr/bin/env bash
# Whether scripts/test.sh notices what tests leave in the tree: new files, ignored ones and changed ones.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONDONTWRITEBYTECODE # some containers set it
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

cd "$work"
git init -q
mkdir build clients
echo '*.log' >.gitignore
echo one >clients/client.py
git add .
git -c user.name=test -c user.email=test@localhost commit -qm first
code=0

# after COMMAND…: the files that are named when it has run between the two looks.
after() {
  local before
  before=$(tree_state)
  "$@"
  same_tree "$before" >"$work/build/said" && : >"$work/build/said"
  sed -n 's/^[<>] *[^ ]* *//p' "$work/build/said" | tr '\n' ' '
}
expect() {
  local name=$1 said
  shift
  said=$(after "$@")
  [ "${said% }" = "$name" ] || { echo "after $*: named \"$said\", not \"$name\""; code=1; }
}
expect "" true
expect "" touch build/object
expect clients/client.pyc touch clients/client.pyc
expect clients/test.log touch clients/test.log
expect clients/client.py sh -c 'echo two >clients/client.py'

cd "$repository"
# shellcheck disable=SC2016 # the line stands there as it is
grep -q 'same_tree "$tree" || code=1' scripts/test.sh || { echo "scripts/test.sh does not look"; code=1; }
# What Python runs in the tests writes nothing beside what it imports.
PYTHONPATH=$work python3 -c '
import pathlib, sys
pathlib.Path(sys.argv[1], "imported.py").write_text("")
import imported
sys.exit(pathlib.Path(sys.argv[1], "__pycache__").exists())' "$work" ||
  { echo "Python writes __pycache__"; code=1; }
exit "$code"
