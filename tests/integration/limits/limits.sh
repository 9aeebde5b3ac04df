#!/bin/bash
# Beyond a limit: the answer is fast, names the limit, and costs no memory.
. "$(dirname "$0")/../lib/daemon.sh"

path=/v2/models/onnx.ReverseSequence/infer
limit=1048576

# 413: the body's size
start --http-max-input-size=$limit --worker-count=2
head -c $limit /dev/zero | tr '\0' ' ' >"$work/fits"
head -c $((limit + 1)) /dev/zero | tr '\0' ' ' >"$work/over"
head -c $((10 * limit)) /dev/zero | tr '\0' ' ' >"$work/far-over"
printf '%s' "$example" | cat - "$work/fits" | head -c $limit >"$work/full"

ask POST $path --data-binary "@$work/full"
answered "a body of exactly the limit" 200
for expect in 'Expect: 100-continue' 'Expect:'; do
    for file in over far-over; do
        ask POST $path --data-binary "@$work/$file" -H "$expect"
        refused "$file, $expect" 413 "$limit"
    done
done
ask POST $path --data-binary "@$work/full" -H 'Transfer-Encoding: chunked'
answered "chunked, exactly the limit" 200
for expect in 'Expect: 100-continue' 'Expect:'; do
    ask POST $path --data-binary "@$work/over" -H "$expect" \
        -H 'Transfer-Encoding: chunked'
    refused "chunked, just over the limit, $expect" 413 "$limit"
done
python limits.py
succeeds "body_too_large is not counted" \
    [ "$(metric 'flipd_rejected_total{reason="body_too_large"}')" -ge 6 ]

# 413: other routes take 64 KiB
printf '%65535s{}' '' >"$work/over"
ask POST /v2/repository/index --data-binary "@$work/over"
refused "a byte more than a route takes" 413 'the limit of this route is 65536'
healthy "413"
stop

# 503: bytes held at once
start --max-inflight-bytes=$limit --http-max-input-size=$((4 * limit))
python inflight.py $limit
ask POST $path --data-binary "@$work/far-over" -H 'Expect:'
refused "over both limits" 413 "$((4 * limit))"
healthy "bytes in flight"
succeeds "inflight_bytes is not counted" \
    [ "$(metric 'flipd_rejected_total{reason="inflight_bytes"}')" -ge 1 ]
stop

# 503: bytes held by one address
start --max-inflight-bytes=$((8 * limit)) --max-inflight-bytes-per-address=$limit
python address_bytes.py $limit
healthy "bytes of an address"
stop

# 503: requests waiting for a worker
start --max-queue-size=1 --worker-count=1 --inline-limit=0
python queue_full.py
healthy "queue"
succeeds "queue_full is not counted" \
    [ "$(metric 'flipd_rejected_total{reason="queue_full"}')" -ge 1 ]
stop

# 504: the request's own timeout
start --http-thread-count=1 --worker-count=1 --inline-limit=1000 \
    --max-queue-delay=0
python deadline.py
python queue_deadline.py
healthy "deadline"
stop

# 408: slow clients
start --header-timeout=1 --body-timeout=1 --idle-timeout=2 --access-log
python slow_clients.py
for reason in header_timeout body_timeout send_timeout; do
    succeeds "$reason is not counted" \
        [ "$(metric "flipd_rejected_total{reason=\"$reason\"}")" -ge 1 ]
    succeeds "$reason is not logged" grep -q " reason=$reason" "$log"
done
healthy "slow clients"
python leaving.py
stop

# A longer time than the default is kept.
start --body-timeout=30
python patient.py
finish
