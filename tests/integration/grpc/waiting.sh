#!/bin/bash
# What calls that wait may hold: messages in a queue, headers, a connection where
# they are few, bytes where those are used up, and a daemon that stops.
. "$(dirname "$0")/../lib/daemon.sh"

start --grpc-port=0 --header-timeout=1 --grpc-max-streams=200
python waiting.py "$grpc" queue
python waiting.py "$grpc" headers
python waiting.py "$grpc" leases
counts flipd_inflight_bytes 0
stop

finish
