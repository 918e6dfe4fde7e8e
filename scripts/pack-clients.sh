#!/usr/bin/env bash
# Packs the clients of clients/ as packages of their worlds:
#
#   fixkeep_client-VERSION-py3-none-any.whl   Python: pip install
#   fixkeep-client-VERSION.tgz                JavaScript: npm install
#   com.fixkeep.client-VERSION.tgz            Unity: the package manager, "Add package from tarball"
#   fixkeep-client-godot3-VERSION.zip         Godot: unpack it in the project's folder
#   fixkeep-client-godot4-VERSION.zip
#   fixkeep-client-unreal-VERSION.zip         Unreal Engine: unpack it in the project's folder
#   fixkeep-client-cpp-VERSION.tgz            C++: cmake --install, find_package(fixkeep_client)
#
# Usage: scripts/pack-clients.sh [FOLDER]      default: build/clients/packages
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

out=${1:-build/clients/packages}
scripts/setup.sh --only build --with clients
version=$(sed -n 's/^  "version": "\(.*\)",/\1/p' clients/js/package.json)
rm -rf "$out"
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

copy() { # FOLDER TARGET: the files of the folder, and the licence
  mkdir -p "$2"
  find "$1" -maxdepth 1 -type f -exec cp --target-directory "$2" {} +
  cp LICENSE "$2/"
}
# The same files always make the same archive.
archive() { # NAME FOLDER
  tar --create --gzip --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --file "$out/$1" -C "$work" "$2"
}

copy clients/python "$work/python"
/usr/bin/python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation \
  --wheel-dir "$out" "$work/python"

copy clients/js "$work/js"
(cd "$work/js" && npm pack --silent --offline --pack-destination "$out" >/dev/null)

copy clients/cpp "$work/fixkeep-client-cpp-$version"
archive "fixkeep-client-cpp-$version.tgz" "fixkeep-client-cpp-$version"

# Unity ignores files of a package that have no .meta file. An id has to stay the same for ever: it is
# made of the file's name.
copy clients/csharp "$work/package"
rm "$work/package"/*.csproj
for file in "$work"/package/*; do
  id=$(md5sum <<<"com.fixkeep.client/$(basename "$file")" | cut -c1-32)
  printf 'fileFormatVersion: 2\nguid: %s\n' "$id" >"$file.meta"
done
archive "com.fixkeep.client-$version.tgz" package

for godot in 3 4; do
  addon=$work/godot$godot/addons/fixkeep
  copy clients/godot "$addon"
  rm "$addon/platform_$((7 - godot)).gd"
  tool=tool
  [ "$godot" = 3 ] || tool=@tool
  printf '%s\nextends EditorPlugin\n' "$tool" >"$addon/plugin.gd"
  /usr/bin/python3 -m zipfile -c "$out/fixkeep-client-godot$godot-$version.zip" "$work/godot$godot/addons"
done

mkdir -p "$work/unreal/Plugins"
cp -r clients/unreal "$work/unreal/Plugins/FixKeep"
cp LICENSE "$work/unreal/Plugins/FixKeep/"
/usr/bin/python3 -m zipfile -c "$out/fixkeep-client-unreal-$version.zip" "$work/unreal/Plugins"
(cd "$out" && ls)
