#!/bin/bash
# Runs published clients, from PyPI and Debian, against a daemon that this
# script starts, some over TLS too. Each prints the number of its checks; the
# exit code is 1 when one failed or, without --allow-missing, could not be
# installed.
#
# Usage: tests/clients/run.sh [--allow-missing] [--examples N] [--route REGEX]
#                             [DAEMON [NAME...]]
#   --allow-missing  a client that cannot be installed is no failure
#   --examples N     requests of schemathesis for each route; default 100
#   --route REGEX    the routes that schemathesis tries; default all
#   DAEMON           default build/release/flipd
#   NAME             only these: triton, triton_aio, kserve, requests, aiohttp,
#                    fetch, onnx_nodes, perf_analyzer, docs (the snippets of the
#                    pages, also those of NumPy and tritonclient), schemathesis
#
# Everything is installed into build/clients/, which can be deleted. Not part of
# tests/run.sh: the first run downloads some 300 MB from PyPI.
set -uo pipefail

clients=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$clients/../.." && pwd)
env=$root/build/clients
perf=$env/perf_analyzer
allow_missing=
examples=100
route=.
failed=()
missing=()

while [ $# -gt 0 ]; do
    case $1 in
    --allow-missing) allow_missing=1 ;;
    --examples) examples=${2:?--examples wants a number} && shift ;;
    --route) route=${2:?--route wants a regular expression} && shift ;;
    -*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) break ;;
    esac
    shift
done
program=${1:-$root/build/release/flipd}
only=" ${*:2} "

. "$root/tests/integration/lib/daemon.sh" "$program"

# Shows the output of an installer only when it fails.
quietly() {
    "$@" >"$work/install" 2>&1 || { tail -n 15 "$work/install"; return 1; }
}

pip() {
    quietly nice "$env/bin/python" -m pip install --progress-bar off \
        --disable-pip-version-check "$@"
}

packages() { # NAME...: installs them at their pinned versions
    pip --constraint "$clients/requirements.txt" numpy "$@"
}

install_perf_analyzer() {
    packages || return
    [ -x "$perf/bin/perf_analyzer" ] || pip --no-deps --target "$perf" \
        --requirement "$clients/perf_analyzer.txt" || return
    quietly "$perf/bin/perf_analyzer" --version
}

install_node() { quietly node --version; }

# Runs the script NAME of this folder when INSTALL has succeeded.
client() { # NAME INSTALL SCRIPT [ARGUMENT...]
    local name=$1 install=$2 script=$3 with=("$env/bin/python" -W ignore)

    shift 3
    [[ $only = "  " || $only = *" $name "* ]] || return 0
    echo "$name"
    case $script in *.mjs) with=(node) ;; *.sh) with=(bash) ;; esac
    if ! $install; then # a command and its words; none contains a blank
        echo "  COULD NOT BE INSTALLED"
        missing+=("$name")
    elif ! timeout --foreground -k 5 $((1800 + examples * 6)) \
        "${with[@]}" "$clients/$script" "$@"; then
        failed+=("$name")
        show_log
    fi
}

quietly "$root/deploy/install-deps.sh" --clients ||
    echo "Debian packages are missing"
[ -x "$env/bin/python" ] || quietly python3 -m venv "$env"
export LD_LIBRARY_PATH=$perf/nvidia/cuda_runtime/lib
start --models "$clients/models.json" --allow-client-shm --allow-log-changes

triton="packages tritonclient[http] ml_dtypes"
client triton "$triton" triton.py http "$address"
client triton_aio "$triton" triton.py aio "$address"
client kserve "packages kserve" kserve_sdk.py "$address"
client requests "packages requests" plain_requests.py "$address"
client aiohttp "packages aiohttp" plain_aiohttp.py "$address"
client fetch install_node fetch.mjs "$address"
client onnx_nodes "packages onnx" onnx_nodes.py "$address" "$work"
client perf_analyzer install_perf_analyzer perf_analyzer.py \
    "$perf/bin/perf_analyzer" "$address" "$work"
PATH=$env/bin:$PATH client docs "$triton" ../docs/run.sh "$program"
client schemathesis "packages schemathesis" fuzz_contract.sh \
    "$env/bin/schemathesis" "$address" "$work" "$examples" "$route"

healthy "after all of them"
stop

# Once more over TLS.
quietly openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
    -days 2 -keyout "$work/key.pem" -out "$work/cert.pem" || die "no openssl"
start --models "$clients/models.json" --allow-client-shm --allow-log-changes \
    --tls-cert "$work/cert.pem" --tls-key "$work/key.pem"
client triton "$triton" triton.py http "$address" "$work/cert.pem"
client triton_aio "$triton" triton.py aio "$address" "$work/cert.pem"
client requests "packages requests" plain_requests.py "$address" \
    "$work/cert.pem"
NODE_EXTRA_CA_CERTS=$work/cert.pem client fetch install_node fetch.mjs \
    "$address" https
url=https://$address
curl_to=(--cacert "$work/cert.pem")
healthy "after them over TLS"
[ ${#missing[@]} = 0 ] || echo "NOT INSTALLED: ${missing[*]}"
[ ${#failed[@]} = 0 ] || echo "FAILED: ${failed[*]}"
finish && [ ${#failed[@]} = 0 ] &&
    { [ ${#missing[@]} = 0 ] || [ -n "$allow_missing" ]; }
