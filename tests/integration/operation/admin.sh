#!/bin/bash
# --admin-port: health and metrics when the main port is full, and until the
# process ends.
. "$(dirname "$0")/../lib/daemon.sh"

port=$(free_port)

admin() { # METHOD PATH [CURL-OPTION...]
    local url=http://127.0.0.1:$port curl_to=()

    ask "$@"
}

# A connection to the main port with a request whose body does not come: an idle one would
# make room after a second. Its descriptor is $held.
hold() {
    exec {held}<>"/dev/tcp/${address/:/\/}"
    printf 'POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n%s\r\n\r\n' \
        /v2/models/onnx.ReverseSequence/infer "Expect: 100-continue" >&"$held"
    read -r -t $((busy + 5 * scale)) line <&"$held"
    matches "a held connection" 100 "$line"
}

no_answer() { ! curl -s --max-time 0.5 -o /dev/null "$url/v2/health/live"; }

no_listener() { ! (exec 3<>"/dev/tcp/${1/:/\/}") 2>/dev/null; }

start --admin-port="$port" --max-connections=2
matches "the log" "admin port at 127\.0\.0\.1:$port" "$(<"$log")"

admin GET /healthz
answered "/healthz" 200
admin GET /metrics
equal "/metrics" 200 "$status"
matches "/metrics" 'flipd_http_requests_total\{route="/v2/health/ready"' "$body"
for path in / /v2 /v2/models /v2/models/stats /v2/logging; do
    admin GET $path
    refused "$path" 404 'admin port.*/metrics'
done
admin POST /v2/models/onnx.ReverseSequence/infer --data-binary "$example"
refused "an inference" 404 'admin port.*/metrics'
ask GET /v2/health/live
equal "live at the main port too" 200 "$status"

# The main port has all its connections.
counts flipd_connections 1 # of this request
hold
first=$held
hold
succeeds "the main port answers past its limit" no_answer
for path in /v2/health/live /v2/health/ready /metrics; do
    admin GET $path
    equal "$path when all connections are taken" 200 "$status"
done
matches "flipd_connections" $'\nflipd_connections 2\n' "$body"
FLIPD_ADMIN_PORT=$port timeout 60 "$daemon" --probe "--http-port=${address##*:}"
equal "probe when all connections are taken: exit code" 0 $?
exec {held}>&- {first}>&-
healthy "connections taken and given back"
python admin.py "$port"
healthy "the admin port's own limit"
stop
succeeds "the admin port is still open" no_listener "127.0.0.1:$port"

# Not ready at once while draining, and open until the end.
start --admin-port="$port" --drain-delay=600
kill -TERM "$pid"
within 2 grep -q drain "$log"
admin GET /v2/health/ready
equal "ready while draining" 503 "$status"
admin GET /v2/health/live
equal "live while draining" 200 "$status"
kill -TERM "$pid"
await_end 5

start --admin-port="$port"
hang
exec {idle}<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /v2/he' >&"$idle"
kill -TERM "$pid"
succeeds "the main port is still open" within 2 no_listener "$address"
admin GET /v2/health/ready
equal "ready while stopping" 503 "$status"
admin GET /metrics
equal "metrics while stopping" 200 "$status"
exec {hung}>&-
await_end 3
equal "exit code with an unfinished question at the admin port" 0 "$code"
exec {idle}>&-

# A second signal ends at once, not after the 200 ms for such replies. Without it
# the end is never sooner than 300 ms after the first one, so one sooner end is a
# proof; on a busy machine many are later, and it is waited for.
for ((sooner = 0, ends = 0; sooner == 0 && ends < 50; ends++)); do
    start --admin-port="$port"
    python operation/second_signal.py "$port" >"$work/took"
    await_end 3
    equal "exit code after a second signal" 0 "$code"
    sooner=$(($(<"$work/took") < 300 ? 1 : 0))
done
equal "one of $ends ends after a second signal is sooner than without" 1 "$sooner"

# At an address of its own.
start --admin-port="$port" --admin-address=127.0.0.2
matches "the log" "admin port at 127\.0\.0\.2:$port" "$(<"$log")"
succeeds "the main port's address has no admin port" no_listener "127.0.0.1:$port"
main=$url url=http://127.0.0.2:$port
ask GET /v2/health/ready
equal "ready at an address of its own" 200 "$status"
url=$main
timeout 60 "$daemon" --probe --admin-port="$port" --admin-address=127.0.0.2
equal "probe at an address of its own: exit code" 0 $?
stop
start --http-address=127.0.0.2 --http-port="$port" --admin-port="$port" \
    --admin-address=127.0.0.1
admin GET /v2/health/ready
equal "one port, two addresses" 200 "$status"
stop

# Beside a unix socket.
start --admin-port="$port" --http-address="unix:$work/socket"
admin GET /v2/health/ready
equal "ready beside a unix socket" 200 "$status"
timeout 60 "$daemon" --probe --admin-port="$port" --http-address="unix:$work/none"
equal "probe beside a unix socket: exit code" 0 $?
healthy "unix socket"
finish
