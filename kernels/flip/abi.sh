#!/bin/sh
# Compares the binary interface of libflip, as flip.h declares it, with libflip.abi: what
# an older program was built with must go on to work. The comparison needs abigail-tools,
# and a build of the preset debug, which has the types.
#
# Usage: kernels/flip/abi.sh [--update]
set -eu

cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
abidw --exported-interfaces-only --drop-private-types --headers-dir . --no-architecture \
    --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
    --out-file "$work/libflip.abi" ../../build/debug/kernels/flip/libflip.so
if [ "${1:-}" = --update ]; then
    cp "$work/libflip.abi" libflip.abi
else
    abidiff libflip.abi "$work/libflip.abi"
fi
