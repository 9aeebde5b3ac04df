#!/bin/bash
# From a fresh clone to an answered request: installs the packages of the build,
# builds, starts flipd, sends a request that reverses four sequences.
#
# Usage: deploy/quickstart.sh [--once] [--port N] [--help]
#   --once    stop after the answer; exits 0 only if it was right
#   --port N  instead of 8000 (or FLIPD_HTTP_PORT); 0 is any that is free
#   --help    print this, as -h does
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/deploy/lib/progress.sh"
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
# Before the build: what is wrong with a port would show after it.
check_port() {
    local first

    case $port in
    *[!0-9]* | '' | ??????*) port_is_wrong "it must be a number from 0 to 65535" ;;
    esac
    port=$((10#$port))
    [ "$port" -le 65535 ] || port_is_wrong "it must be a number from 0 to 65535"
    [ "$port" != 0 ] || return 0
    first=$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start 2>/dev/null || echo 0)
    [ "$(id -u)" = 0 ] || [ "$port" -ge "$first" ] ||
        port_is_wrong "only root may listen below $first"
    ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null ||
        port_is_wrong "that is taken: choose another with --port N"
}

port_is_wrong() { die "the port is \"$port\", but $1"; }

build() {
    cd "$root"
    "$root/deploy/install-deps.sh" --quickstart
    cmake --preset release -DTESTS=OFF >"$log" 2>&1 || {
        cat "$log" >&2
        die "failed: cmake --preset release"
    }
    build_aloud "quickstart: building flipd in build/release/" "$log" \
        cmake --build --preset release --target flipd
}

# The address of the main port, of the daemon's log.
address() { sed -n 's/.* listening on .* url=//p' "$log"; }

start() {
    "$root/build/release/flipd" --http-port="$port" >"$log" 2>&1 &
    pid=$!
    for _ in $(seq 300); do
        url=$(address)
        [ -z "$url" ] || ! curl -sf -o /dev/null "$url/v2/health/ready" || return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    cat "$log" >&2
    die "flipd did not start on port $port"
}

readonly path=/v2/models/onnx.ReverseSequence/infer
readonly question='{"inputs":[
  {"name":"input","datatype":"FP32","shape":[4,4],
   "data":[0,4,8,12,1,5,9,13,2,6,10,14,3,7,11,15]},
  {"name":"sequence_lens","datatype":"INT64","shape":[4],"data":[4,3,2,1]}]}'
readonly right='"data":[3,6,9,12,2,5,8,13,1,4,10,14,0,7,11,15]'

ask() {
    local answer

    printf '\nPOST %s\n%s\n\n' "$url$path" "$question"
    answer=$(curl -sS --fail-with-body -d "$question" "$url$path") ||
        die "flipd refused: $answer"
    printf '%s\n\n' "$answer"
    case ${answer//[[:space:]]/} in
    *"$right"*) ;;
    *) die "that is not the answer expected: $right" ;;
    esac
}

check_port
build
start
ask
if ! $once; then
    echo "flipd serves on $url until Ctrl-C."
    wait "$pid"
fi
