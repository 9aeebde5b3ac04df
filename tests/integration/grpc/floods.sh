#!/bin/bash
# Frames that bring no request further end a connection; a few of them do not.
. "$(dirname "$0")/../lib/daemon.sh"

start --grpc-port=0
python floods.py "$grpc"
counts flipd_inflight_bytes 0
healthy "floods"
finish
