#!/bin/bash
# SIGTERM: not ready at once, service during the delay, running requests are
# finished, exit code 0.
. "$(dirname "$0")/../lib/daemon.sh"

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# Well before the end of --exit-timeout-secs, 30: in a tenth of a second to three
# on an idle machine. $took is set.
ends_with() { # WHAT CODE
    local from

    from=$(milliseconds)
    await_end 20 || return
    took=$(($(milliseconds) - from))
    equal "$1: exit code" "$2" "$code"
    at_most "$1: milliseconds" $((20000 + 3000 * scale)) $took
    [ "$code" = "$2" ] || show_log
}

# An idle daemon ends at once, even with open connections.
start
kill -TERM "$pid"
ends_with "idle" 0

start
exec {idle}<>"/dev/tcp/${address/:/\/}"
printf 'GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n' >&"$idle"
read -r -t $busy line <&"$idle"
matches "kept alive" 200 "$line"
kill -TERM "$pid"
ends_with "idle, a connection kept alive" 0
exec {idle}>&-

start
kill -INT "$pid"
ends_with "SIGINT" 0

# Under load: nothing that was accepted is lost or wrong.
for options in '' --inline-limit=0; do
    # shellcheck disable=SC2086 # none or one
    start --drain-delay=5 --worker-count=2 $options
    python drain.py 5
    ends_with "loaded $options" 0
done

# Without a delay, running requests are finished too.
start --drain-delay=0
python drain.py 0
ends_with "loaded, no delay" 0

# Nor is a connection lost that is not accepted yet.
start
python drain_backlog.py
ends_with "connections that wait" 0

# At the limit of connections, too: the idle ones make room.
start --max-connections=16
python drain_backlog.py
ends_with "more connections than may be open" 0

# Nor one that is begun while the daemon stops.
for delay in 0 0 0 1; do
    start --drain-delay="$delay"
    python drain_storm.py
    ends_with "a storm of connections" 0
done

# Nor a request that is not read yet. On a busy machine the clients may be so late
# that all connections are closed before they are asked: then there is nothing to
# judge, and it waits for clients that are in time.
for try in {1..20}; do
    start --http-thread-count=1 --inline-limit=1GiB
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$library \
        python3 "$room/drain_unread.py" "$address" "$pid"
    result=$?
    ends_with "requests that are not read yet" 0
    [ $result = 2 ] || break
done
equal "requests that are not read yet, exit code of try $try" 0 $result

# A second signal does not wait.
start --drain-delay=600
kill -TERM "$pid"
within 2 grep -q drain "$log"
matches "the log" 'info draining signal=SIGTERM delay=600$' "$(grep drain "$log")"
ask GET /v2/health/ready
equal "ready while draining" 503 "$status"
equal "ready while draining: body" '{"ready":false}' "$body"
for path in '' /versions/10; do
    ask GET /v2/models/onnx.ReverseSequence$path/ready
    equal "a model while draining" 503 "$status"
    equal "a model while draining: body" \
        '{"name":"onnx.ReverseSequence","ready":false}' "$body"
done
ask GET /v2/models/nothing/ready
equal "an unknown model while draining" 404 "$status"
ask GET /v2/health/live
equal "live while draining" 200 "$status"
infer onnx.ReverseSequence "$example"
json "an inference while draining" .outputs[0].data "$example_answer"
equal "told to go elsewhere" close "$(header Connection)"
kill -TERM "$pid"
await_end 5
at_most "second SIGTERM: exit code" 1 "$code"

# At the limit a slow client is cut off, and the exit code is 1.
for limit in 0 1; do
    start --exit-timeout-secs=$limit
    hang
    kill -TERM "$pid"
    ends_with "a client that hangs, limit $limit" 1
    exec {hung}>&-
done
succeeds "the daemon gave up early, after $took ms" [ "$took" -gt 600 ]
finish
