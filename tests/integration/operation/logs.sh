#!/bin/bash
# The log: one line an event, in text or JSON, with the request's id. A log
# without a reader blocks nothing.
. "$(dirname "$0")/../lib/daemon.sh"

# Sets $line to the last line with ID; the line may follow the answer.
logged() { # ID
    within 2 grep -q -- "$1" "$log" || fail "no line with $1 is logged"
    line=$(grep -- "$1" "$log" | tail -n 1)
}

requests() {
    infer onnx.ReverseSequence "$example" -H 'X-Request-Id: order-66'
    equal "id in the answer" order-66 "$(header X-Request-Id)"
    logged order-66
    requested=$line
    ask GET /v2/nothing -H 'X-Request-Id: missing-1'
    logged missing-1
    missing=$line
    # What is long leaves room for the other fields.
    many=$(printf 'b%.0s' {1..300})
    ask "${many:0:40}" "/$many" -H 'X-Request-Id: long-texts' -A "$many"
    logged long-texts
    long=$line
    # Bytes that could break a line or imitate another one.
    ask GET '/"\x%0aid=order-66?a="' -H 'X-Request-Id: odd-path'
    logged odd-path
    ask GET /v2 -H 'X-Request-Id: a b'
    succeeds "bad id is echoed" [ "$(header X-Request-Id)" != 'a b' ]
    ask GET /v2
}

start --log-format=json --access-log
requests
stop
log_keys=$(jq -rc 'keys | @text' <"$log" 2>&1)
equal "lines of JSON" "$(wc -l <"$log")" "$(wc -l <<<"$log_keys")"
equal "each has time, level and message" true "$(jq -s 'map(
    (.time | test("^[0-9-]{10}T[0-9:]{8}\\.[0-9]{3}Z$")) and
    (.level | IN("error", "warning", "info", "debug")) and
    (.message | length > 0)) | all' <"$log")"
body=$requested
json "access" '[.method, .path, .status, .received]' \
    "[\"POST\",\"/v2/models/onnx.ReverseSequence/infer\",200,${#example}]"
json "access" .id '"order-66"'
json "access: sent" '.sent > 100 and .us > 0' true
json "access: client" '.client | test("^127.0.0.1:[0-9]+$")' true
body=$missing
json "access" '[.method, .path, .status]' '["GET","/v2/nothing",404]'
body=$long
json "long texts are cut" '[.method, .path, .user_agent | length]' '[32,256,200]'
equal "requests with an id" "$(grep -c '"method"' "$log")" \
    "$(jq -s 'map(select(.method) | .id | select(length > 0)) | length' <"$log")"
equal "ids differ" 0 "$(jq -r 'select(.method) | .id' <"$log" | sort |
    uniq -d | wc -l)"

start --log-format=text --access-log=true
requests
stop
matches "access" ' id=order-66 .*method=POST.*status=200' "$requested"
matches "access" ' id=missing-1 .*status=404' "$missing"
equal "each line begins with time and level" 0 "$(grep -cvE \
    '^[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z (error|warning|info|debug) ' "$log")"
equal "a path passes for an id" 1 "$(grep -c ' id=order-66 ' "$log")"
matches "start" 'flipd version=' "$(head -n 1 "$log")"
matches "stop" 'stopped' "$(tail -n 1 "$log")"

# Why requests are refused.
start --log-format=json --grpc-port=0 --http-max-input-size=100000 \
    --http-restricted-api=statistics:X-Key=s3cret --log-level=debug
python operation/refused_log.py "$grpc" "$log"
healthy "after refusals"
stop
start --allow-log-changes
for level in 0 1 0; do
    ask POST /v2/logging -d "{\"log_verbose_level\":$level}"
    ask GET /v2/nothing -H "X-Request-Id: at-$level"
    curl -s --max-time $((30 * scale)) -X DELETE -H "X-Request-Id: at-$level" \
        "$url/v2?[1-30]" >"$work/body"
done
stop
equal "refused at level 0" 0 "$(grep -c at-0 "$log")"
equal "refused at level 1" 31 "$(grep -c 'debug request.* id=at-1 ' "$log")"
matches "the text" 'debug request id=at-1 .* path=/v2/nothing status=404 .* error=".*"' \
    "$(grep at-1 "$log")"

start --log-format=json --access-log --http-max-input-size=64MiB
python operation/sent.py "$log"
healthy "bytes that were sent"
stop

# The next daemons listen on a unix socket: without a log the port is unknown.
adopt() { # PID
    pid=$1
    address=unix:$work/socket
    url=http://localhost
    curl_to=(--unix-socket "$work/socket")
    within 5 [ -S "$work/socket" ] || die "did not start"
}

env "${patience[@]}" "$daemon" "--http-address=unix:$work/socket" --log-level=error 2>"$log" &
adopt $!
healthy "log-level=error"
stop
equal "log-level=error" "" "$(<"$log")"

# Standard error is closed: no other file may get its descriptor and the lines.
env "${patience[@]}" "$daemon" "--http-address=unix:$work/socket" --access-log 2>&- &
adopt $!
for _ in 1 2 3 4 5; do
    healthy "standard error closed"
done
python transport/parallel.py
stop

# A full pipe: lines are dropped and counted, requests are answered.
mkfifo "$work/pipe"
exec {pipe}<>"$work/pipe"
env "${patience[@]}" "$daemon" "--http-address=unix:$work/socket" --access-log 2>"$work/pipe" &
adopt $!
python transport/parallel.py
healthy "a log that nobody reads"
drops() { # WHAT
    succeeds "$1: dropped lines are not counted" \
        [ "$(metric flipd_log_dropped_total)" -gt 0 ]
}
drops "a log that nobody reads"
stop
exec {pipe}<&-

env "${patience[@]}" "$daemon" "--http-address=unix:$work/socket" --access-log 2>/dev/full &
adopt $!
python transport/parallel.py
healthy "a log on a full disk"
drops "a log on a full disk"
stop

# A pipe without a reader.
env "${patience[@]}" "$daemon" "--http-address=unix:$work/socket" --access-log \
    2> >(exec head -c 10 >/dev/null) &
adopt $!
python transport/parallel.py
healthy "a log whose reader is gone"
drops "a log whose reader is gone"
finish
