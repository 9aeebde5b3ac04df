#!/bin/bash
# --max-connection-age: a connection that is older ends with its next reply.
. "$(dirname "$0")/../lib/daemon.sh"

start --max-connection-age=1
python age.py
healthy "old connections"
stop
start
python age.py forever
finish
