#!/bin/bash
# Compares the models of vector instructions with the processor, by random inputs:
# x86-64 where it has the set, NEON on arm64 or, where the cross compiler and qemu are
# installed, in qemu.
#
# Usage: tests/proofs/models/check.sh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Builds $work/check with that compiler and these options.
build() { # CC WORD...
    "$1" -std=gnu17 -O2 -Wno-psabi "${@:2}" -DSIDE=real -c -o "$work/real.o" "$here/check.c"
    "$1" -std=gnu17 -O2 -Wno-psabi "${@:2}" -DSIDE=model -I "$here" -c -o "$work/model.o" \
        "$here/check.c"
    "$1" -std=gnu17 -O2 -static -DMAIN -o "$work/check" "$here/check.c" "$work/real.o" \
        "$work/model.o"
}

if [ "$(uname -m)" = x86_64 ]; then
    build gcc -mavx2
    "$work/check"
    if grep -q avx512_vbmi /proc/cpuinfo; then
        build gcc -DAVX512 -mavx512f -mavx512bw -mavx512vl -mavx512vbmi
        "$work/check"
    else
        echo "skipped avx512: this processor does not have it"
    fi
    if ! command -v aarch64-linux-gnu-gcc qemu-aarch64 >/dev/null; then
        echo "skipped neon: deploy/install-deps.sh --cross arm64 installs what it needs"
        exit
    fi
    build aarch64-linux-gnu-gcc
    qemu-aarch64 "$work/check"
else
    build gcc
    "$work/check"
fi
