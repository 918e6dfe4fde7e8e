#!/usr/bin/env bash
# Whether what the documents name is there: scripts, programs, options of our programs, and the
# headings that links lead to.
#
# Usage: tests/docs/names_test.sh FOLDER-OF-PROGRAMS
# shellcheck disable=SC2016 # the backquotes are those of Markdown
set -euo pipefail
programs=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."

code=0
complain() { # DOCUMENT TEXT
  printf '%s: %s\n' "$1" "$2"
  code=1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

targets=$(grep -rhoE 'fixkeep_(executable|test)\([a-z_-]+' --include=CMakeLists.txt . | sed 's/.*(//')

extras=$(grep -rhoE 'fixkeep_executable\([a-z_-]+ EXTRA' --include=CMakeLists.txt . | sed 's/.*(//; s/ .*//')

# Commands and inline code, one piece a line; a pipe or a comment ends a piece.
pieces_of() { # DOCUMENT
  awk '
    /^ *```/ { shell = !shell && $0 ~ /```sh/; text = text "\n"; next }
    shell { sub(/\\$/, ""); sub(/[ \t]#.*/, ""); gsub(/[|;]/, "\n"); print ($0 ~ /^ /? "\1" : "") $0 }
    !shell && /`/ { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' "$1" |
    awk '/^\1/ { printf " %s", substr($0, 2); next } { printf "\n%s", $0 } END { print "" }'
}

# The options that a program, or a command of it, tells itself.
options_of() { # PROGRAM COMMAND…
  local file=$work/options-${*// /-}
  file=${file// /-}
  if [ ! -e "$file" ]; then
    "$programs/$1" "${@:2}" --help 2>&1 </dev/null | grep -aoE -- '--[a-z][a-z-]*' >"$file" || true
  fi
  cat "$file"
}

# A piece that begins with a program of ours.
check_options() { # DOCUMENT PIECE
  local -a words=() commands=()
  local word program known
  read -ra words <<<"$2"
  program=${words[0]##*/}
  if grep -qxF -e "$program" <<<"$extras"; then return; fi # it need not be built
  case $program in
    fixkeepctl)
      commands=("${words[1]:-}")
      if [ "${words[1]:-}" = certs ]; then commands+=("${words[2]:-}"); fi
      ;;
    fixkeep-client-sim | fixkeep-lab) commands=("${words[1]:-}") ;;
  esac
  # Where no command is named, any will do.
  case ${commands[0]:-} in --* | '') commands=() ;; esac
  for word in "${words[@]:1}"; do
    if [ "$word" = -- ]; then break; fi # the rest is of another program
    if ! [[ $word =~ ^(--[a-z][a-z-]*) ]] || [[ $word == --gtest* ]]; then continue; fi
    word=${BASH_REMATCH[1]}
    if [ "$word" = --help ]; then continue; fi # it is what answers
    known=$(options_of "$program" "${commands[@]}")
    grep -qxF -e "$word" <<<"$known" || complain "$1" "there is no option $word of: $program ${commands[*]}"
  done
}

# As GitHub makes them of headings.
anchors_of() { # DOCUMENT
  awk '/^```/ { inside = !inside } !inside && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
    sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

check_links() { # DOCUMENT
  local link file
  while IFS= read -r link; do
    file=${link%%#*}
    if [ -n "$file" ]; then file=$(dirname "$1")/$file; else file=$1; fi
    grep -qxF -e "${link#*#}" <<<"$(anchors_of "$file")" || complain "$1" "no heading is meant by $link"
  done < <(grep -oE '\]\([A-Za-z0-9_./-]*#[^)]+\)' "$1" | sed 's/^](//; s/)$//')
}

checked=0
while IFS= read -r document; do
  check_links "$document"
  while IFS= read -r script; do
    [ -x "$script" ] || [ "$script" = scripts/lib.sh ] || complain "$document" "there is no $script"
  done < <(grep -oE '\bscripts/[a-z_-]+\.sh' "$document" | sort -u)
  while IFS= read -r program; do
    grep -qxF -e "${program##*/}" <<<"$targets" || complain "$document" "nothing builds $program"
  done < <(grep -oE 'build/[a-z]+/bin/[a-z_-]+' "$document" | sort -u)
  while IFS= read -r piece; do
    check_options "$document" "$piece"
    checked=$((checked + 1))
  done < <(pieces_of "$document" | grep -E '^(build/[a-z]+/bin/)?(fixkeep-[a-z-]+|fixkeepctl) .*--' |
    while read -ra words; do if [ -x "$programs/${words[0]##*/}" ]; then echo "${words[*]}"; fi; done)
done < <(ls README.md SECURITY.md docs/*.md configs/*.md configs/games/*.md deploy/packaging/*.md)

if [ "$checked" -lt 30 ]; then complain "all documents" "only $checked commands have options"; fi
exit "$code"
