#!/bin/bash
# Shared memory: off, on, attacked, and on a /dev/shm that is full.
. "$(dirname "$0")/../lib/daemon.sh"

system=/v2/systemsharedmemory
placed='{"inputs":[
  {"name":"input","datatype":"FP32","shape":[4,1],"parameters":
    {"shared_memory_region":"r","shared_memory_byte_size":16}},
  {"name":"sequence_lens","datatype":"INT64","shape":[1],"data":[4]}]}'

# SH1: off by default.
start
ask GET $system/status
equal "off: status" '[]' "$body"
ask POST $system/region/x/register -d '{"key":"/x","byte_size":8}'
refused "off: a registration" 501 allow-client-shm
infer onnx.ReverseSequence "$placed"
refused "off: an inference" 501 allow-client-shm
stop

timeout 60 "$daemon" --http-port=0 --allow-client-shm --shm-prefix=x 2>"$log"
equal "a wrong prefix: exit code" 1 "$?"
matches "a wrong prefix" 'shm-prefix' "$(<"$log")"

start --allow-client-shm --shm-prefix=/flipd-test-
ask GET /v2
json "on: extensions" '.extensions | index("system_shared_memory") != null' true
# Some clients unregister everything before they start.
ask POST /v2/cudasharedmemory/unregister -H 'Content-Length: 0'
answered "cuda: unregister all" 200
python shm.py
healthy "on"
stop

# All requests go to workers.
start --allow-client-shm --inline-limit=0 --worker-count=3
python shm.py
healthy "workers"
stop

# The daemon gets a file system of its own, half full.
launcher=(unshare -rm sh -c
    'mount -t tmpfs -o size=1m,mode=1777 none /dev/shm && exec "$@"' sh)
if "${launcher[@]}" true 2>/dev/null; then
    start --allow-client-shm
    python shm_full.py
    healthy "full"
    stop
else
    echo "  no name spaces here: a full /dev/shm is not tried"
fi
finish
