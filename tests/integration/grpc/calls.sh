#!/bin/bash
# --grpc-port: unary calls and streams, by the loops' threads and by workers.
. "$(dirname "$0")/../lib/daemon.sh"

echo '{"models": [{"name": "turn", "op": "onnx.ReverseSequence"}]}' >"$work/models"
start --grpc-port=0 --models "$work/models"
python calls.py "$grpc" turn
python streams.py "$grpc"
python frames.py "$grpc"
counts flipd_inflight_bytes 0
healthy "gRPC"
stop

# The same when every request goes to a worker.
start --grpc-port=0 --inline-limit=0 --worker-count=2 --max-queue-delay=0
python calls.py "$grpc"
python streams.py "$grpc"
python frames.py "$grpc"
healthy "gRPC by workers"
stop

# Without the option there is no such port.
start
equal "no port" "" "$grpc"
finish
