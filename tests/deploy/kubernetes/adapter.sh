# Sourced by test.sh: the autoscaler's metric from two replicas to the number that the
# autoscaler compares. Prometheus scrapes them with the labels that a ServiceMonitor gives,
# and is asked what prometheus-adapter would ask, by the adapter's own code.
adapter_prometheus() {
    cat >"$work/prometheus.yml" <<'YML'
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: flipd
    static_configs:
      - {targets: ["127.0.0.1:9011"], labels: {namespace: space, pod: flipd-a}}
      - {targets: ["127.0.0.1:9012"], labels: {namespace: space, pod: flipd-b}}
      - {targets: ["127.0.0.1:9011"], labels: {namespace: other, pod: flipd-c}}
YML
    prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
        --web.listen-address=127.0.0.1:9090 --log.level=warn &
    at_end kill $!
}

adapter_replica() { # NUMBER
    "$DAEMON" --http-port=801$1 --admin-port=901$1 --max-inflight-bytes=16MiB \
        --max-queue-delay=0 &
    at_end kill $!
}

# The answers to QUERY, "POD VALUE" a line.
adapter_ask() {
    curl -sSf http://127.0.0.1:9090/api/v1/query --data-urlencode "query=$1" |
        jq -r '.data.result[] | "\(.metric.pod) \(.value[1])"' | sort
}

adapter_values() { [ "$(adapter_ask "$1" | wc -l)" = 2 ]; }

# A request of 12 MB of which one byte is missing: its replica holds what has come.
adapter_hold() {
    python "$here/request.py" 3000 10 100 | head -c -1 >"$work/held" || return
    exec 5<>/dev/tcp/127.0.0.1/8011
    cat "$work/held" >&5
}

adapter_not_held() { # QUERY
    echo "not held:"
    adapter_ask "$1"
    echo "and the replica says:"
    timeout 1 head -c 600 <&5
}

adapter_is_held() {
    adapter_ask "$1" | awk '$1 == "flipd-a" { a = $2 } $1 == "flipd-b" { b = $2 }
        END { exit !(a > 0.6 && a <= 1 && b < 0.1) }'
}

adapter() {
    local query

    ip link set lo up
    query=$("$tools/adapter" "$product/prometheus-adapter.yaml" flipd_inflight_ratio space \
        flipd-a flipd-b) || return
    echo "$query"
    adapter_replica 1
    adapter_replica 2
    adapter_prometheus
    within 30 adapter_values "$query" || { echo "not two values:" && adapter_ask "$query"; return 1; }
    adapter_hold
    within 9 adapter_is_held "$query" || { adapter_not_held "$query"; return 1; }
    adapter_ask "$query" | sed 's/^/seen    flipd_inflight_ratio of /'
    exec 5>&-
}
