#!/bin/bash
# From a fresh clone to an answered request: installs the packages of the build,
# builds, starts flipd, sends a request that reverses four sequences.
#
# Usage: deploy/quickstart.sh [--once] [--port N] [--help]
#   --once    stop after the answer; exits 0 only if it was right
#   --port N  instead of 8000 (or FLIPD_HTTP_PORT)
#   --help    print this, as -h does
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
once=false
port=${FLIPD_HTTP_PORT:-8000}
pid=
log=$(mktemp)

die() {
    echo "quickstart: $*" >&2
    exit 1
}

usage() { die "$1; usage: deploy/quickstart.sh [--once] [--port N] [--help]"; }

# The comment above.
help() { sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

finish() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    [ -z "$pid" ] || wait "$pid" 2>/dev/null || true
    rm -f "$log"
}
trap finish EXIT
trap 'exit 0' INT TERM

while [ $# -gt 0 ]; do
    case $1 in
    --once) once=true ;;
    --port) [ $# -gt 1 ] || usage "--port needs a number"; port=$2; shift ;;
    --port=*) port=${1#*=} ;;
    --help | -h) help; exit ;;
    *) usage "unknown option $1" ;;
    esac
    shift
done
case $port in
*[!0-9]* | '') die "the port is \"$port\", it must be a number" ;;
esac

build() {
    cd "$root"
    "$root/deploy/install-deps.sh" --quickstart
    echo "quickstart: building"
    { cmake --preset release -DTESTS=OFF &&
        cmake --build --preset release --target flipd; } >"$log" 2>&1 || {
        cat "$log" >&2
        die "the build failed"
    }
}

port_is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

start() {
    "$root/build/release/flipd" --http-port="$port" >"$log" 2>&1 &
    pid=$!
    for _ in $(seq 100); do
        curl -sf -o /dev/null "$url/v2/health/ready" && return
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    cat "$log" >&2
    die "flipd did not start on port $port"
}

readonly url=http://127.0.0.1:$port
readonly path=/v2/models/onnx.ReverseSequence/infer
readonly question='{"inputs":[
  {"name":"input","datatype":"FP32","shape":[4,4],
   "data":[0,4,8,12,1,5,9,13,2,6,10,14,3,7,11,15]},
  {"name":"sequence_lens","datatype":"INT64","shape":[4],"data":[4,3,2,1]}]}'
readonly right='"data":[3,6,9,12,2,5,8,13,1,4,10,14,0,7,11,15]'

ask() {
    local answer

    printf '\nPOST %s\n%s\n\n' "$path" "$question"
    answer=$(curl -sS --fail-with-body -d "$question" "$url$path") ||
        die "flipd refused: $answer"
    printf '%s\n\n' "$answer"
    case ${answer//[[:space:]]/} in
    *"$right"*) ;;
    *) die "that is not the answer expected: $right" ;;
    esac
}

! port_is_taken || die "port $port is taken: choose another with --port N"
build
start
ask
if ! $once; then
    echo "flipd serves on $url until Ctrl-C."
    wait "$pid"
fi
