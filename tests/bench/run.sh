#!/bin/bash
# Measures flipd beside comparable programs: movers beside memcpy,
# JSON beside jansson and simdjson, small requests beside nginx, large ones
# beside a bare libmicrohttpd and a raw TCP echo. Loopback only; about
# twenty minutes on two idle cores, five with --quick.
#
# Usage: tests/bench/run.sh [--quick] [--only SECTION,...] [OUTDIR]
#   --quick   fewer and shorter rounds
#   --only    of movers json small large million fairness linear memory
#             picture
#   OUTDIR    default build/bench: bench.md, bench.csv, movers.txt,
#             throughput.csv, throughput.svg
#   BENCH_BUILD  a release build to measure, instead of building one
#
# Prints the table with the goals beside the ratios. No time is asserted: the
# exit code is 1 only when a measurement failed to run.
. "$(dirname "${BASH_SOURCE[0]}")/measure/prepare.sh"

PYTHONDONTWRITEBYTECODE=1 python3 tests/bench/measure/bench.py \
    --build "$BENCH_BUILD" --out "$out" "${options[@]}"
