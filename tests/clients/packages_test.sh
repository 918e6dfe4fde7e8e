#!/usr/bin/env bash
# Installs each package that scripts/pack-clients.sh packs, as a game does, with nothing else of this tree. Then
# each client asks a master that is not there: it has to end as "too late".
#
# Usage: tests/clients/packages_test.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

packages=$PWD/build/clients/packages
stand_ins=$PWD/tests/clients/drivers/UnityStandIns.cs
unreal=$PWD/tests/clients/drivers/unreal
scripts/pack-clients.sh "$packages" >/dev/null
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export nobody=http://127.0.0.1:1
expect() { # WHAT WANTED COMMAND…
  local what=$1 wanted=$2 said
  shift 2
  said=$("$@" 2>&1) || fail "$what: $said"
  [ "$(tail -n 1 <<<"$said")" = "$wanted" ] || fail "$what: $said"
  echo "$what: passed"
}

/usr/bin/python3 -m pip install --quiet --root-user-action ignore --disable-pip-version-check --no-index --target python \
  "$packages"/fixkeep_client-*.whl
cat >ask.py <<'END'
import os
import fixkeep_door
from fixkeep_client import MatchClient, TooLate
try:
    MatchClient([os.environ["nobody"]], limit_s=0.1).find_seat({"player_id": "ann", "mode": "duel"})
except TooLate:
    print(fixkeep_door.__file__.startswith(os.environ["PYTHONPATH"]))
END
PYTHONPATH=$place/python expect "Python, pip" True /usr/bin/python3 ask.py

mkdir js
cd js
npm install --silent --offline --no-audit --no-fund "$packages"/fixkeep-client-0*.tgz >/dev/null
cat >ask.mjs <<'END'
import { MatchClient } from "fixkeep-client";
const client = new MatchClient([process.env.nobody], { limitMs: 100 });
await client.findSeat({ player_id: "ann", mode: "duel" }).catch((error) => console.log(error.outcome));
END
expect "JavaScript, npm" too-late node ask.mjs
[ "$(ls node_modules/fixkeep-client)" = $'LICENSE\nREADME.md\nindex.d.ts\nindex.js\npackage.json' ] ||
  fail "the package has other files: $(ls node_modules/fixkeep-client)"
cd ..

