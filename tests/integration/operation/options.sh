#!/bin/bash
# Options on the command line and in the environment, and errors in them.
. "$(dirname "$0")/../lib/daemon.sh"

# Runs the daemon to its end: $code, $out and $err.
run() { # [ARGUMENT...]
    timeout --foreground $((60 + 5 * scale)) "$daemon" "$@" >"$work/out" 2>"$work/err"
    code=$?
    out=$(<"$work/out")
    err=$(<"$work/err")
}

run --help
equal "--help: exit code" 0 "$code"
equal "--help: standard error" "" "$err"
matches "--help" '--http-port'$'\n' "$out"
long=$out
run -h
equal "-h: exit code" 0 "$code"
equal "-h is --help" "$long" "$out"
run --version
equal "--version: exit code" 0 "$code"
matches "--version" '^flipd [0-9]+\.[0-9]+\.[0-9]+$' "$out"
run --http-port=1 --help --version
equal "actions do not start: exit code" 0 "$code"

# A bad value: one line names the option, the value and the range.
wrong() { # REGEX ARGUMENT...
    local regex=$1

    shift
    run "$@"
    equal "$*: standard output" "" "$out"
    matches "$*" "$regex" "$err"
    equal "$*: lines" 1 "$(wc -l <"$work/err")"
    succeeds "$*: exit code is $code" [ "$code" != 0 -a "$code" -lt 124 ]
}
wrong '--http-port.*65536.*0\.\.65535' --http-port=65536
wrong '90 % of the memory' --max-inflight-bytes=1000000000000000
wrong '1048576 connections of [0-9]+ \(--max-connections\) \+ [0-9]+ sockets that wait, of 137216, \+ in flight 1125899906842624 \(--max-inflight-bytes\)' \
    --max-connections=1048576 --max-inflight-bytes=1125899906842624
FLIPD_SIMD=sse2 wrong "FLIPD_SIMD.*sse2.*generic, avx2, avx512 or neon" --http-port=0
wrong '--http-address.*local.*localhost.*unix:' --http-address=local
wrong 'did you mean --http-port\?.*--help' --http-prot=8000
FLIPD_HTTP_PORT=70000 wrong 'FLIPD_HTTP_PORT.*70000.*0\.\.65535'

# An error in the log's format, wherever that is given.
json_error() { # REGEX CODE ARGUMENT...
    wrong '^\{.*"cannot start"' "${@:3}"
    equal "$* in JSON: exit code" "$2" "$code"
    equal "$* in JSON" '["error","cannot start"]' \
        "$(jq -c '[.level, .message]' <<<"$err")"
    matches "$* in JSON: reason" "$1" "$(jq -r .reason <<<"$err")"
}
json_error 'did you mean --http-port' 2 --log-format=json --port=1
FLIPD_LOG_FORMAT=json json_error 'No such file' 1 --models=/nowhere

# A variable that no option has.
FLIPD_HTTP_PROT=1 run --check
equal "stray variable: exit code" 0 "$code"
matches "stray variable" 'warning .*variable=FLIPD_HTTP_PROT did_you_mean=FLIPD_HTTP_PORT' "$err"

# As Kubernetes says of a service called flipd-admin.
FLIPD_ADMIN_PORT=tcp://10.96.0.7:8002 run --check
equal "service: exit code" 0 "$code"
matches "service" ' info .*describes a service.* variable=FLIPD_ADMIN_PORT' "$err"

# A wrong variable does not matter where the command line decides.
FLIPD_HTTP_PORT=x FLIPD_LOG_FORMAT=xml run --help
equal "--help beside wrong variables: exit code" 0 "$code"
equal "--help beside wrong variables" "" "$err"

# The command line overrides the environment.
export FLIPD_HTTP_MAX_INPUT_SIZE=1000 FLIPD_LOG_FORMAT=json
start
infer onnx.ReverseSequence "$(printf ' %.0s' {1..2000})"
refused "limit from the environment" 413 1000
matches "format from the environment" '^\{' "$(<"$log")"
stop
start --http-max-input-size 3000 --log-format=text --http-address=localhost
matches "localhost" '^127\.0\.0\.1:' "$address"
matches "start line" "listening on $address url=http://$address" "$(<"$log")"
infer onnx.ReverseSequence "$(printf ' %.0s' {1..2000})"
refused "limit from the command line" 400 .
matches "format from the command line" '^[0-9]' "$(<"$log")"
unset FLIPD_HTTP_MAX_INPUT_SIZE FLIPD_LOG_FORMAT

start --http-max-input-size=2KiB --idle-timeout=1s --max-queue-delay=1m
infer onnx.ReverseSequence "$(printf ' %.0s' {1..2100})"
refused "limit with a suffix" 413 2048

# libuv's own variable has no effect.
threads() { # AT-MOST
    [ "$(awk '$1 == "Threads:" { print $2 }' "/proc/$pid/status")" -le "$1" ]
}
stop
export UV_THREADPOOL_SIZE=-1
start --worker-count=2 --http-thread-count=2 --inline-limit=0
unset UV_THREADPOOL_SIZE
healthy "UV_THREADPOOL_SIZE=-1"
# The thread sanitizer has one of its own.
succeeds "UV_THREADPOOL_SIZE=-1: too many threads" threads 9

# No threads: the system cannot provide stacks of this size. Under the thread
# sanitizer no program starts with such a stack; qemu aborts without a thread.
own=$daemon
daemon=$work/without_threads
printf '#!/bin/sh\nexec prlimit --stack=70368744177664: "%s" "$@"\n' "$own" \
    >"$daemon"
