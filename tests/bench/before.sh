#!/bin/bash
# Measures this tree's release beside another build of flipd, in turn: binary and
# JSON over HTTP, gRPC, TLS, and small requests beside large ones. A change must not
# make a row worse than by a twentieth. Loopback only; about twenty minutes.
#
# Usage: tests/bench/before.sh BEFORE [--quick] [--only SECTION,...] [OUTDIR]
#   BEFORE    the folder of the other release build, with its flipd
#   --quick   fewer and shorter rounds
#   --only    of binary json grpc tls beside
#   OUTDIR    default build/bench: before.md, before.csv
#   BENCH_BUILD  a release build to measure, instead of building one
#
# Prints the table. No time is asserted: the exit code is 1 only when a measurement
# failed to run.
before=$(realpath -m "${1:-}")
[ -x "$before/flipd" ] || { sed -n '2,/^before=/s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
shift
. "$(dirname "${BASH_SOURCE[0]}")/measure/prepare.sh"

PYTHONDONTWRITEBYTECODE=1 python3 tests/bench/measure/before.py \
    --build "$BENCH_BUILD" --before "$before" --out "$out" "${options[@]}"
