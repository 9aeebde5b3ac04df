#!/bin/bash
# What watches flipd: the rules by promtool, the dashboard by its schema, and both by
# a real Prometheus that scrapes two replicas under a small load. Grafana itself is in
# no registry of packages, so no picture is drawn.
#
# Usage: tests/deploy/watch/test.sh    (part `watch` of tests/deploy/run.sh)
. "$(dirname "$0")/../lib/steps.sh"

here=$root/tests/deploy/watch
product=$root/deploy/watch
readonly SDK=0.0.21 TYPESCRIPT=5.9.3
export PYTHONDONTWRITEBYTECODE=1

rules_fire() {
    python3 "$here/rules_test.py" >"$work/rules_test.yaml" &&
        promtool test rules "$work/rules_test.yaml"
}

checks_static() { python3 "$here/check.py"; }

# Reviewed by a program: unknown fields and values of the wrong type.
schema() {
    local tools=$CACHE/watch

    [ -e "$tools/node_modules/typescript/package.json" ] ||
        npm install --prefix "$tools" --ignore-scripts --no-audit --no-fund \
            --no-save "@grafana/grafana-foundation-sdk@$SDK" \
            "typescript@$TYPESCRIPT" || return
    python3 "$here/schema.py" "$tools" >"$tools/dashboard.ts" &&
        (cd "$tools" && node_modules/.bin/tsc --noEmit --strict --skipLibCheck \
            --module nodenext --moduleResolution nodenext dashboard.ts)
}

# A mistake in the dashboard that the schema must notice.
schema_notices() { # FROM TO
    local tools=$CACHE/watch

    sed "s/$1/$2/" "$tools/dashboard.ts" >"$tools/wrong.ts"
    cmp -s "$tools/dashboard.ts" "$tools/wrong.ts" && return 1
    ! (cd "$tools" && node_modules/.bin/tsc --noEmit --strict --skipLibCheck \
        --module nodenext --moduleResolution nodenext wrong.ts)
}

start() { # NAME COMMAND...
    "${@:2}" >"$work/$1.log" 2>&1 &
    echo $! >"$work/$1.pid"
    at_end stop "$1"
}

stop() { # NAME
    kill "$(<"$work/$1.pid")" 2>/dev/null
    wait "$(<"$work/$1.pid")" 2>/dev/null
    true
}

ready() { # URL
    curl -sf -o "$work/reply" "$1"
}

# Small bodies, large ones, another model, an error, and a body that is too large.
load() { # SECONDS
    python3 "$here/load.py" "$1" "http://127.0.0.1:${http[0]}" \
        "https://127.0.0.1:${http[1]}"
}

# rules.yaml and targets as they stand, scraped each second.
write_prometheus() {
    mkdir -p "$work/watch"
    cp "$product/rules.yaml" "$work/watch/"
    sed 's/^\( *\(scrape\|evaluation\)_interval\): .*/\1: 1s/
         s/scrape_timeout: .*/scrape_timeout: 1s/' \
        "$product/prometheus.yml" >"$work/watch/prometheus.yml"
    sed "s/127.0.0.1:9001/127.0.0.1:${admin[0]}/
         s/127.0.0.1:9002/127.0.0.1:${admin[1]}/" \
        "$product/targets.yaml" >"$work/watch/targets.yaml"
}

query() { # EXPR: its first value
    curl -sf --data-urlencode "query=$1" "$prometheus/api/v1/query" |
        jq -r '.data.result[0].value[1] // empty'
}

is() { [ "$(query "$1")" = "$2" ]; } # EXPR VALUE

metrics_exist() {
    curl -sf "http://127.0.0.1:${admin[0]}/metrics" >"$work/metrics" &&
        curl -sf "http://127.0.0.1:${admin[1]}/metrics" | grep _tls_ >>"$work/metrics" &&
        python3 "$here/check.py" "$work/metrics"
}

alert_is() { # NAME STATE
    is "count(ALERTS{alertname=\"$1\", alertstate=\"$2\"})" 1
}

# Those of which no other part says that it runs them; none is passed over for want of a
# program.
runbook() {
    tests/docs/run.sh "$DAEMON" deploy/README.md deploy/watch/README.md && ! grep -q 'needs prometheus' "$work/step"
}

step "the runbook, the metrics and the panels agree" checks_static
step "promtool takes prometheus.yml" promtool check config "$product/prometheus.yml"
step "promtool takes rules.yaml" promtool check rules "$product/rules.yaml"
step "each alert fires, and none where nothing is wrong" rules_fire
step "the commands of the runbook" runbook
if command -v npm >/dev/null; then
    if step "dashboard.json has the form of Grafana's types" schema; then
        step "they notice an unknown option" schema_notices '"thresholdsStyle"' '"tresholds"'
        step "they notice a wrong type" schema_notices '"lineWidth": 1' '"lineWidth": "1"'
        step "they notice a value that is none of the choices" \
            schema_notices '"mode": "dashed"' '"mode": "dotted"'
    fi
else
    lacks "the form of Grafana's types" "npm is not installed"
fi
lacks "a picture of the dashboard" "Grafana is in no registry of packages"

read -ra ports <<<"$(python3 tests/integration/lib/host.py port 5)"
http=("${ports[@]:0:2}") admin=("${ports[@]:2:2}") prometheus=http://127.0.0.1:${ports[4]}
echo '{"models": []}' >"$work/models.json"
python3 tests/integration/lib/host.py certificate "$work" || die "a certificate"
start first "$DAEMON" --http-port="${http[0]}" --admin-port="${admin[0]}" \
    --http-max-input-size=4MiB --models="$work/models.json"
start second "$DAEMON" --http-port="${http[1]}" --admin-port="${admin[1]}" \
    --http-max-input-size=4MiB --tls-cert="$work/cert.pem" --tls-key="$work/key.pem"
for port in "${admin[@]}"; do
    within 10 ready "http://127.0.0.1:$port/healthz" || die "no replica at $port"
done
write_prometheus
start prometheus prometheus --config.file="$work/watch/prometheus.yml" \
    --storage.tsdb.path="$work/tsdb" --web.listen-address="127.0.0.1:${ports[4]}"
within 30 ready "$prometheus/-/ready" || die "Prometheus did not start"
step "Prometheus scrapes two replicas" within 20 is 'sum(up{job="flipd"})' 2
load 20 >"$work/load" 2>&1 || die "$(<"$work/load")"
# Rules that read other rules follow a moment later.
sleep 3
step "every panel and every rule has data" python3 "$here/queries.py" "$prometheus" 2
python3 "$here/queries.py" "$prometheus" 2
step "the metrics and reasons of two daemons are those named" metrics_exist
step "no alert fires" is 'count(ALERTS{alertstate="firing"}) or vector(0)' 0

echo "{" >"$work/models.json"
kill -HUP "$(<"$work/first.pid")"
step "a models file that cannot be used is noticed" within 10 alert_is FlipdReloadFailed pending
stop second
step "a replica that ends is noticed" within 10 alert_is FlipdDown pending
stop first
step "the end of all is noticed" within 10 alert_is FlipdNoReplica pending
step "and is an alert after a minute" within 75 alert_is FlipdNoReplica firing
finish
