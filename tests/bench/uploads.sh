#!/bin/bash
# Measures how long uploads of 1 to 200 MiB take: over gRPC beside flipd's own
# HTTP/1.1 and beside a server of grpcio, which is installed from PyPI into a
# temporary environment. Their senders send at once, pause in the middle, send 64
# KiB every 5 ms, or are grpcio's own client. Loopback only; about ten minutes.
#
# Usage: tests/bench/uploads.sh [--quick] [--only SECTION,...] [OUTDIR]
#   --quick  fewer rounds
#   --only   of whole pauses slow grpcio
#   OUTDIR   default build/bench: uploads.md, uploads.csv
#   BENCH_BUILD  a release build to measure, instead of building one
#   BENCH_VENVS  where the environment is; a given folder is kept
#
# Prints the table with the goals beside the ratios. No time is asserted: the
# exit code is 1 only when a measurement failed to run.
. "$(dirname "${BASH_SOURCE[0]}")/measure/prepare.sh"

use_venvs

python=$venvs/uploads/bin/python
if ! "$python" -c 'import grpc' 2>/dev/null; then
    echo "installing grpcio" >&2
    quietly /usr/bin/python3 -m venv "$venvs/uploads"
    quietly "$python" -m pip install --disable-pip-version-check grpcio==1.85.1
fi
PYTHONDONTWRITEBYTECODE=1 "$python" tests/bench/uploads/uploads.py \
    --build "$BENCH_BUILD" --out "$out" "${options[@]}"
