#!/usr/bin/env bash
# Checks docs/openapi.yaml by the rules of tests/openapi. Then calls a master through a proxy that compares
# every answer with the document: every call with every status. At the end, a client that oazapfts
# generates from the document plays a match. Needs no network if the npm packages are in build/openapi.
#
# Usage: scripts/openapi.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with openapi

place=build/openapi
npm_packages tests/openapi --ignore-scripts
say "redocly and spectral"
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
timeout 60 "$place/node_modules/.bin/redocly" lint --config tests/openapi/redocly.yaml docs/openapi.yaml
timeout 60 "$place/node_modules/.bin/spectral" lint -r tests/openapi/spectral.yaml -F warn docs/openapi.yaml
say "a master, through prism"
build_programs
cmake --build build/release --parallel "$(cores)" --target fixkeepctl
timeout 150 node --test tests/openapi/conformance_test.js
say "a client that oazapfts generates"
generated=$place/generated
rm -rf "$generated"
mkdir "$generated"
timeout 60 "$place/node_modules/.bin/oazapfts" --optimistic docs/openapi.yaml "$generated/api.mts"
cp tests/openapi/generated/player.mts "$generated/"
timeout 60 "$place/node_modules/.bin/tsc" --strict --target es2022 --module nodenext --lib es2022,dom \
  --skipLibCheck "$generated/player.mts"
timeout 150 node --test tests/openapi/generated_test.js
