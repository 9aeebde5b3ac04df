#!/bin/bash
# Every case of tests/conformance is right over both protocols, bit by bit.
. "$(dirname "$0")/../lib/daemon.sh"

start --grpc-port=0
python conformance.py "$grpc"
healthy "all cases"
finish
