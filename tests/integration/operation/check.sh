#!/bin/bash
# flipd --check: what a start would refuse is refused in the same words, and
# nothing is started.
. "$(dirname "$0")/../lib/daemon.sh"

check() { # [ARGUMENT...]: $code and $err
    timeout --foreground $((10 * scale)) "$daemon" --check "$@" >"$work/out" 2>"$work/err"
    code=$?
    err=$(<"$work/err")
}

# The check says the same as a start, but for the time.
same() { # CODE REGEX ARGUMENT...
    local regex=$2 wanted=$1

    shift 2
    check "$@"
    equal "--check $*: exit code" "$wanted" "$code"
    matches "--check $*" "$regex" "$err"
    equal "--check $*: standard output" "" "$(<"$work/out")"
    timeout --foreground $((10 * scale)) "$daemon" --http-port=0 "$@" 2>"$log"
    equal "start $*: exit code" "$wanted" $?
    equal "start $*: its last line" "$(tail -n 1 "$log" | cut -d ' ' -f 2-)" \
        "$(tail -n 1 "$work/err" | cut -d ' ' -f 2-)"
}

check
equal "defaults: exit code" 0 "$code"
matches "defaults: the memory" 'memory at most base=[0-9]+ ' "$err"
matches "defaults" 'the options and their files are good' "$err"
check --log-format=json
equal "in JSON: the last line" '"info"' "$(tail -n 1 "$work/err" | jq .level)"

echo '{"models": [{"name": "x", "op": "onnx.Revers"}]}' >"$work/models.json"
same 1 'models\[0\]: op is onnx.Revers, but it must be one of' --models "$work/models.json"
same 1 'No such file' --models "$work/none.json"
same 1 '90 % of the memory' --max-inflight-bytes=1PiB
same 1 'only --tls-cert is given' --tls-cert="$work/cert.pem"
same 1 'secret.*No such file' --http-restricted-api="metrics:x-key=@$work/none"
same 1 "names the api 'metric'" --http-restricted-api=metric:x-key=a
same 1 "the header 'x key', a name that no request can have" \
    --http-restricted-api='metrics:x key=a'
same 1 'a value that no request can have' --http-restricted-api='metrics:x-key=a '
same 1 'cors-allow-origin: http://a.example/ never matches: it has a path' \
    --cors-allow-origin='http://b.example, http://a.example/'
same 1 'origin: a.example never matches: it has no scheme' --cors-allow-origin=a.example
same 2 '--http-port and --admin-port are both 8000: 127.0.0.1:8000 leaves no 127' \
    --http-port=8000 --admin-port=8000
same 2 'both 8000: 0.0.0.0:8000 leaves no 127.0.0.1:8000' --http-address=0.0.0.0 \
    --http-port=8000 --admin-port=8000 --admin-address=localhost
same 2 '--admin-address is "nowhere"' --admin-address=nowhere
same 2 '--idle-timeout is "0"' --idle-timeout=0
same 2 '--http-address is "nowhere"' --http-address=nowhere
FLIPD_SIMD=sse2 same 1 'FLIPD_SIMD' --worker-count=1

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
    -subj /CN=localhost -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
check --tls-cert="$work/cert.pem" --tls-key="$work/key.pem"
if ! grep -q 'built without TLS' <<<"$err"; then
    equal "TLS: exit code" 0 "$code"
    matches "TLS" "TLS cert=$work/cert.pem" "$err"
    same 1 'cert.pem: no private key in PEM' --tls-cert="$work/cert.pem" \
        --tls-key="$work/cert.pem"
fi

# A running daemon is not disturbed, for no port and no socket is opened.
start "--http-address=unix:$work/socket" --admin-port=0
check "--http-address=unix:$work/socket" --admin-port=1
equal "beside a daemon: exit code" 0 "$code"
healthy "after the check"
finish
