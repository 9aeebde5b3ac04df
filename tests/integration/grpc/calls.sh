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

# The same at a unix socket, when every request goes to a worker.
start --grpc-address="unix:$work/grpc" --inline-limit=0 --worker-count=2 \
    --max-queue-delay=0
equal "the address of gRPC" "unix:$work/grpc" "$grpc"
python calls.py "$grpc"
python streams.py "$grpc"
python frames.py "$grpc"
healthy "gRPC by workers"
stop
equal "the socket is gone" no "$([ -e "$work/grpc" ] && echo yes || echo no)"

# Without the option there is no such port.
start
equal "no port" "" "$grpc"
finish
