# Sourced by the scripts of the rooms with their arguments: start and stop the
# daemon, send requests with curl, compare answers.
#
# `start` sets $url, $address (for wire.py), $grpc (the address of --grpc-port, or
# nothing) and $pid of the daemon. `ask` sets
# $status and $body; `header NAME` prints a header of the answer.
# A script ends with `finish`, whose exit code is 1 when a check failed.
#
#   CK_TIMEOUT_MULTIPLIER  stretches every time limit; 1 = a release build
set -uo pipefail

daemon=$(realpath "${1:?usage: $0 DAEMON}")
library=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
room=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$library/../../.." && pwd)
scale=${CK_TIMEOUT_MULTIPLIER:-1}
slow=${FLIPD_SLOW:-1}
work=$(mktemp -d)
log=$work/log
launcher=() # a command that starts the daemon, such as prlimit
# Seconds that a busy neighbour may add to each wait, as in wire.py.
busy=30
# A client that has no processor for a while is not given up by the daemon. The
# options of `start` come before these variables.
patience=(FLIPD_HEADER_TIMEOUT=600 FLIPD_BODY_TIMEOUT=600 FLIPD_IDLE_TIMEOUT=600
    FLIPD_MAX_QUEUE_DELAY=0)
curl_to=()  # curl's option for a unix socket
pid=
checks=0
failures=0

# The environment of the caller must not configure these daemons.
for variable in ${!FLIPD_@}; do
    unset "$variable"
done

# Stops the daemon: SIGTERM, then SIGKILL.
clean() {
    if [ -n "$pid" ] && kill -TERM "$pid" 2>/dev/null; then
        within 5 ended || kill -KILL "$pid" 2>/dev/null
    fi
    # Background jobs of the script.
    for job in $(jobs -p); do
        kill -KILL "$job" 2>/dev/null
    done
    wait
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

show_log() {
    [ ! -s "$log" ] || { echo "    the daemon's log ends:" &&
        tail -n 30 "$log" | sed 's/^/    | /'; }
}

fail() { # TEXT
    failures=$((failures + 1))
    echo "  FAILED: $*"
}

die() {
    echo "  FAILED: $*"
    show_log
    exit 1
}

finish() {
    [ -z "$pid" ] || stop
    echo "  $checks checks, $failures failed"
    [ "$failures" = 0 ]
}

# Repeats COMMAND until it succeeds; fails after SECONDS, which are those of a
# release build on an idle machine.
within() { # SECONDS COMMAND...
    local end=$((${EPOCHREALTIME/[.,]/} + (busy + $1 * scale) * 1000000))

    shift
    until "$@"; do
        [ "${EPOCHREALTIME/[.,]/}" -lt "$end" ] || return 1
        sleep 0.02
    done
}

ended() { ! kill -0 "$pid" 2>/dev/null; }

# Memory, descriptors and threads of the process are those of the daemon: it has no
# sanitizer, and no emulator, which a script starts.
is_bare() {
    [ "$(head -c 2 "$daemon" | tr -d '\0')" != '#!' ] &&
        ! grep -qE '__[at]san_init' "$daemon"
}

listens() { grep -q 'listening on ' "$log"; }

# The address that is logged: HOST:PORT or unix:PATH.
logged_address() {
    sed -nE 's/.*listening on ([^ "]+).*/\1/p' "$log" | head -n 1
}

logged_grpc() { sed -nE 's/.*gRPC port at ([^ "]+).*/\1/p' "$log" | head -n 1; }

listens_or_ended() { listens || ended; }

start() { # [OPTION...]
    : >"$log"
    env "${patience[@]}" "${launcher[@]}" "$daemon" --http-port=0 "$@" \
        2>"$log" &
    pid=$!
    within 10 listens_or_ended && listens || die "flipd $* did not start"
    address=$(logged_address)
    grpc=$(logged_grpc)
    url=http://$address
    curl_to=()
    case $address in
    unix:*) url=http://localhost curl_to=(--unix-socket "${address#unix:}") ;;
    esac
}

free_port() { python3 "$library/host.py" port; }

# $work/cert.pem and $work/key.pem, of localhost.
certificate() { python3 "$library/host.py" certificate "$work" || die "no certificate"; }

# Waits for the daemon to end; $code is its exit code.
await_end() { # SECONDS
    within "$1" ended || { fail "still runs after $1 s"; show_log; return 1; }
    wait "$pid"
    code=$?
    pid=
}

stop() {
    kill -TERM "$pid" 2>/dev/null
    await_end 10 || return
    equal "exit code after SIGTERM" 0 "$code"
    [ "$code" = 0 ] || show_log
}

equal() { # WHAT EXPECTED GOT
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1: expected <$2>, got <${3:0:600}>"
}

matches() { # WHAT REGEX GOT
    checks=$((checks + 1))
    [[ $3 =~ $2 ]] || fail "$1: expected a match of <$2>, got <${3:0:600}>"
}

