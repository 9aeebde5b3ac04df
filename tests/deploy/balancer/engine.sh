#!/bin/bash
# compose.yaml in a Docker Engine of the test's own, by the commands of deploy/README.md:
# as a Compose project, with HAProxy and with Envoy, and as a stack in a swarm of one
# node; updated, stopped and killed under load. A part of tests/deploy/run.sh.
#
# Usage: tests/deploy/balancer/engine.sh [CASE...]
#   CASE  only these: files one project envoy stack
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lib/steps.sh"
. "$root/tests/deploy/lib/debian.sh"
. "$root/tests/deploy/lib/engine.sh"
. "$root/tests/deploy/lib/python.sh"
. "$root/tests/deploy/lib/page.sh"
. "$here/images.sh"
engine_isolate "$@"

export PYTHONDONTWRITEBYTECODE=1
cases=("$@")
product=$root/deploy/balancer
compose=$product/compose.yaml
services= # of flipd, as a filter of `docker ps`

wanted() { [ ${#cases[@]} = 0 ] || [[ " ${cases[*]} " == *" $1 "* ]]; } # CASE

# A block of the runbook. Grafana is left out, and this machine's only address is its own.
runbook() { # PATTERN
    block "$1" && sed -i -E "s#up -d --wait\$#& flipd balancer prometheus#
        s#(stack deploy .*) flipd\$#\1 -c $work/without.yaml flipd#
        s#swarm init\$#& --advertise-addr 127.0.0.1#" "$work/block"
}

# A step under load, and its figures.
loaded() { # small|all WHAT COMMAND...
    step "$2" timeout 200 python3 "$here/during.py" "$@" && grep '^seen ' "$work/step"
}

loaded_block() { # WHAT PATTERN
    runbook "$2" && loaded all "$1" bash -ex "$work/block"
}

containers() { docker ps --filter "label=$services" --format "$1"; } # FORMAT

# Two replicas, all of IMAGE and healthy.
serves() { # IMAGE
    [ "$(containers '{{.Image}} {{.Status}}' | sed -n 's/:latest / /; s/ Up .*(healthy)$//p' |
        sort | uniq -c | xargs)" = "2 $1" ]
}

soon() { within 40 "$@"; }

# None of them had to be killed, or ended while it had requests.
ended_well() {
    docker ps -a --filter "label=$services" --filter status=exited \
        --format '{{.Names}} {{.Status}}' | tee "$work/ended"
    grep -q 'Exited (0)' "$work/ended" && ! grep -v 'Exited (0)' "$work/ended"
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
    docker compose -f "$compose" config -q && docker stack config -c "$compose" >"$work/stack.yaml" &&
        docker stack config -c "$compose" -c "$product/envoy.compose.yaml" >"$work/envoy-stack.yaml" &&
        grep -q 'endpoint_mode: dnsrr' "$work/stack.yaml" && ! grep -q 'mode: ingress' "$work/stack.yaml" &&
        grep -q 'image: envoyproxy/envoy' "$work/envoy-stack.yaml" &&
        sed "s#/etc/prometheus/rules.yaml#$root/deploy/watch/rules.yaml#" "$product/prometheus.yml" \
            >"$work/prometheus.yml" && promtool check config "$work/prometheus.yml"
}

answers() { curl -sS -m 2 --fail-with-body http://127.0.0.1:8000/v2/health/ready; }

# As the runbook does.
start_project() { # [OPTION of docker compose...]
    runbook 'compose.yaml up -d --wait' && sed -i "s#up -d#$* &#" "$work/block" &&
        bash -ex "$work/block" && serves flipd
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
export -f replica_restarts

one_container() {
    block 'docker run -d' && bash -ex "$work/block" && block 'docker rm flipd' && bash -ex "$work/block"
}

of_project() { # BALANCER [OPTION of docker compose...]
    services=com.docker.compose.service=flipd
    step "project, $1: the runbook's commands start it; it answers" start_project "${@:2}" ||
        { docker compose -f "$compose" logs | tail -n 40; return; }
    step "project, $1: the balancer has no rights on the host" balancer_is_nobody
    loaded all "project, $1: a replica is restarted" bash -ec replica_restarts
    loaded small "project, $1: a replica is killed" bash -ec "kill_one flipd"
    loaded_block "project, $1: update by the runbook's commands" 'scale flipd=4' &&
        step "project, $1: all replicas are new" serves flipd:NEW
    step "project, $1: Prometheus has figures of all" watches
    step "project, $1: ends" end_project
}

start_stack() {
    echo 'services: {grafana: {deploy: {replicas: 0}}}' >"$work/without.yaml"
    runbook 'swarm init' && bash -ex "$work/block" && soon serves flipd && soon answers
}

nothing_runs() { [ -z "$(docker ps -q)" ]; }

end_stack() {
    docker stack rm flipd && within 60 nothing_runs && docker swarm leave --force
}

# Ends with an error before it serves; what runs stays.
update_fails() {
    docker service update -q --args=--no-such-option flipd_flipd
    docker service inspect flipd_flipd --format '{{.UpdateStatus.State}}' | tee "$work/state"
    grep -q rollback_completed "$work/state"
}
export -f update_fails

of_stack() {
    services=com.docker.swarm.service.name=flipd_flipd
    step "stack: the runbook's commands start it in a swarm of one node" start_stack ||
        { docker stack ps --no-trunc flipd; tail -n 20 "$work/engine/log"; return; }
    loaded_block "stack: a rolling update" 'service update' &&
        step "stack: all replicas are new" serves flipd:NEW
    loaded_block "stack: the way back" 'service rollback'
    step "stack: no replica had to be killed" ended_well
    loaded all "stack: an update that cannot start is taken back" bash -ec update_fails
    loaded small "stack: a replica is killed" bash -ec "kill_one flipd"
    step "stack: Prometheus has figures of all" watches
    step "stack: ends" end_stack
    [ -e /proc/net/ip_vs ] || lacks "the swarm's own balancing (virtual addresses, ingress)" \
        "this kernel has no IP_VS; compose.yaml uses neither"
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
! wanted files || step "Compose and Swarm take the files, promtool its own" files
step "images of HAProxy, Prometheus and Envoy" images || finish
seen "$(versions)"
lacks "Grafana in the engine" "no package has it, and no registry of images is asked"
! wanted one || step "one container: the runbook's commands start and end it" one_container
! wanted project || of_project HAProxy
! wanted envoy || of_project Envoy -f "$product/envoy.compose.yaml"
! wanted stack || of_stack
finish
