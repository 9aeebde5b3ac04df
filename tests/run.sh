#!/bin/bash
# Installs packages, builds the release and runs all tests of it, in minutes;
# .ci/run adds compilers, sanitizers and fuzzing. No test is run again, whatever
# else the machine does. The last lines are ctest's summary; the exit code is not
# 0 when a test failed.
#
# Usage: tests/run.sh [OPTION...]    of CMake, such as -DWERROR=ON
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/deploy/lib/progress.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

quietly() {
    "$@" >"$log" 2>&1 && return
    cat "$log" >&2
    echo "tests/run.sh: failed: $*" >&2
    exit 1
}

cd "$root"
deploy/install-deps.sh
quietly cmake --preset release "$@"
build_aloud "tests/run.sh: building flipd and its tests in build/release/" "$log" \
    cmake --build --preset release
ctest --preset release -j "$(nproc)"