chmod +x "$daemon"
run --version
[ "$code" != 0 ] && grep -q 'ThreadSanitizer: unexpected memory' <<<"$err" || {
    run --http-port=0 --worker-count=3 --http-thread-count=2
    grep -q '^qemu: qemu_thread_create' <<<"$err" || {
        equal "no threads: exit code" 1 "$code"
        matches "no threads" "can start 0 of 7 worker threads only" "$err"
    }
}
daemon=$own

# The port is in use.
port=${address##*:}
run "--http-port=$port"
equal "port in use: exit code" 1 "$code"
matches "port in use" "127\.0\.0\.1:$port.*in use" "$err"
equal "port in use: lines" 1 "$(wc -l <"$work/err")"

# --probe
run --probe "--http-port=$port"
equal "probe: exit code" 0 "$code"
FLIPD_HTTP_PORT=$port run --probe
equal "probe, port from the environment: exit code" 0 "$code"
run --probe "--http-port=$port" --http-address=0.0.0.0
equal "probe of every address: exit code" 0 "$code"
kill -STOP "$pid"
run --probe "--http-port=$port"
kill -CONT "$pid"
equal "probe of one that hangs: exit code" 1 "$code"
healthy "stopped for a while"
stop
run --probe "--http-port=$port"
equal "probe of nobody: exit code" 1 "$code"
matches "probe of nobody" "127\.0\.0\.1:$port" "$err"
equal "probe of nobody: lines" 1 "$(wc -l <"$work/err")"
start --drain-delay=600
kill -TERM "$pid"
within 2 grep -q drain "$log"
run --probe "--http-port=${address##*:}"
equal "probe while draining: exit code" 1 "$code"
matches "probe while draining" 503 "$err"
kill -TERM "$pid"
await_end 5

# A unix socket.
start "--http-address=unix:$work/socket"
equal "address" "unix:$work/socket" "$address"
healthy "unix socket"
python transport/parallel.py
run --probe "--http-address=unix:$work/socket"
equal "probe of a unix socket: exit code" 0 "$code"
run "--http-address=unix:$work/socket"
equal "unix socket in use: exit code" 1 "$code"
matches "unix socket in use" "in use" "$err"
ask GET /v2
equal "unix socket, asked by another: status" 200 "$status"
{ kill -KILL "$pid" && wait "$pid"; } 2>/dev/null
succeeds "the socket of the dead is gone" [ -S "$work/socket" ]
start "--http-address=unix:$work/socket"
healthy "unix socket left by the dead"
stop
succeeds "the socket remains" [ ! -e "$work/socket" ]
echo text >"$work/file"
run "--http-address=unix:$work/file"
equal "a file instead of the socket: exit code" 1 "$code"
equal "a file instead of the socket" text "$(cat "$work/file" 2>&1)"

# IPv6, if the machine supports it.
if grep -q '^0\{31\}1 ' /proc/net/if_inet6 2>/dev/null; then
    start --http-address=::1
    matches "IPv6 address" '^\[::1\]:[0-9]+$' "$address"
    healthy "IPv6"
    run --probe --http-address=:: "--http-port=${address##*:}"
    equal "probe of every IPv6 address: exit code" 0 "$code"
    stop

    # Both protocols of IP, at all three ports.
    port=$(free_port)
    for form in :: '[::]'; do
        start --http-address="$form" --grpc-port=0 --admin-port="$port" --access-log
        matches "$form: the log" "admin port at \[::\]:$port" "$(<"$log")"
        for host in 127.0.0.1 '[::1]'; do
            url=http://$host:${address##*:}
            healthy "$form: HTTP at $host"
            url=http://$host:$port
            ask GET /healthz
            equal "$form: admin port at $host" 200 "$status"
            python grpc/live.py "$host:${grpc##*:}"
        done
        matches "$form: a client of IPv4" ' client=127\.0\.0\.1:' "$(<"$log")"
        matches "$form: a client of IPv6" ' client=\[::1\]:' "$(<"$log")"
        run --probe --http-address="$form" "--http-port=${address##*:}"
        equal "$form: probe: exit code" 0 "$code"
        stop
    done
    # The kernel may give any port of [::1] to another daemon, at 127.0.0.1.
    start --http-address='[::1]' --http-port="$(free_port)" --grpc-port=0 \
        --admin-port="$port" --admin-address='[::1]'
    healthy "[::1]"
    python grpc/live.py "$grpc"
    for number in "${address##*:}" "$port"; do
        succeeds "[::1]: IPv4 is not served at $number" \
            eval '! curl -s -o /dev/null "http://127.0.0.1:$number/healthz"'
    done
fi

# Few cores get four loops each, whether an affinity or a container's quota leaves them.
loops() { sed -nE 's/.* loops=([0-9]+) workers=([0-9]+) .*/\1 loops, \2 workers/p' "$log"; }
launcher=(taskset -c "$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')")
start
equal "on one core" "4 loops, 1 workers" "$(loops)"
stop
mkdir -p "$work/cgroup/cpu"
echo 50000 100000 >"$work/cgroup/cpu.max"
echo 50000 >"$work/cgroup/cpu/cpu.cfs_quota_us"
echo 100000 >"$work/cgroup/cpu/cpu.cfs_period_us"
launcher=(unshare -rm sh -c 'mount --bind "$0" /sys/fs/cgroup && exec "$@"' "$work/cgroup")
if "${launcher[@]}" true 2>/dev/null; then
    start
    equal "of half a core" "4 loops, 1 workers" "$(loops)"
    stop
else
    echo "  no name spaces here: a quota is not tried"
fi
finish
