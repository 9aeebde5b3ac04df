#!/bin/bash
# Measures flipd beside other programs that reverse tensors, on the same
# requests and one thread each. In process: ONNX Runtime, OpenVINO, NumPy,
# PyTorch. As services that speak the same protocol: Triton, MLServer, KServe's
# server, each serving the same operator; over gRPC Triton, and flipd's own HTTP;
# Triton's ensemble with a step in Python and with flipd's backend; and flipd's client in
# Python beside tritonclient. They are installed from PyPI, at the
# versions named below, into temporary environments. Loopback only; about twenty
# minutes, a quarter of them to install, and some 7 GB of disk (PyTorch).
#
# Usage: tests/bench/rivals.sh [--quick] [--only PART,...] [OUTDIR]
#   --quick  fewer and shorter rounds
#   --only   of process services grpc ensemble clients
#   OUTDIR   default build/bench: rivals.md, rivals.csv and, throughput by
#            payload size, rivals_throughput.csv, rivals_throughput.svg
#   BENCH_BUILD  a release build to measure, instead of building one
#   BENCH_VENVS  where the environments are; a given folder is kept
#
# Prints the table with the goals beside the ratios. Names each rival that could
# not be installed or started, with the reason; then the exit code is 1. Names
# the features that a rival lacks, too.
. "$(dirname "${BASH_SOURCE[0]}")/measure/prepare.sh"

use_venvs

# Installs one package after the other; a failure leaves NAME.failed with pip's
# output, and the others follow.
environment() { # NAME PACKAGE==VERSION...
    local venv=$venvs/$1 package failed=

    [ -e "$venv/complete" ] && return
    echo "installing $*" >&2
    rm -rf "$venv"
    quietly /usr/bin/python3 -m venv "$venv"
    for package in "${@:2}"; do
        if "$venv/bin/pip" install --progress-bar off \
            --disable-pip-version-check "$package" >"$log" 2>&1; then
            echo "$package" >>"$venv/installed"
            rm -f "$venvs/$package.failed"
        else
            cp "$log" "$venvs/$package.failed"
            failed=1
        fi
    done
    [ -n "$failed" ] || touch "$venv/complete"
}

mkdir -p "$venvs"
environment process numpy==2.4.6 onnx==1.23.2 onnxruntime==1.31.1 \
    openvino==2026.4.1 torch==2.15.0
# The wheel that holds a whole Triton Inference Server; the one named
# tritonserver holds the same for a newer Python and C library only.
environment triton nvidia-pytriton==0.7.0
environment mlserver mlserver==1.7.1
environment kserve kserve==0.21.0
environment client 'tritonclient[http]==2.73.0'
PYTHONDONTWRITEBYTECODE=1 python3 tests/bench/rivals/rivals.py \
    --build "$BENCH_BUILD" --out "$out" --venvs "$venvs" "${options[@]}"
