#!/usr/bin/env bash
# Builds the targets of tests/fuzz with libFuzzer and sanitizers, and runs each target for some time,
# starting from its corpus. Stores finds in build/fuzz/finds/.
# PRESET=dev uses the tests' build with sanitizers, which does not optimise but often exists already.
# Paths then begin with build/dev, such as build/dev/finds/.
#
# Usage: scripts/fuzz.sh [SECONDS] [TARGET …]       60 seconds and all targets, unless said otherwise
#
# AT_A_TIME=4 runs four targets in parallel; the default is the number of cores.
#
# At the end: a table with executions, executions a second, inputs of the corpus (those in the tree
# and those that were new), edges that were covered ("cov" of libFuzzer) and finds; then the line
# "N targets, N finds". It fails if there is a find. KEEP=1 adds the new inputs to tests/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

seconds=60
if [[ ${1:-} =~ ^[1-9][0-9]*$ ]]; then
  seconds=$1
  shift
elif [[ ${1:-} =~ ^[0-9-] ]]; then
  fail "\"$1\" is no number of seconds; see the head of this file"
fi

mapfile -t known < <(sed -n 's/^  X(\([a-z_]*\)).*/\1/p' tests/fuzz/targets.hpp)
[ ${#known[@]} -gt 0 ] || fail "tests/fuzz/targets.hpp names no target"
targets=("$@")
if [ $# -eq 0 ]; then targets=("${known[@]}"); fi
for target in "${targets[@]}"; do
  [[ " ${known[*]} " == *" $target "* ]] ||
    fail "there is no target \"$target\"; there are ${known[*]}"
done

preset=${PRESET:-fuzz}
[[ $preset =~ ^(fuzz|dev)$ ]] || fail "PRESET is \"$preset\", and has to be fuzz or dev"
build "$preset" "${targets[@]/#/fuzz_}"

logs=build/$preset/logs
finds=build/$preset/finds
grown=build/$preset/corpus
mkdir -p "$logs" "$finds"

# New inputs go into a folder of their own, which is empty at first. A find ends the target's run.
fuzz_one() { # TARGET SECONDS
  local target=$1 code=0
  mkdir -p "build/$preset/corpus/$target"
  "build/$preset/bin/fuzz_$target" -max_total_time="$2" -rss_limit_mb=2048 -timeout=60 \
    -max_len=4096 -print_final_stats=1 -artifact_prefix="build/$preset/finds/$target-" \
    "build/$preset/corpus/$target" "tests/fuzz/corpus/$target" \
    >"build/$preset/logs/$target.log" 2>&1 </dev/null || code=$?
  echo "$code" >"build/$preset/logs/$target.code"
}
export -f fuzz_one
export preset
# A leftover of an earlier run would be counted as one of this run.
for target in "${targets[@]}"; do
  rm -rf "${grown:?}/$target" "$logs/$target.code" "$logs/$target.log"
done

at_a_time=${AT_A_TIME:-$(cores)}
[[ $at_a_time =~ ^[1-9][0-9]*$ ]] || fail "AT_A_TIME is \"$at_a_time\", and has to be a number above 0"
say "${#targets[@]} targets, $seconds s each, $at_a_time at a time"
# shellcheck disable=SC2016  # the inner shell expands them
printf '%s\n' "${targets[@]}" |
  xargs --max-procs="$at_a_time" -I{} bash -euc 'fuzz_one "$1" "$2"' fuzz {} "$seconds"

last_number() { # PATTERN FILE: the number behind the last match, or 0
  local number
  number=$(grep -oE "$1 *[0-9]+" "$2" | tail -n 1 | grep -oE '[0-9]+$' || true)
  echo "${number:-0}"
}

found=0
reports=()
printf '\n%-16s  %11s  %8s  %6s  %6s  %6s  %5s\n' \
  target executions per-s corpus new cov finds
for target in "${targets[@]}"; do
  log=$logs/$target.log
  code=$(cat "$logs/$target.code" 2>/dev/null || echo missing)
  bad=0
  if [ "$code" != 0 ]; then
    bad=1
    found=$((found + 1))
    input=$(sed -n 's/.*Test unit written to \(.*\)$/\1/p' "$log" | tail -n 1)
    reports+=("$target: $(grep -m 1 -E "terminate called|runtime error: |assertion|ERROR: " "$log" || echo "exit code $code")")
    reports+=("    log:        $log")
    if [ -n "$input" ]; then
      reports+=("    input:      $input" "    reproduce:  build/$preset/bin/fuzz_$target $input")
    fi
  fi
  executions=$(last_number 'stat::number_of_executed_units:' "$log")
  # A run that a find ended may print no figures of its own.
  [ "$executions" != 0 ] || executions=$(grep -oE '^#[0-9]+' "$log" | tail -n 1 | tr -d '#' || true)
  printf '%-16s  %11s  %8s  %6s  %6s  %6s  %5s\n' "$target" "${executions:-0}" \
    "$(last_number 'exec/s:' "$log")" "$(find "tests/fuzz/corpus/$target" -type f | wc -l)" \
    "$(find "$grown/$target" -type f | wc -l)" "$(last_number 'cov:' "$log")" "$bad"
done

if [ "${KEEP:-}" = 1 ]; then
  for target in "${targets[@]}"; do
    "build/$preset/bin/fuzz_$target" -merge=1 -max_len=4096 "tests/fuzz/corpus/$target" \
      "$grown/$target" >"$logs/$target-merge.log" 2>&1 </dev/null ||
      fail "the corpus of $target cannot be merged; see $logs/$target-merge.log"
  done
fi

if [ ${#reports[@]} -gt 0 ]; then
  echo
  printf '%s\n' "${reports[@]}"
fi
echo
echo "${#targets[@]} targets, $found finds"
[ "$found" -eq 0 ]
