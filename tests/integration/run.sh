#!/bin/bash
# Runs the scripts of the rooms below against a daemon, two at a time, for they
# wait most of their time, and fails when one does. Each can be run alone as well:
# ROOM/NAME.sh DAEMON.
#
# Usage: tests/integration/run.sh DAEMON [NAME...]
#   NAME                   only these: ROOM/NAME, or ROOM for all of a room
#   CK_TIMEOUT_MULTIPLIER  stretches every time limit; 1 = a release build
#   FLIPD_SLOW=0           leaves out what takes long or needs much memory
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
daemon=$(realpath "${1:?usage: tests/integration/run.sh DAEMON [NAME...]}")
limit=$((1080 + 120 * ${CK_TIMEOUT_MULTIPLIER:-1}))
only=("${@:2}")

chosen() { # ROOM/NAME
    local name

    [ ${#only[@]} -gt 0 ] || return 0
    for name in "${only[@]}"; do
        [[ $1 != "$name" && ${1%/*} != "$name" ]] || return 0
    done
    return 1
}

# From the last to the first: transport/tls takes longest.
list() {
    for script in $(printf '%s\n' */*.sh | sort -r); do
        name=${script%.sh}
        [ "$name" = lib/daemon ] || ! chosen "$name" || echo "$name"
    done
}

# The output of a script stands in one piece.
run() { # DAEMON SECONDS NAME
    local output started=$SECONDS passed=1

    output=$(timeout -k 15 "$2" "./$3.sh" "$1" 2>&1) || passed=0
    printf '%s\n' "$3" ${output:+"$output"} "  $((SECONDS - started)) s"
    [ $passed = 1 ] || echo "FAILED: $3"
    [ $passed = 1 ]
}
export -f run

cd "$here" || exit 1
scripts=$(list)
[ -n "$scripts" ] || { echo "there is no script ${only[*]}"; exit 1; }
xargs -P 2 -n 1 bash -c 'run "$@"' _ "$daemon" "$limit" <<<"$scripts"
