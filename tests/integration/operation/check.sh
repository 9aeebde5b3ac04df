#!/bin/bash
# flipd --check: what a start would refuse is refused in the same words, and
# nothing is started.
. "$(dirname "$0")/../lib/daemon.sh"

check() { # [ARGUMENT...]: $code and $err
    timeout --foreground $((60 + 10 * scale)) "${launcher[@]}" "$daemon" --check "$@" >"$work/out" 2>"$work/err"
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
    timeout --foreground $((60 + 10 * scale)) "${launcher[@]}" "$daemon" --http-port=0 "$@" 2>"$log"
    equal "start $*: exit code" "$wanted" $?
    equal "start $*: its last line" "$(tail -n 1 "$log" | cut -d ' ' -f 2-)" \
        "$(tail -n 1 "$work/err" | cut -d ' ' -f 2-)"
}

check
equal "defaults: exit code" 0 "$code"
matches "defaults: the memory" "memory at most$(printf ' %s=[0-9]+' base connections \
    per_connection waiting inflight json total limit)" "$err"
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
same 1 'origin: a.example never matches: it has no scheme' --cors-allow-origin=a.example
same 2 '--http-port and --admin-port are both 8000: 127.0.0.1:8000 leaves no 127' \
    --http-port=8000 --admin-port=8000
same 2 '--idle-timeout is "0"' --idle-timeout=0

certificate
check --tls-cert="$work/cert.pem" --tls-key="$work/key.pem"
equal "TLS: exit code" 0 "$code"
matches "TLS" "TLS cert=$work/cert.pem" "$err"
{ printf '\xEF\xBB\xBF' && sed 's/$/\r/' "$work/cert.pem"; } >"$work/crlf.pem"
cat "$work/crlf.pem" "$work/crlf.pem" >"$work/two.pem"
check --tls-cert="$work/crlf.pem" --tls-key="$work/key.pem" \
    --tls-client-ca="$work/two.pem"
equal "PEM with CRLF and a byte order mark" 0 "$code"

# Few descriptors: the text says how many are needed, and so many suffice.
needed() { # OPTION...
    launcher=(prlimit --nofile=16)
    same 1 'limit of open files \(ulimit -n\) is 16, but [0-9]+ are needed' "$@"
    needed=$(sed -nE 's/.*is 16, but ([0-9]+) are needed.*/\1/p' "$work/err")
    launcher=(prlimit "--nofile=$((needed - 1))")
    same 1 "limit of open files .* is $((needed - 1)), but $needed are needed" "$@"
    # The shell that starts it in an emulator has some of its own.
    launcher=(prlimit "--nofile=16:$needed")
    check "$@"
    equal "--check $*, $needed files: exit code" 0 "$code"
    matches "--check $*, $needed files" \
        "bounds the connections: raise it open_files=$needed max_connections=1" "$err"
    start "$@"
    succeeds "$*, $needed files: the log has another line" \
        diff <(grep -o 'the limit of open files.*' "$work/err") \
        <(grep -o 'the limit of open files.*' "$log")
    healthy "$*, $needed files"
    metric process_open_fds >"$work/open"
    at_most "$*, $needed files: open" "$needed" "$(<"$work/open")"
    stop
    launcher=()
}
needed
needed --http-thread-count=1 --worker-count=1
needed --http-thread-count=3 --grpc-port=0 --max-connections=4000
needed --http-thread-count=2 --admin-port="$(free_port)"
needed --http-thread-count=2 --grpc-port=0 --admin-port="$(free_port)"
launcher=(prlimit --nofile=32)
same 1 'limit of open files \(ulimit -n\) is 32, but [0-9]+ are needed'
# The loader of the libraries needs a descriptor beside those that are inherited.
for files in 9 12; do
    launcher=(prlimit --nofile=$files)
    ! is_bare ||
        same 1 "limit of open files \(ulimit -n\) is $files, but [0-9]+ are needed"
done

# Few threads. The limit does not hold for root.
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid=65534 --clear-groups)
cp "$daemon" "$work/flipd"
chmod 755 "$work" "$work/flipd"
own=$daemon
daemon=$work/flipd
launcher=("${as[@]}" prlimit --nproc=9)
same 1 'limit of threads \(ulimit -u, pids.max\) is 9, but 12 are needed: 4 loops' \
    --http-thread-count=4 --worker-count=3
daemon=$own

# Little memory of its own: a start that fails says why. No sanitizer and no emulator
# starts then.
if is_bare; then
    launcher=(prlimit --stack=8388608 --as=20000000)
    same 1 '20000000 bytes of memory are too few' --http-thread-count=4
    for bytes in 30000000 50000000 70000000 100000000; do
        launcher=(prlimit --stack=8388608 --as=$bytes)
        timeout --foreground $((10 * scale)) "${launcher[@]}" "$daemon" \
            --http-port=0 --http-thread-count=8 2>"$log"
        equal "$bytes bytes: exit code" 1 $?
        matches "$bytes bytes" \
            "cannot start reason=.*($bytes bytes of (memory|addresses)|no memory)" \
            "$(tail -n 1 "$log")"
    done
fi
launcher=()

# A running daemon is not disturbed, for no port and no socket is opened.
start "--http-address=unix:$work/socket" --admin-port=0
check "--http-address=unix:$work/socket" --admin-port=1
equal "beside a daemon: exit code" 0 "$code"
healthy "after the check"
finish
