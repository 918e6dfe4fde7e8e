#!/usr/bin/env bash
# Runs the commands of a document as a reader would, section by section, as plan.txt says; and fails
# if one is neither run nor excepted there, or if a line of plan.txt fits nothing any more.
#
# Usage: tests/docs/document_test.sh FOLDER-OF-PROGRAMS DOCUMENT [engine]
#
# Sections whose set-up is "engine" need a container engine that answers: with "engine" they are run,
# and no others.
set -euo pipefail
cd "$(dirname "$0")/../.."
programs=$(cd "$1" && pwd)
document=$2
wanted=${3:-}
# Python writes nothing beside the clients.
export PYTHONDONTWRITEBYTECODE=1

# shellcheck source=tests/docs/commands.sh
source tests/docs/commands.sh
# shellcheck source=tests/docs/waiting.sh
source tests/docs/waiting.sh
# shellcheck source=tests/docs/setups.sh
source tests/docs/setups.sh

bad=0
complain() {
  printf '%s: %s\n' "$document" "$1"
  bad=1
}
fail() {
  complain "$1"
  exit 1
}
work=$(mktemp -d)
finish() {
  local pid
  for pid in "${started[@]}"; do
    if kill -TERM "$pid" 2>/dev/null; then wait "$pid" || true; fi
  done
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 143' TERM INT

read_commands "$document"
read_plan tests/docs/plan.txt "$document"
used=() # lines of the plan that fit something

# plan_of KIND… -- SUBJECT: leaves the number of the line in `found`, or fails.
plan_of() {
  local subject=${*: -1} index kind
  for index in "${!kinds[@]}"; do
    for kind in "${@:1:$#-1}"; do
      if [ "${kinds[index]}" != "$kind" ]; then continue; fi
      if [ "$kind" = section ] || [ "$kind" = expect ]; then
        [ "$subject" = "${subjects[index]}" ] || continue
      else
        [[ $subject == "${subjects[index]}"* ]] || continue
      fi
      found=$index
      used[index]=yes
      return 0
    done
  done
  return 1
}

# shellcheck disable=SC2016 # the script that is written expands them
# The lines of a script that run one command. `number` is told, so that a failure names it.
script_of() { # COMMAND NUMBER
  local command=$1 kind=run text=
  if plan_of service watch with "$command"; then
    kind=${kinds[found]} text=${texts[found]}
  fi
  if [ "$kind" = with ]; then command=$(sed "$text" <<<"$command"); fi
  printf 'echo %s >&9\n' "$2"
  if [[ $command == *w1-1b5e9f6a2c3d4e5f-12* ]]; then
    echo fresh_room
    command=${command//w1-1b5e9f6a2c3d4e5f-12/\"\$room\"}
  fi
  # An address in a text of the plan is one of the document.
  case $kind in
    run | with) sed "$mapping" <<<"$command" ;;
    service | watch)
      printf '(exec %s\n) >"$DOCS_WORK/service%s" 2>&1 &\n' "$(sed "$mapping" <<<"$command")" "$2"
      if [ "$kind" = watch ]; then
        printf 'wait_for . "$DOCS_WORK/service%s" $!\nfresh_room\n' "$2"
      fi
      printf 'wait_for %q "$DOCS_WORK/service%s" $!\n' "$(sed "$mapping" <<<"$text")" "$2"
      if [ "$kind" = watch ]; then echo 'end_watch $!'; fi
      ;;
  esac
}

# A trace has thousands of lines: its beginning and its end say what there is to know.
show_shortly() { # FILE
  local lines first=50 last=150
  lines=$(wc -l <"$1")
  if [ "$lines" -le $((first + last)) ]; then
    cat "$1"
    return
  fi
  head -n "$first" "$1"
  printf '… %s lines …\n' "$((lines - first - last))"
  tail -n "$last" "$1"
}

# Runs the script of some sections, and looks at what it has printed.
run_script() { # SCRIPT SECTION…
  local script=$1 output=$1.out code=0 at
  shift
  if [ "$setup" = room ]; then
    run_in_room "$script" || code=$?
  else
    (cd "$work/here" && exec timeout -k 10 90 bash -eu -o pipefail "$script") \
      </dev/null >"$output" 2>&1 || code=$?
  fi
  printf '== section "%s"\n' "$1"
  show_shortly "$output"
  if [ "$code" -ne 0 ]; then
    at=$(tail -n 1 "$work/at")
    complain "section \"${sections[at]}\": code $code after: ${commands[at]}"
  fi
  local section index
  for section in "$@"; do
    for index in "${!kinds[@]}"; do
      if [ "${kinds[index]}" != expect ] || [ "${subjects[index]}" != "$section" ]; then continue; fi
      used[index]=yes
      if [ "$code" -ne 0 ] || grep -qE -e "${texts[index]}" "$output"; then continue; fi
      complain "section \"$section\" has not printed: ${texts[index]}"
    done
  done
}

# The lines of the plan that say what a section prints, which is not run this time, are fine.
skip_expected() { # SECTION…
  local section index
  for section in "$@"; do
    for index in "${!kinds[@]}"; do
      [ "${kinds[index]}" != expect ] || [ "${subjects[index]}" != "$section" ] || used[index]=yes
    done
  done
}

# Sections that are run by one shell, those that go on with the one before among them.
number=0
while [ "$number" -lt ${#commands[@]} ]; do
  section=${sections[number]} ours=() setup='' script=$work/script$number
  cat tests/docs/waiting.sh tests/docs/section.sh >"$script"
  while [ "$number" -lt ${#commands[@]} ]; do
    if [ "${sections[number]}" != "$section" ]; then
      section=${sections[number]}
      if ! plan_of section "$section" || [ "${texts[found]}" != goes-on ]; then break; fi
      unset "used[found]"
    fi
    command=${commands[number]}
    if ! plan_of except "$command"; then
      if ! plan_of section "$section"; then
        complain "is neither run nor excepted in tests/docs/plan.txt: $command"
      else
        [ -n "$setup" ] || setup=${texts[found]}
        if [ "${ours[*]: -1}" != "$section" ]; then ours+=("$section"); fi
        printf '@%s\n' "$number" >>"$script"
      fi
    fi
    number=$((number + 1))
  done
  [ -n "$setup" ] || continue
  mapping=
  rm -rf "$work/here"
  # Which of the two kinds it is decides whether it is run this time.
  if [ "$setup" = engine ]; then kind_of_run=engine; else kind_of_run=; fi
  if [ "$kind_of_run" = "$wanted" ]; then
    set_up_folder
    "set_up_${setup//-/_}"
  fi
  while IFS= read -r line; do
    if [[ $line == @* ]]; then script_of "${commands[${line#@}]}" "${line#@}"; else printf '%s\n' "$line"; fi
  done <"$script" >"$script.sh"
  if [ "$kind_of_run" = "$wanted" ]; then
    run_script "$script.sh" "${ours[@]}"
    end_set_up
  else
    skip_expected "${ours[@]}"
  fi
done

for index in "${!kinds[@]}"; do
  if [ -z "${used[index]:-}" ]; then
    complain "tests/docs/plan.txt: fits nothing any more: ${kinds[index]} ${subjects[index]}"
  fi
done
[ "$bad" -eq 0 ]
