#!/usr/bin/env bash
# Makes a site from all documents, with reference pages: build/site. Checks every link within the site.
# You can open the pages from the folder. The search needs a server; the last line names one.
#
# Usage: scripts/site.sh
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh --only site

# The pages stand as in the repository, so their links stay right; what they link to comes along.
pages=build/site-pages
rm -rf "$pages" build/site
git ls-files -z '*.md' ':!tests' ':!common/web' | while IFS= read -rd '' page; do
  install -Dm644 "$page" "$pages/$page"
  { grep -oE '\]\([^)#: ]+' "$page" || true; } | sed 's/^](//' | while read -r link; do
    target=$(realpath -m --relative-to . "$(dirname "$page")/$link")
    if [[ $target == *.md ]] || [ ! -f "$target" ]; then continue; fi
    install -Dm644 "$target" "$pages/$target"
  done
done
install -m644 docs/site/site.css "$pages/"
source scripts/lib.sh
build_programs
cmake --build build/release --target fixkeep-master-schema fixkeep-worker-schema
python3 docs/site/reference.py "$pages/reference" build/release/configs
mkdocs build --quiet --config-file docs/site/mkdocs.yml
python3 docs/site/links.py build/site
if [ -f build/web/cluster.html ]; then install -m644 build/web/cluster.html build/site/; fi  # by scripts/web.sh
echo "look at it: python3 -m http.server --bind 127.0.0.1 --directory build/site 8000, then http://127.0.0.1:8000"
