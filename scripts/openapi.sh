#!/usr/bin/env bash
# Looks at docs/openapi.yaml with the rules of tests/openapi, and then at what a master answers: every
# call with every status, through a proxy that holds the answers against the document. Needs no network
# once the packages of npm are in build/openapi.
#
# Usage: scripts/openapi.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

scripts/setup.sh --only build --with openapi

# Outside of the tree, which holds no files but ours. npm takes its registry from its own
# configuration.
place=build/openapi
mkdir -p "$place"
if ! cmp -s tests/openapi/package-lock.json "$place/installed-lock.json"; then
  rm -f "$place/installed-lock.json"
  cp tests/openapi/package.json tests/openapi/package-lock.json tests/openapi/.npmrc "$place/"
  (cd "$place" && timeout 600 npm ci --ignore-scripts)
  cp tests/openapi/package-lock.json "$place/installed-lock.json"
fi
say "redocly and spectral"
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
timeout 60 "$place/node_modules/.bin/redocly" lint --config tests/openapi/redocly.yaml docs/openapi.yaml
timeout 60 "$place/node_modules/.bin/spectral" lint -r tests/openapi/spectral.yaml -F warn docs/openapi.yaml
say "a master, through prism"
build_programs
timeout 150 node --test tests/openapi/conformance_test.js
