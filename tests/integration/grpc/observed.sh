#!/bin/bash
# What is told of calls: the access log, line by line, and the counters, exactly;
# and what calls hold until they end.
. "$(dirname "$0")/../lib/daemon.sh"

start --grpc-port=0 --access-log --log-format=json
python observed.py "$grpc" "$log"
healthy "calls that were told of"
stop

start --grpc-port=0 --worker-count=1 --max-queue-delay=0
python held.py "$grpc"
healthy "calls that held something"
stop

start --grpc-port=0 --access-log --log-format=json --body-timeout=1 \
    --header-timeout=1 --idle-timeout=1
python ended.py "$grpc" "$log"
healthy "calls that were ended"
finish
