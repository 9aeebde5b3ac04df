#!/bin/bash
# Runs every script of this folder against a daemon, one after the other, and
# fails when one does. They can be run alone as well.
#
# Usage: tests/integration/run.sh DAEMON
#   CK_TIMEOUT_MULTIPLIER  stretches every time limit; 1 = a release build
#   FLIPD_SLOW=0           leaves out what takes long or needs much memory
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
daemon=${1:?usage: tests/integration/run.sh DAEMON}
limit=$((120 * ${CK_TIMEOUT_MULTIPLIER:-1}))
failed=()

for script in "$here"/*.sh; do
    name=$(basename "$script" .sh)
    case $name in run | daemon) continue ;; esac
    echo "$name"
    started=$SECONDS
    timeout -k 15 "$limit" "$script" "$daemon" || failed+=("$name")
    echo "  $((SECONDS - started)) s"
done
[ ${#failed[@]} = 0 ] || echo "FAILED: ${failed[*]}"
[ ${#failed[@]} = 0 ]