at_most() { # WHAT LIMIT GOT
    checks=$((checks + 1))
    [ "$3" -le "$2" ] || fail "$1: expected at most $2, got $3"
}

succeeds() { # WHAT COMMAND...
    local what=$1

    shift
    checks=$((checks + 1))
    "$@" || fail "$what"
}

# Sends one request. curl chooses the method itself for --head.
ask() { # METHOD PATH [CURL-OPTION...]
    local path=$2 method=(-X "$1")

    case $1 in HEAD) method=(--head) ;; esac
    shift 2
    asked="${method[*]} $path"
    : >"$work/body"
    : >"$work/head"
    status=$(curl -sS --max-time $((5 * busy + 10 * scale)) "${method[@]}" --path-as-is \
        -D "$work/head" -o "$work/body" -w '%{http_code}' "$@" \
        "${curl_to[@]}" "$url$path" 2>"$work/curl") || status="$status $(cat "$work/curl")"
    # A shell variable holds no NULs: $work/body has the whole body.
    body=$(head -c 65536 "$work/body" | tr -d '\0')
}

infer() { # MODEL BODY [CURL-OPTION...]
    local model=$1 document=$2

    shift 2
    ask POST "/v2/models/$model/infer" --data-binary "$document" "$@"
}

# Prints a header of the last answer; the file may begin with a 100 answer.
header() { # NAME
    local line value=

    while IFS= read -r line; do
        line=${line%$'\r'}
        case ${line,,} in "${1,,}: "*) value=${line#*: } ;; esac
    done <"$work/head"
    echo "$value"
}

# Checks the last answer's status and that it is JSON.
answered() { # WHAT STATUS
    equal "$1: status of $asked ($body)" "$2" "$status"
    equal "$1: content type" application/json "$(header Content-Type)"
}

# Checks that the last answer is an error whose text matches REGEX.
refused() { # WHAT STATUS REGEX
    answered "$1" "$2"
    matches "$1: form" '^\{"error":"([^"\]|\\.)+"\}$' "$body"
    matches "$1: text" "$3" "$body"
}

# Compares a value of the last answer, by a jq filter.
json() { # WHAT FILTER EXPECTED
    checks=$((checks + 1))
    jq -e --argjson want "$3" "($2) == \$want" <<<"$body" >"$work/jq" 2>&1 ||
        fail "$1: $2: expected <$3>, got <$(jq -c "$2" <<<"$body" 2>&1)>"
}

metric() { # SERIES, as in /metrics
    curl -sS --max-time $((5 * busy + 10 * scale)) "${curl_to[@]}" "$url/metrics" |
        awk -v series="$1" 'index($0, series " ") == 1 { print $NF }'
}

metric_is() { [ "$(metric "$1")" = "$2" ]; }

# Counters change after an answer is sent, so the check waits for them.
counts() { # SERIES EXPECTED
    checks=$((checks + 1))
    within 3 metric_is "$1" "$2" ||
        fail "$1: expected $2, got <$(metric "$1")>"
}

# Opens {hung}: a request whose body stops halfway. What is within a connection's
# allowance of 64 KiB is not counted in flight, so its half is larger.
hang() {
    checks=$((checks + 1))
    exec {hung}<>"/dev/tcp/${address/:/\/}"
    printf 'POST /v2/models/openvino.Reverse/infer HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n%*s' \
        'Content-Length: 200000' 100000 '' >&"$hung"
    within 5 holds_body || fail "hang: the daemon holds no part of the body"
}

holds_body() { ! metric_is flipd_inflight_bytes 0; }

memory_kib() { # VmRSS or VmHWM
    awk -v field="$1:" '$1 == field { print $2 }' "/proc/$pid/status"
}

# After an attack: the same process still serves, and has released all memory.
healthy() { # WHAT
    succeeds "$1: flipd has died" kill -0 "$pid"
    ask GET /v2/health/live
    equal "$1: live" 200 "$status"
    infer onnx.ReverseSequence "$example"
    json "$1: an inference" .outputs[0].data "$example_answer"
    counts flipd_inflight_bytes 0
    counts flipd_queue_depth 0
}

# The first example in the ONNX operator's document.
example='{"inputs":[
  {"name":"input","datatype":"FP32","shape":[4,4],
   "data":[0,4,8,12,1,5,9,13,2,6,10,14,3,7,11,15]},
  {"name":"sequence_lens","datatype":"INT64","shape":[4],"data":[4,3,2,1]}]}'
example_answer='[3,6,9,12,2,5,8,13,1,4,10,14,0,7,11,15]'

# Runs NAME.py of the script's own room, or ROOM/NAME.py of another, against the
# daemon; it prints the checks that failed.
python() { # SCRIPT [ARGUMENT...]
    local script=$1 path=$room/$1

    case $script in */*) path=$library/../$script ;; esac
    shift
    checks=$((checks + 1))
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$library \
        timeout --foreground -k 5 $((1080 + 120 * scale)) \
        python3 "$path" "$address" "$pid" "$@" ||
        { fail "$script $*"; show_log; }
}
