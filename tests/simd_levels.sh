#!/bin/bash
# Runs unit tests, vectors and integration tests of the release build with each
# instruction set: those of this machine, named by FLIPD_SIMD, and, in qemu, the
# processors Nehalem (no vectors of 32 bytes) and Haswell (AVX2). These two run no
# daemon: the qemu of Debian 12 misaligns the stack of a signal handler, so SIGTERM
# would end it with SIGSEGV.
#
# Usage: tests/simd_levels.sh [-R REGEX] [LEVEL...]
#   REGEX  only the unit tests of these names, and no integration tests
#   LEVEL  only these: generic, avx2, avx512, neon, nehalem, haswell
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
daemon=$root/build/release/flipd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=()
skipped=()
only=
if [ "${1:-}" = -R ]; then
    only=${2:?usage: tests/simd_levels.sh [-R REGEX] [LEVEL...]}
    shift 2
fi

quietly() {
    "$@" >"$work/log" 2>&1 && return
    cat "$work/log" >&2
    echo "tests/simd_levels.sh: failed: $*" >&2
    exit 1
}

# Writes $work/launch, which runs its arguments at a level, and $work/flipd.
write_launchers() { # LEVEL
    local command

    case $1 in
    # qemu warns of what it does not emulate.
    haswell) command='exec qemu-x86_64 -cpu Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid' ;;
    nehalem) command='exec qemu-x86_64 -cpu Nehalem' ;;
    # A test that sets the variable itself means it.
    *) command="FLIPD_SIMD=\${FLIPD_SIMD-$1} exec" ;;
    esac
    printf '#!/bin/sh\n%s "$@"\n' "$command" >"$work/launch"
    printf '#!/bin/sh\n%s "%s" "$@"\n' "$command" "$daemon" >"$work/flipd"
    chmod +x "$work/launch" "$work/flipd"
}

# The others are refused at the start, or their emulator is not installed.
level_exists() {
    ! timeout 2 "$work/flipd" --http-port=0 2>"$work/log" &&
        grep -q 'listening on' "$work/log"
}

# The unit tests as ctest knows them, one line of shell words each. Scripts are none: qemu
# runs programs.
list_unit_tests() {
    ctest --preset release -R "${only:-^(kernels|api|server|vectors|fuzz|simulation)}" \
        --show-only=json-v1 | jq -r '.tests[].command |
        select(.[0] | test("\\.(sh|py)$") | not) | @sh'
}

run_unit_tests() {
    export work
    if [ "$(list_unit_tests | wc -l)" = 0 ]; then
        echo "no unit test is called ${only:-anything}"
        return 1
    fi
    list_unit_tests | xargs -d '\n' -P "$(nproc)" -I{} bash -c '
        eval "set -- $1"
        timeout 900 "$work/launch" "$@" >"$work/$$.log" 2>&1 || {
            tail -n 40 "$work/$$.log"
            echo "FAILED: $*"
            exit 1
        }' _ {} && echo "$(list_unit_tests | wc -l) unit tests passed"
}

run_level() { # LEVEL
    case $1 in
    nehalem | haswell) CK_TIMEOUT_MULTIPLIER=10 run_unit_tests ;;
    *)
        run_unit_tests &&
            { [ -n "$only" ] || tests/integration/run.sh "$work/flipd"; }
        ;;
    esac
}

levels=("$@")
[ $# -gt 0 ] || levels=(generic avx2 avx512 neon nehalem haswell)
cd "$root"
echo "building"
quietly cmake --preset release
quietly cmake --build --preset release
for level in "${levels[@]}"; do
    write_launchers "$level"
    if level_exists; then
        echo "== $level"
        run_level "$level" || failed+=("$level")
    else
        skipped+=("$level")
    fi
done
[ ${#skipped[@]} = 0 ] || echo "not on this machine: ${skipped[*]}"
[ ${#failed[@]} = 0 ] || echo "FAILED: ${failed[*]}"
[ ${#failed[@]} = 0 ]
