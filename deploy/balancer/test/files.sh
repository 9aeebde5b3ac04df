# Sourced by test.sh: the compose files and what they name, as a client reads them.

stack_config() {
    docker stack config -c "$compose" >"$work/stack.yaml" &&
        docker stack config -c "$compose" -c "$here/envoy.compose.yaml" >"$work/envoy-stack.yaml" &&
        grep -q 'endpoint_mode: dnsrr' "$work/stack.yaml" && ! grep -q 'mode: ingress' "$work/stack.yaml" &&
        grep -q 'image: envoyproxy/envoy' "$work/envoy-stack.yaml" &&
        # What a stack would not take: published ports of the swarm, and what is killed
        # before its own end.
        grep -q 'stop_grace_period: 40s' "$work/stack.yaml"
}

# The files that the stack's configs name are there, and Prometheus takes its own.
configs() {
    local file

    sed -n 's/^ *file: *//p' "$work/stack.yaml" "$work/envoy-stack.yaml" | sort -u >"$work/configs"
    [ "$(wc -l <"$work/configs")" -ge 6 ] || return
    while read -r file; do
        [ -s "$file" ] || { echo "$file is not there"; return 1; }
    done <"$work/configs"
    sed "s#/etc/prometheus/rules.yaml#$root/deploy/watch/rules.yaml#" "$here/prometheus.yml" \
        >"$work/prometheus.yml" && promtool check config "$work/prometheus.yml"
}

step "docker stack config takes compose.yaml, also with Envoy" stack_config &&
    step "the files that it names are there; promtool takes prometheus.yml" configs
lacks "compose.yaml in an engine, as a project and as a stack" \
    "the images of HAProxy, Prometheus and Grafana come from a registry, and none are made here; a rolling update is the case update"
