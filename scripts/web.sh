#!/usr/bin/env bash
# Makes build/web/cluster.html: the cluster in a browser. The file has the production cores in it as
# WebAssembly, and opens without a server.
#
# Usage: scripts/web.sh [--test [OPTION OF node --test …]]      --test: drives the page with chromium as well
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

bytes_most=2000000
place=build/web
browser=()
if [ "${1:-}" = --test ]; then browser=(--only build --with browser); fi
scripts/setup.sh --only web "${browser[@]}"
mkdir -p "$place/include"
# The compiler must not see the other headers of /usr/include: they are not for WebAssembly.
ln -sfn /usr/include/boost "$place/include/boost"
ln -sfn /usr/include/nlohmann "$place/include/nlohmann"

# library FOLDER NAME: the sources of a library, one a line, as its CMakeLists.txt lists them.
library() {
  sed -n "/fixkeep_library($2\$/,/DEPS/p" "$1/CMakeLists.txt" | grep -o '[a-z0-9_/]*\.cpp' | sed "s#^#$1/#"
}
{
  library common/base fixkeep_base
  library common/wire fixkeep_wire
  library lock/core fixkeep_lock
  library master fixkeep_plan
  library master fixkeep_master_rules
  library master/core fixkeep_master_core
  library master/core fixkeep_pools
  library worker/core fixkeep_worker_core
  library lab fixkeep_lab_web
} | sed 's/.*/#include "&"/' >"$place/module.cpp"

compiler=(clang++-19 --target=wasm32-wasi -fno-exceptions -stdlib=libc++)
if command -v ccache >/dev/null; then compile=(ccache "${compiler[@]}"); else compile=("${compiler[@]}"); fi
"${compile[@]}" -std=c++20 -Oz -fno-rtti -DBOOST_SYSTEM_DISABLE_THREADS -I. -isystem "$place/include" \
  -c "$place/module.cpp" -o "$place/module.o"
# LockPlayer throws. WebAssembly has no exceptions here, so a scenario that fails ends the module.
sed 's/.*/#include "lock\/tests\/scenarios\/&.cpp"/' >"$place/scenarios.cpp" <<<$'lock_mesh\nlock_scenario\nlock_recording'
"${compile[@]/-fno-exceptions/-fignore-exceptions}" -fexceptions -fcxx-exceptions -std=c++20 -Oz -I. -isystem "$place/include" \
  -c "$place/scenarios.cpp" -o "$place/scenarios.o"
mapfile -t exports < <(grep -ohE '\bweb_[a-z]+\(' lab/web/module.cpp lock/tests/scenarios/lock_recording.cpp | tr -d '(' | sort -u)
"${compiler[@]}" -mexec-model=reactor "$place/module.o" "$place/scenarios.o" -o "$place/module.wasm" -Wl,--strip-all,--gc-sections \
  "${exports[@]/#/-Wl,--export=}"

python3 - "$place" <<'END'
import base64, json, pathlib, re, sys
place, folder = pathlib.Path(sys.argv[1]), pathlib.Path("lab/web")
page = (folder / "page.html").read_text()
page = re.sub(r'<link rel="stylesheet" href="(\S+)">',
    lambda found: "<style>\n" + (folder / found[1]).read_text() + "</style>", page)
page = re.sub(r'<script src="(\S+)"></script>',
    lambda found: "<script>\n" + (folder / found[1]).resolve().read_text() + "</script>", page)
module = base64.b64encode((place / "module.wasm").read_bytes()).decode()
scenarios = [{"id": each.stem, "text": each.read_text()} for each in sorted(pathlib.Path("lock/tests/scenarios/lock").glob("*.txt"))]
page = page.replace("SCENARIOS_AS_JSON", json.dumps(scenarios).replace("</", "<\\/"))
(place / "cluster.html").write_text(page.replace("MODULE_AS_BASE64", module))
END
size=$(stat -c %s "$place/cluster.html")
[ "$size" -lt "$bytes_most" ] || fail "$place/cluster.html has $size bytes; at most $bytes_most are wanted"
echo "$place/cluster.html: $size bytes"

[ "${1:-}" = --test ] || exit 0
shift
build_lab
build release fixkeep-sim fixkeep-web-states
npm_packages tests/browser
NODE_PATH=$PWD/build/browser/node_modules node --test "$@" tests/browser/cluster_test.js
