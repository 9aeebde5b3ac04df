#!/bin/bash
# Installs cross compiler and qemu, builds for arm64 and runs there, in qemu: unit
# tests, vectors, fuzz corpora, torture and requests to the daemon. Then it looks
# for vector loops in the objects. About half an hour on 2 cores.
#
# Usage: tests/arm64.sh [--quick]
#   --quick  what .ci/run calls, three minutes at most on 2 cores: movers, JSON,
#            vectors and the first requests
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export CK_TIMEOUT_MULTIPLIER=10 FLIPD_SLOW=0
targets=(all)
unit_tests=(-E '^$')
requests=() # of all scripts
if [ "${1:-}" = --quick ]; then
    targets=(flipd test_vectors_vectors tests/kernels/all tests/fuzz/all)
    unit_tests=(-R '^(kernels/(core|simd)|vectors|fuzz)/')
    requests=(infer/json infer/binary infer/npy transport/framing)
elif [ $# -gt 0 ]; then
    echo "usage: tests/arm64.sh [--quick]" >&2
    exit 2
fi

quietly() {
    "$@" >"$log" 2>&1 && return
    cat "$log" >&2
    echo "tests/arm64.sh: failed: $*" >&2
    exit 1
}

# In functions with these names.
has_vector_loops() { # LAYER OBJECT PATTERN...
    tests/vector_loops.py aarch64-linux-gnu-objdump \
        "build/arm64/$1/CMakeFiles/$1.dir/$2" "${@:3}"
}

cd "$root"
deploy/install-deps.sh --cross arm64
echo "building"
quietly cmake --preset arm64 -DWERROR=ON
quietly cmake --build --preset arm64 --target "${targets[@]}"
ctest --preset arm64 -j "$(nproc)" "${unit_tests[@]}"
tests/integration/run.sh build/arm64/flipd.emulated "${requests[@]}"
has_vector_loops kernels simd/table_neon.c.o rows_ columns transpose
has_vector_loops api lex/simd_generic.c.o rows numbers lists
