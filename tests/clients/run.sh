#!/bin/bash
# Runs published clients, from PyPI, Debian, npm, crates.io, Go and Maven Central,
# against a daemon that this script starts, some over TLS too, and clients that
# it generates from the daemon's contract. Each has a line that says what it
# showed; the last one is "N passed, N failed, N skipped". The exit code is 1
# when one failed or, without --allow-missing, could not be installed.
#
# Usage: tests/clients/run.sh [--allow-missing] [--examples N] [--route REGEX]
#                             [--contract FILE] [DAEMON [NAME...]]
#   --allow-missing  a client that cannot be installed is no failure
#   --examples N     requests of schemathesis for each route; default 100
#   --route REGEX    the routes that schemathesis tries; default all
#   --contract FILE  generate clients from this, not from the daemon's own
#   DAEMON           default build/release/flipd
#   NAME             only these, of list.sh
#
# Everything is installed into build/clients/, which can be deleted. Not part of
# tests/run.sh: the first run downloads about 1 GB.
set -uo pipefail

clients=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$clients/../.." && pwd)
env=$root/build/clients
perf=$env/perf_analyzer
programs=$env/go/bin
protos=$root/api/grpc/proto
allow_missing=
examples=100
route=.
contract=
tls=
passed=0
failed=()
missing=()

usage() {
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
    --allow-missing) allow_missing=1 ;;
    --examples) examples=${2:?--examples wants a number} && shift ;;
    --route) route=${2:?--route wants a regular expression} && shift ;;
    --contract) contract=$(realpath "${2:?--contract wants a file}") && shift ;;
    -*) usage ;;
    *) break ;;
    esac
    shift
done
program=${1:-$root/build/release/flipd}
only=" ${*:2} "

. "$root/tests/integration/lib/daemon.sh" "$program"
patience=() # clients meet the defaults
. "$clients/install.sh"

# Runs COMMAND when INSTALL, a command and its words, has succeeded. The last
# line of its output says how many checks it made.
client() { # NAME SHOWS INSTALL COMMAND...
    local name=$1$tls shows=$2 install=$3 checked

    shift 3
    [[ $only = "  " || $only = *" ${name%% *} "* ]] || return 0
    if ! $install; then
        echo "skipped $name: could not be installed: $(tail -n 1 "$work/install")"
        missing+=("$name")
    elif timeout --foreground -k 5 $((1800 + examples * 6)) "$@" >"$work/out" 2>&1; then
        checked=$(grep -oE '[0-9]+ (checks|generated)' "$work/out" | tail -n 1)
        echo "passed  $name: ${checked:+$checked, }$shows"
        passed=$((passed + 1))
    else
        echo "FAILED  $name: $shows"
        tail -n 60 "$work/out"
        show_log
        failed+=("$name")
    fi
}

python_client() { # NAME SHOWS INSTALL SCRIPT [ARGUMENT...]
    client "$1" "$2" "$3" "$env/python/bin/python" -W ignore "$clients/$4" "${@:5}"
}

# A client that is generated from the contract, or the contract's linter.
generated() { # NAME SHOWS INSTALL
    client "$1" "$2" "$3" bash "$clients/generated.sh" "$1" "$work/contract.yaml" \
        "$address" "$work/generated" "$env"
}

daemon_is_sound() { # WHAT: counts as a client of its own
    local before=$failures

    healthy "$1"
    stop
    if [ "$failures" = "$before" ]; then
        echo "passed  $1: the daemon answers, holds nothing and ends with 0"
        passed=$((passed + 1))
    else
        failed+=("$1")
    fi
}

quietly "$root/deploy/install-deps.sh" --clients ||
    echo "Debian packages are missing: $(tail -n 1 "$work/install")"
export LD_LIBRARY_PATH=$perf/nvidia/cuda_runtime/lib PYTHONDONTWRITEBYTECODE=1
export GOCACHE=$env/go/build
start --grpc-port=0 --models "$clients/models.json" --allow-client-shm --allow-log-changes
if [ -n "$contract" ]; then
    cp "$contract" "$work/contract.yaml"
else
    curl -sS -o "$work/contract.yaml" "$url/openapi.yaml"
fi

. "$clients/list.sh"
daemon_is_sound "after all of them"

# Once more over TLS.
certificate
start --grpc-port=0 --models "$clients/models.json" --allow-client-shm --allow-log-changes \
    --tls-cert "$work/cert.pem" --tls-key "$work/key.pem"
tls=" over TLS"
. "$clients/list_tls.sh"
url=https://$address
curl_to=(--cacert "$work/cert.pem")
daemon_is_sound "after them over TLS"

[ ${#failed[@]} = 0 ] || echo "FAILED: ${failed[*]}"
echo "$passed passed, ${#failed[@]} failed, ${#missing[@]} skipped"
[ ${#failed[@]} = 0 ] && { [ ${#missing[@]} = 0 ] || [ -n "$allow_missing" ]; }
