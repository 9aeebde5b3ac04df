#!/bin/bash
# More clients than --max-connections: they wait, none is lost.
. "$(dirname "$0")/../lib/daemon.sh"

start --max-connections=8
python connections.py limit 8
healthy "connection limit"
stop

start --max-connections-per-address=3
python connections.py address 3
healthy "connection limit of an address"
succeeds "address_connections is not counted" \
    [ "$(metric 'flipd_rejected_total{reason="address_connections"}')" -ge 1 ]
stop

# Near the limit those that wait for a request make room for others.
own=("${patience[@]}") patience=()
start --max-connections=64
python crowd.py
healthy "a crowd"
succeeds "crowd is not counted" \
    [ "$(metric 'flipd_rejected_total{reason="crowd"}')" -ge 1 ]
stop

patience=("${own[@]}")

# Connections that wait give their memory back.
start
if is_bare; then
    python idle.py
    healthy "idle connections"
fi
stop

# Fewer descriptors than connections.
launcher=(prlimit --nofile=64:64)
start --http-thread-count=2 --worker-count=2
began=$SECONDS
python connections.py descriptors 200
healthy "few descriptors"
at_most "log lines about it" $((60 + 2 * (SECONDS - began))) "$(wc -l <"$log")"
stop

# The admin port has descriptors of its own.
launcher=(prlimit --nofile=100:100)
port=$(free_port)
start --http-thread-count=2 --admin-port="$port" --max-connections=4000
python connections.py admin 200 "$port"
healthy "few descriptors, admin port"
finish
