# shellcheck shell=bash
# The commands of a document, as a shell would take them. Source it after `set -euo pipefail`.

# read_commands DOCUMENT: fills the arrays `commands` and, beside each, `sections` from the blocks
# ```sh of the document. A command may have several lines: it ends where bash would run it.
read_commands() {
  commands=()
  sections=()
  local line section='' block='' command=''
  while IFS= read -r line; do
    if [[ $line =~ ^\ *\`\`\`(.*) ]]; then
      if [ -n "$command" ]; then
        printf '%s: a block ends within: %s\n' "$1" "$command" >&2
        return 1
      fi
      if [ -n "$block" ]; then block=''; else block=${BASH_REMATCH[1]:-text}; fi
    elif [ -z "$block" ] && [[ $line =~ ^#+\ (.*) ]]; then
      section=${BASH_REMATCH[1]}
    elif [ "$block" = sh ]; then
      command+=${command:+$'\n'}$line
      if [[ $line == *\\ ]] || ! is_whole "$command"; then continue; fi
      if [[ $command =~ ^[[:space:]]*(#.*)?$ ]]; then
        command=''
        continue
      fi
      commands+=("$command")
      sections+=("$section")
      command=''
    fi
  done <"$1"
}

# Whether nothing is missing at the end: a quote, a "done", the rest of a here-document.
is_whole() {
  local complaint
  complaint=$(bash -n <<<"$1" 2>&1) && [ -z "$complaint" ]
}

# read_plan FILE DOCUMENT: fills the arrays `kinds`, `subjects` and `texts` from the lines of the
# file that belong to the document. See the head of plan.txt.
read_plan() {
  kinds=()
  subjects=()
  texts=()
  local line ours=no
  while IFS= read -r line; do
    case $line in
      '' | '#'*) ;;
      'document '*) if [ "$line" = "document $2" ]; then ours=yes; else ours=no; fi ;;
      *' :: '*)
        [ "$ours" = yes ] || continue
        kinds+=("${line%% *}")
        line=${line#* }
        subjects+=("${line%% :: *}")
        texts+=("${line#* :: }")
        ;;
      *)
        printf '%s: neither a document nor a line with "::": %s\n' "$1" "$line" >&2
        return 1
        ;;
    esac
  done <"$1"
}

# write_files DOCUMENT FOLDER: the blocks whose first line is a comment that begins with the name of a
# file, each into that file.
write_files() {
  awk -v folder="$2" '
    /^```/ { inside = !inside; first = inside; file = ""; next }
    inside && first && /^(#|\/\/) [a-z_]+\.(py|json|sh)($|[:,])/ {
      file = $2
      sub(/[:,]$/, "", file)
      file = folder "/" file
    }
    inside && file != "" { print > file }
    { first = 0 }' "$1"
}
