#!/bin/bash
# Runs every snippet of README.md, docs/ and deploy/ as it stands: the blocks of a
# page in turn, in one empty folder, against `flipd` of the PATH, which is DAEMON. The
# json or text block right behind a snippet must be what it prints. README.md of
# this folder has the rules for writers.
#
# Usage: tests/docs/run.sh [--source | --container] DAEMON [PAGE...]
#   --source     also what builds or needs docker: a page begins in a copy of the
#                source tree, on port 8000 of this machine. By hand, for minutes
#   --container  of these only what needs docker: tests/deploy/image/test.sh calls it
#   PAGE         default README.md, docs/*.md, docs/examples/README.md, deploy/README.md
#                and deploy/*/README.md
#   CK_TIMEOUT_MULTIPLIER  stretches every time limit; 1 = a release build
#
# The pages speak of port 8000. So that it is free, all of this runs in a network
# namespace of its own, with a /dev/shm of its own. Where the kernel gives none,
# free ports take the place of the page's.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
source=
case ${1:-} in --source | --container) source=$1 && shift ;; esac
[ $# -gt 0 ] || { sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit 2; }
daemon=$(realpath "$1") || exit 2
shift
cd "$root" || exit 2
[ $# -gt 0 ] || set -- README.md docs/*.md docs/examples/README.md deploy/{,*/}README.md

# The environment of the caller must not configure these daemons.
for variable in ${!FLIPD_@}; do
    unset "$variable"
done
export PYTHONDONTWRITEBYTECODE=1
# What `pip install` of the wheel would give them.
export PYTHONPATH=$root/deploy/python LD_LIBRARY_PATH=${daemon%/*}/kernels/flip

isolate=(unshare --net --mount)
[ "$(id -u)" = 0 ] || isolate+=(--map-root-user)
if [ -n "$source" ]; then
    exec python3 "$here/run.py" "$source" "$daemon" "$@"
elif "${isolate[@]}" true 2>/dev/null; then
    exec "${isolate[@]}" python3 "$here/run.py" --isolated "$daemon" "$@"
fi
exec python3 "$here/run.py" "$daemon" "$@"
