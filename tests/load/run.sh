#!/bin/bash
# Loads a flipd with wrk: JSON and binary requests, small and large. Fails when
# a single answer is not 2xx or a socket breaks.
#
# Usage: tests/load/run.sh DAEMON|http://HOST:PORT
#   LOAD_SECONDS      for each of the four forms, default 5
#   LOAD_CONNECTIONS  default 16
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:?usage: tests/load/run.sh DAEMON|URL}
pid=
log=$(mktemp)

finish() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    [ -z "$pid" ] || wait "$pid" 2>/dev/null || true
    rm -f "$log"
}
trap finish EXIT

free_port() {
    python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start() { # DAEMON
    local port

    port=$(free_port)
    url=http://127.0.0.1:$port
    "$1" --http-port="$port" >"$log" 2>&1 &
    pid=$!
    for _ in $(seq 100); do
        curl -sf -o /dev/null "$url/v2/health/ready" && return
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    cat "$log" >&2
    echo "load: $1 did not start" >&2
    exit 1
}

case $target in
http://*) url=$target ;;
*) start "$target" ;;
esac

rc=0
for form in 'json 256' 'binary 4096' 'json 1048576' 'binary 1048576'; do
    printf '%-15s ' "$form"
    # shellcheck disable=SC2086 # two arguments
    wrk --threads 1 --connections "${LOAD_CONNECTIONS:-16}" --timeout 10s \
        --duration "${LOAD_SECONDS:-5}s" --script "$here/infer.lua" "$url" \
        -- $form >"$log.wrk" 2>&1 || rc=1
    grep -E '^[0-9]+ requests|FAILED' "$log.wrk" || { cat "$log.wrk"; rc=1; }
    rm -f "$log.wrk"
done
exit $rc
