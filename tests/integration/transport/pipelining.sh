#!/bin/bash
# Many requests on one connection, bodies in chunks, many clients at a time.
. "$(dirname "$0")/../lib/daemon.sh"

start
python keep_alive.py
python parallel.py
healthy "one connection, many clients"
stop

# The same when every request goes to a worker.
start --inline-limit=0 --worker-count=2
python keep_alive.py
python parallel.py
healthy "by workers"
finish