mkdir cpp game
tar -xzf "$packages"/fixkeep-client-cpp-*.tgz -C cpp --strip-components 1
compiler=(-G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
quietly() { "$@" >log.txt 2>&1 || fail "$*: $(cat log.txt)"; }
quietly cmake -S cpp -B cpp/build "${compiler[@]}"
quietly cmake --build cpp/build
quietly cmake --install cpp/build --prefix "$place/prefix"
rm -rf cpp # nothing of it is needed any more
cat >game/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(game LANGUAGES CXX)
find_package(fixkeep_client 0.1 REQUIRED)
add_executable(game game.cpp)
target_link_libraries(game PRIVATE fixkeep::fixkeep_client)
END
cat >game/game.cpp <<'END'
#include <cstdlib>
#include <fixkeep_client.hpp>
#include <fixkeep_door.hpp>
#include <iostream>
int main() {
  using namespace fixkeep::client;
  const MatchClient client{{std::getenv("nobody")}, {.limit = std::chrono::milliseconds{100}}};
  const auto result = client.find_seat({{"player_id", "ann"}, {"mode", "duel"}}, {});
  std::cout << (result.outcome == Outcome::too_late ? "too-late" : "other") << '\n';
}
END
quietly cmake -S game -B game/build "${compiler[@]}" -DCMAKE_PREFIX_PATH="$place/prefix"
quietly cmake --build game/build
expect "C++, find_package" too-late game/build/game

mkdir unity
tar -xzf "$packages"/com.fixkeep.client-*.tgz -C unity
cat >Ask.cs <<'END'
using System;
using System.Collections.Generic;
using FixKeep;
static class Ask
{
  static void Main()
  {
    var masters = new[] { Environment.GetEnvironmentVariable("nobody") };
    var client = new MatchClient(masters, new WebRequestTransport(), new MatchOptions { LimitMs = 100 });
    var wanted = new Dictionary<string, object> { ["player_id"] = "ann", ["mode"] = "duel" };
    try { client.FindSeatAsync(wanted).GetAwaiter().GetResult(); }
    catch (MatchException error) { Console.WriteLine(error.Outcome); }
  }
}
END
mcs -langversion:7.2 -warnaserror+ -define:UNITY_2020_2_OR_NEWER -out:ask.exe Ask.cs "$stand_ins" unity/package/*.cs
expect "C#, the files of Unity's package" TooLate mono ask.exe
for file in unity/package/*; do
  [[ $file == *.meta ]] || [ -f "$file.meta" ] || fail "Unity ignores $file: it has no .meta file"
done
/usr/bin/python3 - unity/package <<'END'
import json, pathlib, sys, xml.dom.minidom
folder = pathlib.Path(sys.argv[1])
package = json.loads((folder / "package.json").read_text())
assert package["name"] == "com.fixkeep.client" and package["unity"], package
assert json.loads((folder / "FixKeep.Client.asmdef").read_text())["name"] == "FixKeep.Client"
END

mkdir godot
/usr/bin/python3 -m zipfile -e "$packages"/fixkeep-client-godot3-*.zip godot
cat >godot/project.godot <<'END'
config_version=4
[editor_plugins]
enabled=PoolStringArray("res://addons/fixkeep/plugin.cfg")
END
cat >godot/ask.gd <<'END'
extends SceneTree

func _init():
	var platform = load("res://addons/fixkeep/platform_3.gd").new()
	var client = load("res://addons/fixkeep/fixkeep_client.gd").new(platform)
	var door = load("res://addons/fixkeep/fixkeep_door.gd")
	client.limit_ms = 100
	client.find_seat([OS.get_environment("nobody")], {"player_id": "ann", "mode": "duel"})
	while client.poll() == "":
		OS.delay_msec(5)
	print(client.outcome if door != null else "no door")
	quit()
END
expect "Godot 3, the addon" too-late timeout 60 godot3-server --path godot --script ask.gd

/usr/bin/python3 -m zipfile -e "$packages"/fixkeep-client-unreal-*.zip unreal
plugin=$place/unreal/Plugins/FixKeep
quietly cmake -S "$unreal" -B unreal/build "${compiler[@]}" -DFIXKEEP_UNREAL="$plugin"
quietly cmake --build unreal/build
cat >ask_unreal.py <<'END'
import json, os, subprocess
wanted = {"player_id": "ann", "mode": "duel"}
call = {"masters": [os.environ["nobody"]], "wanted": wanted, "limit_ms": 100, "keep_order": True, "calls": 1}
said = subprocess.check_output("unreal/build/driver", env={**os.environ, "FIXKEEP_CALL": json.dumps(call)})
print(json.loads(said)["outcome"])
END
expect "Unreal, the files of the plugin" too-late /usr/bin/python3 ask_unreal.py
cat >UnrealBuildTool.cs <<'END'
namespace UnrealBuildTool
{
  public class ReadOnlyTargetRules { }
  public class ModuleRules
  {
    public enum PCHUsageMode { UseExplicitOrSharedPCHs }
    public PCHUsageMode PCHUsage;
    public System.Collections.Generic.List<string> PublicDependencyModuleNames;
    public ModuleRules(ReadOnlyTargetRules target) { }
  }
}
END
module=$(/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["Modules"][0]["Name"])' "$plugin/FixKeep.uplugin")
mcs -langversion:7.2 -warnaserror+ -target:library -out:unreal.dll "$plugin/Source/$module/$module.Build.cs" UnrealBuildTool.cs
echo "Unreal, the rules of the module: passed"
