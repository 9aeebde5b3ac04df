#!/bin/bash
# Many requests on one connection, bodies in chunks, many clients at a time.
. "$(dirname "$0")/../lib/daemon.sh"

start
python keep_alive.py
python parallel.py
healthy "one connection, many clients"
stop

# The same when every request goes to a worker.
start --inline-limit=0 --worker-count=2 --max-queue-delay=0
python keep_alive.py
python parallel.py
healthy "by workers"
stop

# On a unix socket, which copies also what is dropped.
start "--http-address=unix:$work/socket"
head -c 200000 /dev/zero >"$work/zeros"
ask POST /v2/nothing -H 'Expect:' --data-binary @"$work/zeros"
equal "a refused body on a unix socket" 404 "$status"
python parallel.py
healthy "on a unix socket"
finish
