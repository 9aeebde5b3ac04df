#!/bin/bash
# compose.yaml in a Docker Engine of the test's own, by the commands of
# deploy/README.md and deploy/balancer/README.md: updated, stopped and killed under load. A part of
# tests/deploy/run.sh.
#
# Usage: tests/deploy/balancer/engine.sh [CASE...]
#   CASE  only these: files one project
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lib/steps.sh"
. "$root/tests/deploy/lib/debian.sh"
. "$root/tests/deploy/lib/engine.sh"
. "$root/tests/deploy/lib/page.sh"
. "$here/images.sh"
engine_isolate "$@"

export PYTHONDONTWRITEBYTECODE=1
cases=("$@")
product=$root/deploy/balancer
compose=$product/compose.yaml
services= # of flipd, as a filter of `docker ps`

wanted() { [ ${#cases[@]} = 0 ] || [[ " ${cases[*]} " == *" $1 "* ]]; } # CASE

# The first commands of deploy/README.md. Grafana is left out, and the image is there.
start() {
    block 'compose.yaml up -d --wait' &&
        sed -i "s#up -d --wait\$#& flipd balancer prometheus#; /^docker build/d" "$work/block" &&
        bash -ex "$work/block"
}

# A step under load, and its figures.
loaded() { # small|all WHAT COMMAND...
    step "$2" timeout 200 python3 "$here/during.py" "$@" && grep '^seen ' "$work/step"
}

loaded_block() { # WHAT PATTERN
    block "$2" deploy/balancer/README.md && loaded all "$1" bash -ex "$work/block"
}

containers() { docker ps --filter "label=$services" --format "$1"; } # FORMAT

# Two replicas, all of IMAGE and healthy.
serves() { # IMAGE
    [ "$(containers '{{.Image}} {{.Status}}' | sed -n 's/:latest / /; s/ Up .*(healthy)$//p' |
        sort | uniq -c | xargs)" = "2 $1" ]
}

soon() { within 40 "$@"; }

# Since TIME two of them have ended, and none had to be killed, or had requests left.
ended_well() { # TIME
    docker events --since "$1" --until "$(date +%s)" --filter event=die \
        --filter "label=$services" --format '{{.Actor.Attributes.exitCode}}' | tee "$work/ended"
    [ "$(xargs <"$work/ended")" = "0 0" ]
}

# By a signal that no engine knows of: it starts another one.
kill_one() {
    kill -KILL "$(docker inspect "$(containers '{{.ID}}' | head -n 1)" --format '{{.State.Pid}}')"
    sleep 1
    soon serves "$1"
}
export -f kill_one soon serves containers within

# What Prometheus answers, a line each.
asked() { # QUERY
    docker exec "$(docker ps -q --filter 'name=prometheus')" \
        promtool query instant http://127.0.0.1:9090 "$1"
}

figure_is() { # QUERY VALUE
    asked "$1" >"$work/asked" && [ "$(awk '{ print $3 }' "$work/asked")" = "$2" ]
}

watches() {
    soon figure_is 'sum(up{job="flipd"})' 2 && soon figure_is 'sum(up{job="balancer"})' 1 &&
        soon figure_is 'count(count by (__name__) ({__name__=~"flipd:.*|job:.*"})) > bool 0' 1 ||
        { asked up && cat "$work/asked" && return 1; }
}

files() {
    docker compose -f "$compose" config -q &&
        sed "s#/etc/prometheus/rules.yaml#$root/deploy/watch/rules.yaml#" "$product/prometheus.yml" \
            >"$work/prometheus.yml" && promtool check config "$work/prometheus.yml"
}

start_project() { start && serves flipd; }

# ServerReady, whose answer is a message with `ready: true`.
answers_grpc() { # PORT
    printf '\0\0\0\0\0' | curl -sS -m 5 --http2-prior-knowledge -o "$work/answer" -D "$work/head" \
        -H 'content-type: application/grpc' -H 'te: trailers' --data-binary @- \
        "http://127.0.0.1:$1/inference.GRPCInferenceService/ServerReady"
    cat "$work/head" && od -An -tx1 "$work/answer" | grep -q '00 00 00 00 02 08 01'
}

end_project() { docker compose -f "$compose" down -v && [ -z "$(docker ps -aq)" ]; }

# The balancer runs without root's rights, as those of the registry want it to.
balancer_is_nobody() {
    local pid

    pid=$(docker inspect "$(docker ps -q --filter name=balancer-balancer)" --format '{{.State.Pid}}')
    [ "$(awk '/^Uid/ { print ($2 > 0) }' "/proc/$pid/status")" = 1 ]
}

replica_restarts() { # while the other one serves
    docker restart balancer-flipd-1 && soon serves flipd
}
# The page's commands with an image whose daemon does not start: the old ones go on.
update_fails() {
    docker create --name broken flipd:NEW &&
        docker commit --change 'ENTRYPOINT ["/missing"]' broken flipd:BROKEN && docker rm broken &&
        sed -i 's/flipd:NEW/flipd:BROKEN/' "$work/block" || return
    if bash -x "$work/block"; then
        echo "the update with an image that does not start has succeeded"
        return 1
    fi
    soon serves flipd:NEW
}
export -f replica_restarts update_fails

one_container() {
    block 'docker run -d' deploy/image/README.md && bash -ex "$work/block" &&
        block 'docker rm flipd' deploy/image/README.md && bash -ex "$work/block"
}

beside_triton() {
    block '8010:8000' && bash -ex "$work/block" && answers_grpc 8011 && docker rm -f flipd
}

of_project() {
    local began

    services=com.docker.compose.service=flipd
    step "project: the page's commands start it; it answers" start_project ||
        { docker compose -f "$compose" logs | tail -n 40; return; }
    step "project: it answers in gRPC" answers_grpc 8001
    step "project: the balancer has no rights on the host" balancer_is_nobody
    loaded all "project: a replica is restarted" bash -ec replica_restarts
    loaded small "project: a replica is killed" bash -ec "kill_one flipd"
    began=$(date +%s)
    loaded_block "project: update by the page's commands" 'scale flipd=4' &&
        step "project: all replicas are new" serves flipd:NEW
    step "project: no replica had to be killed" ended_well "$began"
    loaded all "project: an update that does not start leaves the old replicas" \
        bash -c update_fails
    step "project: Prometheus has figures of all" watches
    step "project: ends" end_project
}

[ -n "${ENGINE_ISOLATED:-}" ] || die "namespaces and an engine want root"
if ! step "flipd's image is built" flipd_tar; then
    lacks "compose.yaml in an engine" "no engine builds images here: $engine_reason"
    finish
fi
rm -rf "$CACHE/engine-pair" # what an interrupted run has left would start by itself
engine_newer "$CACHE/engine-pair" || die "$engine_reason"
engine_newer_client
export work services
! wanted files || step "Compose takes its file, promtool its own" files
step "images of HAProxy and Prometheus" images || finish
seen "$(versions)"
lacks "Grafana in the engine" "no package has it, and no registry of images is asked"
! wanted one || step "one container: the page's commands start and end it" one_container
! wanted one || step "beside Triton: the page's command starts it, with gRPC" beside_triton
! wanted project || of_project
finish
