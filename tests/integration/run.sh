#!/bin/bash
# Runs the scripts of the rooms below against a daemon, one after the other, and
# fails when one does. Each can be run alone as well: ROOM/NAME.sh DAEMON.
#
# Usage: tests/integration/run.sh DAEMON [NAME...]
#   NAME                   only these: ROOM/NAME, or ROOM for all of a room
#   CK_TIMEOUT_MULTIPLIER  stretches every time limit; 1 = a release build
#   FLIPD_SLOW=0           leaves out what takes long or needs much memory
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
daemon=$(realpath "${1:?usage: tests/integration/run.sh DAEMON [NAME...]}")
limit=$((120 * ${CK_TIMEOUT_MULTIPLIER:-1}))
only=("${@:2}")
ran=0
failed=()

chosen() { # ROOM/NAME
    local name

    [ ${#only[@]} -gt 0 ] || return 0
    for name in "${only[@]}"; do
        [[ $1 != "$name" && ${1%/*} != "$name" ]] || return 0
    done
    return 1
}

cd "$here" || exit 1
for script in */*.sh; do
    name=${script%.sh}
    [ "$name" != lib/daemon ] && chosen "$name" || continue
    echo "$name"
    started=$SECONDS
    timeout -k 15 "$limit" "./$script" "$daemon" || failed+=("$name")
    echo "  $((SECONDS - started)) s"
    ran=$((ran + 1))
done
[ $ran -gt 0 ] || { echo "there is no script ${only[*]}"; exit 1; }
[ ${#failed[@]} = 0 ] || echo "FAILED: ${failed[*]}"
[ ${#failed[@]} = 0 ]
