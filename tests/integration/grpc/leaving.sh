#!/bin/bash
# How connections of gRPC end: at their age, at SIGTERM, and what a Watch is told.
. "$(dirname "$0")/../lib/daemon.sh"

# Of both transports.
start --grpc-port=0 --max-connection-age=1
python leaving.py "$grpc" age
healthy "connections of an age"
stop

start --grpc-port=0 --drain-delay=5
python leaving.py "$grpc" drain
await_end 10
equal "exit code" 0 "$code"

# A worker ends the call of a client that has gone, before the daemon does.
start --grpc-port=0 --http-thread-count=1 --worker-count=1
python leaving.py "$grpc" cancel
await_end 20
equal "exit code with a cancelled call" 0 "$code"
finish
