#!/bin/bash
# Clients that disconnect at any moment: no memory, descriptor or slot is lost.
. "$(dirname "$0")/../lib/daemon.sh"

start --worker-count=2
python aborts.py 300
healthy "aborts"
counts flipd_connections 1
stop

# All requests go to a worker and limits are small: a leak becomes visible.
start --worker-count=1 --inline-limit=0 --max-inflight-bytes=67108864 \
    --max-queue-size=16 --max-queue-delay=0
python aborts.py 150
healthy "aborts, by workers"
counts flipd_connections 1
stop

start --worker-count=1 --inline-limit=0 --max-queue-delay=0
python gone.py
healthy "a client that is gone"
finish
