# shellcheck shell=bash
# wait_for PATTERN FILE PID: until a line of the file fits, while the process runs. It may not have
# made the file yet.
wait_for() {
  : >>"$2"
  grep -q -m 1 -E -e "$1" < <(exec timeout 40 tail -n +1 -f --pid="$3" "$2" 2>/dev/null) || {
    echo "it has not said: $1"
    cat "$2"
    return 1
  }
}
