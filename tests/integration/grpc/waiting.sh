#!/bin/bash
# What calls that wait may hold: messages in a queue, a connection where they
# are few, bytes where those are used up, and a daemon that stops.
. "$(dirname "$0")/../lib/daemon.sh"

start --grpc-port=0 --grpc-max-streams=200
python waiting.py "$grpc" queue
python waiting.py "$grpc" tiny
python waiting.py "$grpc" leases
counts flipd_inflight_bytes 0
stop

start --grpc-port=0 --max-inflight-bytes=1MiB
python waiting.py "$grpc" budget
counts flipd_inflight_bytes 0
stop

own=("${patience[@]}") patience=()
start --grpc-port=0 --max-connections=64
python waiting.py "$grpc" crowd
stop
patience=("${own[@]}")

launcher=(prlimit --nofile=400:400)
start --grpc-port=0 --max-connections=16 --http-thread-count=2
python waiting.py "$grpc" ports
stop
launcher=()

# One that has sent nothing ends before the time of its headers.
start --grpc-port=0 --header-timeout=600
exec {silent}<>"/dev/tcp/${grpc/:/\/}"
stop
exec {silent}>&-

start --grpc-port=0 --exit-timeout-secs=6
python waiting.py "$grpc" stop
await_end 10
equal "exit code beside a busy stream" 0 "$code"
finish
