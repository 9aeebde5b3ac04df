#!/bin/bash
# Clients that go away at any moment leave nothing behind.
. "$(dirname "$0")/../lib/daemon.sh"

start --worker-count=2
python aborts.py 300
healthy "aborts"
counts flipd_connections 1
stop

# Every request by a worker, little room: what is left behind would show.
start --worker-count=1 --inline-limit=0 --max-inflight-bytes=33554432 \
    --max-queue-size=16
python aborts.py 150
healthy "aborts, by workers"
counts flipd_connections 1
finish
