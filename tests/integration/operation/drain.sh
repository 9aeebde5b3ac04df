#!/bin/bash
# SIGTERM: not ready at once, service during the delay, running requests are
# finished, exit code 0.
. "$(dirname "$0")/../lib/daemon.sh"

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

ends_with() { # WHAT CODE MILLISECONDS
    local from

    from=$(milliseconds)
    await_end $(($3 / 1000 + 5)) || return
    equal "$1: exit code" "$2" "$code"
    at_most "$1: milliseconds" $(($3 * scale)) $(($(milliseconds) - from))
    [ "$code" = "$2" ] || show_log
}

# An idle daemon ends at once, even with open connections.
start
kill -TERM "$pid"
ends_with "idle" 0 1000

start
exec {idle}<>"/dev/tcp/${address/:/\/}"
printf 'GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n' >&"$idle"
read -r -t 5 line <&"$idle"
matches "kept alive" 200 "$line"
kill -TERM "$pid"
ends_with "idle, a connection kept alive" 0 1000
exec {idle}>&-

start
kill -INT "$pid"
ends_with "SIGINT" 0 1000

# Under load: nothing that was accepted is lost or wrong.
delay=$((scale < 3 ? scale : 3)) # drain.py's DELAY
for options in '' '--inline-limit=0 --max-queue-delay=0'; do
    # shellcheck disable=SC2086 # none or some
    start --drain-delay=$delay --worker-count=2 $options
    python drain.py
    ends_with "loaded $options" 0 3000
done

# Without a delay, running requests are finished too.
start --drain-delay=0
python drain.py no-delay
ends_with "loaded, no delay" 0 3000

# Nor is a connection lost that is not accepted yet.
start
python drain_backlog.py
ends_with "connections that wait" 0 3000

# At the limit of connections, too: the idle ones make room.
start --max-connections=16
python drain_backlog.py
ends_with "more connections than may be open" 0 8000

# Nor one that is begun while the daemon stops.
for delay in 0 0 0 1; do
    start --drain-delay="$delay"
    python drain_storm.py
    ends_with "a storm of connections" 0 3000
done

# Nor a request that is not read yet. A busy machine may close all connections
# before they are asked.
for try in 1 2 3 4 5; do
    start --http-thread-count=1 --inline-limit=1GiB
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$library \
        python3 "$room/drain_unread.py" "$address" "$pid"
    result=$?
    ends_with "requests that are not read yet" 0 3000
    [ $result = 2 ] || break
done
equal "requests that are not read yet, exit code of try $try" 0 $result

# A second signal does not wait.
start --drain-delay=60
kill -TERM "$pid"
within 2 grep -q drain "$log"
matches "the log" 'info draining signal=SIGTERM delay=60$' "$(grep drain "$log")"
ask GET /v2/health/ready
equal "ready while draining" 503 "$status"
equal "ready while draining: body" '{"ready":false}' "$body"
ask GET /v2/health/live
equal "live while draining" 200 "$status"
infer onnx.ReverseSequence "$example"
json "an inference while draining" .outputs[0].data "$example_answer"
equal "told to go elsewhere" close "$(header Connection)"
kill -TERM "$pid"
await_end 5
at_most "second SIGTERM: exit code" 1 "$code"

# At the limit a slow client is cut off, and the exit code is 1.
start --exit-timeout-secs=1 --body-timeout=60
hang
kill -TERM "$pid"
sleep 0.6
succeeds "the daemon gave up early" kill -0 "$pid"
ends_with "a client that hangs" 1 4000
exec {hung}>&-
finish
