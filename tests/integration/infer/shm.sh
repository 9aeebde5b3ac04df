#!/bin/bash
# Shared memory: off, on, attacked, and on a /dev/shm that is full.
. "$(dirname "$0")/../lib/daemon.sh"

system=/v2/systemsharedmemory
cuda=/v2/cudasharedmemory

# Some clients unregister everything before they start.
check_cuda() {
    ask GET $cuda/status
    json "cuda: status" . '[]'
    ask GET $cuda/region/x/status
    refused "cuda: a region" 404 "'x'"
    ask POST $cuda/unregister -H 'Content-Length: 0'
    answered "cuda: unregister all" 200
    ask POST $cuda/region/x/unregister
    answered "cuda: unregister" 200
    ask POST $cuda/region/x/register -d '{"raw_handle":{"b64":"AA=="},"device_id":0,"byte_size":8}'
    refused "cuda: register" 501 CUDA
}

placed='{"inputs":[
  {"name":"input","datatype":"FP32","shape":[4,1],"parameters":
    {"shared_memory_region":"r","shared_memory_byte_size":16}},
  {"name":"sequence_lens","datatype":"INT64","shape":[1],"data":[4]}]}'

# SH1: off by default.
start
check_cuda
for route in status region/x/status; do
    ask GET $system/$route
    answered "off: $route" 200
    equal "off: $route" '[]' "$body"
done
for route in unregister region/x/register region/x/unregister; do
    ask POST $system/$route -d '{"key":"/x","byte_size":8}'
    refused "off: $route" 501 allow-client-shm
done
infer onnx.ReverseSequence "$placed"
refused "off: an inference" 501 allow-client-shm
ask GET /v2
json "off: extensions" '.extensions | index("system_shared_memory")' null
ask DELETE $system/status
equal "method" 405 "$status"
equal "Allow" "GET, HEAD" "$(header Allow)"
stop

for prefix in x /a/b ''; do
    timeout 60 "$daemon" --http-port=0 --allow-client-shm --shm-prefix="$prefix" 2>"$log"
    matches "prefix '$prefix': exit code" '^[12]$' "$?"
    matches "prefix '$prefix': log" 'shm-prefix' "$(cat "$log")"
done

start --allow-client-shm --shm-prefix=/flipd-test-
# An empty body has an error of its own.
ask POST $system/region/x/register
refused "a registration without a body" 400 'malformed JSON at byte 0'
check_cuda
ask GET /v2
json "on: extensions" '.extensions | index("system_shared_memory") != null' true
key=flipd-test-log-$$
head -c 64 /dev/zero >"/dev/shm/$key"
ask POST $system/region/told/register -d '{"key":"/'"$key"'","offset":8,"byte_size":16}'
answered "a region" 200
matches "it is logged" "info shared memory registered region=told key=/$key offset=8 bytes=16\$" \
    "$(grep registered "$log")"
ask POST $system/region/told/unregister
ask POST $system/unregister
for told in told '\*'; do
    matches "its end is logged" "info shared memory unregistered region=$told\$" \
        "$(grep "unregistered region=$told" "$log")"
done
rm "/dev/shm/$key"
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
