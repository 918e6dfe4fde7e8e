#!/usr/bin/env bash
# Makes the packages fixkeep, fixkeep-tools and libfixkeep-lock-dev for Debian 12 in build/packages.
# Checks them with lintian.
#
# Usage: scripts/package.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with package
# A folder that is configured already stays as it is, tests or no tests.
if [ ! -f build/release/build.ninja ]; then configure release -DFIXKEEP_TESTS=OFF; fi
say "Building what is packed"
cmake --build build/release --parallel "$(cores)" --target fixkeep_installed

say "Manual pages"
for page in build/release/deploy/packaging/man/*; do
  warnings=$(LC_ALL=C.UTF-8 man --warnings -Tutf8 -Z -l "$page" 2>&1 >/dev/null)
  [ -z "$warnings" ] || fail "$page: $warnings"
done
# Pages that list all options leave none out.
for page in fixkeep-master.8 fixkeep-worker.8 fixkeep-demo-game.1; do
  text=$(sed 's/\\-/-/g' "build/release/deploy/packaging/man/$page")
  while read -r option; do
    grep -qwF -e "$option" <<<"$text" ||
      fail "$page does not name $option"
  done < <("build/release/bin/${page%.*}" --help | grep -oE -e '--[a-z][a-z-]+' | sort -u)
done

say "Packing"
mkdir -p build/packages
rm -f build/packages/*.deb
log=build/packages/cpack.log
# Gives files their usual modes, independent of this shell's umask.
(umask 022 && cpack --config build/release/CPackConfig.cmake -B build/packages >"$log" 2>&1) || {
  cat "$log" >&2
  fail "cpack failed"
}
rm -rf build/packages/_CPack_Packages

# Tags of a package that is not made for Debian's own archive.
not_ours=$(grep '^[a-z]' deploy/packaging/debian/lintian-tags | paste -s -d ,)
lintian --allow-root --fail-on error,warning --suppress-tags "$not_ours" build/packages/*.deb ||
  fail "lintian complains"
ls -lh build/packages/*.deb
