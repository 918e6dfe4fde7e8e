#!/usr/bin/env bash
# Runs a test program once, all of its cases in one process, and writes "passed failed kept" into a
# file for whoever counts. Where a case fails, what was printed of it is printed; where the program
# ends in the middle, of the last one.
#
# FIXKEEP_LEFT_OUT='*A*:*B*' leaves out tests of these names, for machines that have not what they need.
# A case that is skipped counts as failed.
#
# Usage: tests/run.sh --counts FILE [--shard N OF] [--seconds N] [--keep] [--data PATH] … PROGRAM [ARGUMENT …]
#
# --seconds ends the program after so much processor time. A machine that is busy counts for nothing.
#
# An argument FIRST..LAST of seeds is cut to its first quarter unless FIXKEEP_SEARCH is "whole".
#
# --keep: the program is a function of its bytes, its libraries, its arguments and the data, files and
# folders. If it has passed for the same of all three on this machine, in whichever checkout, it does
# not run again; FIXKEEP_ALL=1 runs it nevertheless. Passes are kept in $FIXKEEP_PASSES, otherwise in
# ~/.cache/fixkeep/passes; what was not used for two weeks is deleted.
set -euo pipefail

counts='' keep=no data=() seconds=unlimited
while [[ ${1:-} == --* ]]; do
  case $1 in
    --counts)
      counts=$2
      shift 2
      ;;
    --shard)
      export GTEST_SHARD_INDEX=$(($2 - 1)) GTEST_TOTAL_SHARDS=$3
      shift 3
      ;;
    --seconds)
      seconds=$2
      shift 2
      ;;
    --keep)
      keep=yes
      shift
      ;;
    --data)
      data+=("$2")
      shift 2
      ;;
    *)
      echo "unknown option $1; see the head of this file" >&2
      exit 2
      ;;
  esac
done
mkdir -p "$(dirname "$counts")"
printed=$counts.log
rm -f "$counts"

passes=${FIXKEEP_PASSES:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/fixkeep/passes}
pass=
if [ "$keep" = yes ]; then
  key=$({
    cat "$1"
    ldd "$1" | awk '$3 ~ /^\// { print $3 }' | sort | xargs -r stat -L -c '%n %s %Y'
    printf '%s\0' "${@:2}" "${GTEST_SHARD_INDEX:-}" "${GTEST_TOTAL_SHARDS:-}" "${FIXKEEP_SEARCH:-}"
    if [ ${#data[@]} -gt 0 ]; then
      find "${data[@]}" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    fi
  } | sha256sum)
  pass=$passes/${key%% *}
  if [ "${FIXKEEP_ALL:-0}" != 1 ] && [ -s "$pass" ]; then
    touch "$pass"
    read -r cases <"$pass"
    echo "$cases 0 $cases" >"$counts"
    echo "It passed before: $cases cases, $pass"
    exit 0
  fi
fi

if [ "${FIXKEEP_SEARCH:-}" != whole ]; then
  for word in "$@"; do
    shift
    if [[ $word =~ ^([0-9]+)\.\.([0-9]+)$ ]]; then
      word=${BASH_REMATCH[1]}..$((BASH_REMATCH[1] + (BASH_REMATCH[2] - BASH_REMATCH[1]) / 4))
    fi
    set -- "$@" "$word"
  done
fi

code=0
if [ -n "${FIXKEEP_LEFT_OUT:-}" ]; then export GTEST_FILTER="-$FIXKEEP_LEFT_OUT"; fi
(ulimit -St "$seconds" && exec "$@") >"$printed" 2>&1 || code=$?
if [ "$code" -eq $((128 + $(kill -l XCPU))) ]; then
  echo "it was ended: it took more than $seconds s of processor time"
fi
passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\{0,1\}\..*/\1/p' "$printed" | tail -n 1)
failed=$(sed -n 's/^ *\([0-9]*\) FAILED TESTS\{0,1\}$/\1/p' "$printed" | tail -n 1)
if [ -z "$passed" ]; then # it ended in the middle, or is not of GoogleTest
  passed=$(grep -c '^\[       OK \]' "$printed" || true)
  if grep -q '^\[ RUN      \]' "$printed" || [ "$code" -ne 0 ]; then failed=1; else passed=1; fi
fi
skipped=$(grep -c '^\[  SKIPPED \] .* ms)$' "$printed" || true)
if [ "$skipped" -gt 0 ]; then
  failed=$((${failed:-0} + skipped))
  if [ "$code" -eq 0 ]; then code=1; fi
fi
if [ "$code" -ne 0 ] && [ "${failed:-0}" -eq 0 ]; then failed=1; fi
echo "$passed ${failed:-0} 0" >"$counts"

if [ "$code" -eq 0 ]; then
  echo "$passed cases passed"
  if [ -n "$pass" ]; then
    mkdir -p "$passes"
    echo "$passed" >"$pass.$$"
    mv "$pass.$$" "$pass"
    find "$passes" -type f -mtime +14 -delete
  fi
  exit 0
fi
if grep -q '^\[ RUN      \]' "$printed"; then
  awk '
    /^\[ RUN      \]/ { told = "" }
    { told = told $0 "\n" }
    /^\[  FAILED  \] .* \([0-9]* ms\)$/ { printf "%s", told }
    /^\[       OK \]/ { told = "" }
    /^\[==========\] [0-9]* tests? .* ran\./ { told = ""; whole = 1 }
    END { if (!whole) printf "%s", told }' "$printed"
else
  cat "$printed"
fi
echo "exit code $code; all that it printed: $printed"
exit "$code"
