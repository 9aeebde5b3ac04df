# Sourced by ../run.sh and ../rivals.sh with their arguments: reads them,
# installs the tools of the measurements, and builds the release unless
# BENCH_BUILD names a build.
#
# Sets $root, the folder where it then is, $out, $options (those of bench.py and
# rivals.py) and $BENCH_BUILD. `quietly` shows a command's output only when it
# fails. $log is removed at the end of the script, and so are the environments of
# Python in $venvs, which `use_venvs` sets, unless BENCH_VENVS names the folder.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
out=$root/build/bench
options=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

quietly() {
    "$@" >"$log" 2>&1 && return
    cat "$log" >&2
    echo "bench: failed: $*" >&2
    exit 1
}

use_venvs() {
    venvs=${BENCH_VENVS:-$(mktemp -d)}
    [ -n "${BENCH_VENVS:-}" ] || trap 'rm -rf "$log" "$venvs"' EXIT
}

while [ $# -gt 0 ]; do
    case $1 in
    --quick) options+=(--quick) ;;
    --only) options+=(--only "${2:?--only needs names}") && shift ;;
    -*) echo "bench: unknown option $1" >&2 && exit 2 ;;
    *) out=$(realpath -m "$1") ;;
    esac
    shift
done

cd "$root"
deploy/install-deps.sh --bench >&2
if [ -z "${BENCH_BUILD:-}" ]; then
    BENCH_BUILD=$root/build/release
    echo "building" >&2
    quietly cmake --preset release
    quietly cmake --build --preset release
fi
