#!/bin/bash
# What an operator sees of one request: its trace, its times, its line in the log.
. "$(dirname "$0")/../lib/daemon.sh"

trace=4bf92f3577b34da6a3ce929d0e0e4736
parent=00f067aa0ba902b7
number=0
timing='^queue;dur=[0-9]+\.[0-9]{3}, read;dur=[0-9]+\.[0-9]{3}, move;dur=[0-9]+\.[0-9]{3}, write;dur=[0-9]+\.[0-9]{3}$'

# Sets $body to the line of a request with this.
traced() { # TRACEPARENT
    local id=traced-$((++number))

    infer onnx.ReverseSequence "$example" -H "traceparent: $1" -H "X-Request-Id: $id"
    equal "traceparent $1: status" 200 "$status"
    logged "$id"
}

# Sets $body to the line of the request with ID.
logged() { # ID
    within 2 grep -q "$1" "$log" || fail "no line with $1 is logged"
    body=$(grep "$1" "$log" | tail -n 1)
}

start --access-log --log-format=json

traced "00-$trace-$parent-01"
json "traceparent" .trace_id "\"$trace\""
traced "00-${trace^^}-$parent-01"
json "a wrong traceparent" 'has("trace_id")' false

# Refusals have it too, those that come before the body as well.
for what in 'GET /nothing' 'POST /v2' \
    'POST /v2/models/onnx.ReverseSequence/infer -HExpect:no' \
    'POST /v2/models/onnx.ReverseSequence/infer -HContent-Encoding:br'; do
    # shellcheck disable=SC2086
    ask $what -H "X-Request-Id: refused-$((++number))" \
        -H "traceparent: 00-$trace-$parent-01" -d '{}'
    logged "refused-$number"
    json "the log of $what" .trace_id "\"$trace\""
done

# Server-Timing
infer onnx.ReverseSequence "$example"
matches "Server-Timing" "$timing" "$(header Server-Timing)"
infer onnx.ReverseSequence '{'
matches "Server-Timing of an error" '^queue;dur=[0-9.]+$' "$(header Server-Timing)"
for path in /v2 /metrics /nothing; do
    ask GET $path
    equal "Server-Timing of $path" "" "$(header Server-Timing)"
done

# The line in the log
infer onnx.ReverseSequence "$example" -H 'X-Request-Id: line-1' \
    -A $'agent/1 "x\\" \x01'"$(printf 'a%.0s' {1..300})"
logged line-1
json "model" .model '"onnx.ReverseSequence"'
json "user agent" '.user_agent | startswith("agent/1 \"x\\\"")' true
json "user agent: length" '.user_agent | length' 200
json "times" '[.queue_us, .read_us, .move_us, .write_us] | map(. >= 0) | all' true
json "the times are within the whole" \
    '.queue_us + .read_us + .move_us + .write_us <= .us' true
json "no refusal" 'has("reason")' false
ask GET /nothing -H 'X-Request-Id: line-2' -H 'User-Agent:'
logged line-2
ask GET "/$(printf '%%ff%.0s' {1..900})" -H 'X-Request-Id: line-5'
logged line-5
json "a long path: the rest of the line" '[.status, (.us >= 0)]' '[404,true]'
logged line-2
json "what it has not" '[has("model", "user_agent", "queue_us", "trace_id")] | any' \
    false
stop

# Reasons, with the words of the metrics; and the format of text
start --access-log --http-max-input-size=1000
head -c 2000 /dev/zero >"$work/large"
ask POST /v2/models/onnx.ReverseSequence/infer --data-binary "@$work/large" \
    -H 'X-Request-Id: line-3' -H "traceparent: 00-$trace-$parent-01" -A agent/1
equal "a large body" 413 "$status"
logged line-3
matches "the log" " status=413 .* reason=body_too_large trace_id=$trace error=\"the body has [^\"]*\" user_agent=agent/1$" "$body"
counts 'flipd_rejected_total{reason="body_too_large"}' 1
infer onnx.ReverseSequence "$example" -H 'X-Request-Id: line-4' -A 'two words'
logged line-4
matches "the log" ' us=[0-9]+ queue_us=[0-9]+ read_us=[0-9]+ move_us=[0-9]+ write_us=[0-9]+ model=onnx.ReverseSequence user_agent="two words"$' "$body"
stop

start --server-timing=false --cors-allow-origin='*'
infer onnx.ReverseSequence "$example" -H 'Origin: http://a.example'
equal "Server-Timing that was not number for" "" "$(header Server-Timing)"
equal "nor the browser's" "" "$(header Timing-Allow-Origin)"
finish
