#!/bin/bash
# Tests deploy/balancer/haproxy.cfg as it stands, in front of replicas on
# hosts of their own (network namespaces), under load. A part of tests/deploy/run.sh;
# engine.sh beside this has compose.yaml in an engine.
#
# Usage: tests/deploy/balancer/test.sh [CASE...]
#   CASE  only these: grpc update restart kill cut shed breaks none starved
#         statistics (check.py)
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lib/steps.sh"
. "$root/tests/deploy/lib/debian.sh"
. "$root/tests/deploy/lib/engine.sh"
. "$root/tests/deploy/lib/python.sh"
. "$root/tests/deploy/lib/hosts.sh"
engine_isolate "$@"

readonly GRPCIO_VERSION=1.85.1
export work NAMES=$work/names DAEMON PYTHONDONTWRITEBYTECODE=1
cases=("$@")

# The hosts one, two and three, beside this one, which has the balancer and the clients.
hosts() {
    hosts_bridge && host one 11 && host two 12 && host three 13 || return
    echo "nameserver 127.0.0.1" >"$work/resolv.conf"
    mount --bind "$work/resolv.conf" "$(realpath /etc/resolv.conf)" || return
    : >"$NAMES"
    python3 "$here/names.py" "$NAMES" &
    at_end kill $!
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

case_of() { # CASE WHAT
    wanted "$1" || return 0
    step "$2" timeout 150 python3 "$here/check.py" "$1"
    sed -n '/^seen /p' "$work/step"
}

[ -n "${ENGINE_ISOLATED:-}" ] || die "namespaces and an engine want root"
step "grpcio $GRPCIO_VERSION is installed" grpc_client
step "three hosts on a bridge, and their names" hosts || finish
case_of restart "two replicas restart under load, nothing is lost"
case_of update "a rolling update, new ones first, loses nothing"
case_of kill "a killed replica's requests are repeated"
case_of cut "a host that is cut off and comes back loses nothing"
case_of shed "a 503 is not repeated, and takes no replica out"
case_of breaks "broken connections are repeated elsewhere"
case_of none "without a replica the answer is 503 at once"
case_of starved "replicas on a machine that is too busy stay in use"
case_of statistics "figures for Prometheus"
grpc_case restart "two replicas restart under load, nothing is lost"
grpc_case kill "a killed replica's calls are repeated"
grpc_case stream "a stream passes as it comes"
grpc_case none "without a replica a call is UNAVAILABLE at once"
grpc_case move "connections move to a new replica within their age"
finish
