#!/bin/bash
# /metrics: valid Prometheus text, exact counters, every limit.
. "$(dirname "$0")/../lib/daemon.sh"

patience=() # the limits are the defaults
start

# the form, for clients that ask for others
ask GET /metrics -H 'Accept: application/openmetrics-text;q=0.6,text/plain;q=0.5'
equal "metrics" 200 "$status"
matches "type" '^text/plain; version=0.0.4' "$(header Content-Type)"
equal "lines that stand twice" "" "$(grep -v '^#' "$work/body" | cut -d ' ' -f 1 |
    sort | uniq -d)"
type=$(header Content-Type)
ask HEAD /metrics
equal "HEAD: type" "$type" "$(header Content-Type)"

requests() { # ROUTE CODE
    echo "flipd_http_requests_total{route=\"$1\",code=\"$2\"}"
}
onnx='model="onnx.ReverseSequence",version="10"'

for _ in 1 2 3; do
    infer onnx.ReverseSequence "$example"
done
infer onnx.ReverseSequence '{"inputs":[]}'
infer nothing "$example"
ask GET /v2/health/live
ask GET /v2/models/openvino.Reverse
ask GET /nothing
ask POST /v2

counts "$(requests '/v2/models/{model}/infer' 200)" 3
counts "$(requests '/v2/models/{model}/infer' 400)" 1
counts "$(requests '/v2/models/{model}/infer' 404)" 1
counts "$(requests /v2/health/live 200)" 1
counts "$(requests '/v2/models/{model}' 200)" 1
counts "$(requests none 404)" 1
counts "$(requests /v2 405)" 1
counts 'flipd_http_request_duration_seconds_count{route="/v2/models/{model}/infer"}' 5
counts "nv_inference_request_success{$onnx}" 3
counts "nv_inference_count{$onnx}" 3
counts "nv_inference_pending_request_count{$onnx}" 0
for stage in queue read move write; do
    counts "flipd_infer_stage_duration_seconds_count{model=\"onnx.ReverseSequence\",stage=\"$stage\"}" 3
done
counts "nv_inference_request_failure{$onnx,reason=\"OTHER\"}" 1
counts "nv_inference_request_failure{$onnx,reason=\"REJECTED\"}" 0
counts 'nv_inference_request_success{model="openvino.Reverse",version="1"}' 0
counts flipd_queue_depth 0
counts flipd_inflight_bytes 0
counts flipd_connections 1
matches "flipd_build_info" "^flipd_build_info\{version=\"$("$daemon" --version |
    grep -oE '[0-9][^ ]*')\",revision=\"([0-9a-f]{40}(-dirty)?|unknown)\"\} 1\$" \
    "$(curl -s "$url/metrics" | grep '^flipd_build_info')"

# every limit that options set, with the values that the daemon derived
numbers() {
    "$daemon" --help | awk '/^  --/ { name = substr($1, 3) }
        /^      FLIPD_[A-Z_]*: [0-9][0-9A-Za-z]*\.\./ { print name }'
}
for option in $(numbers | grep -vE -- '-(port|count)$'); do
    matches "the limit $option" "flipd_limit(_bytes|_seconds)?\{option=\"$option\"\} [0-9+]" \
        "$(curl -s "$url/metrics" | grep "\"$option\"")"
done
equal "max-connections" "$(metric 'flipd_limit{option="max-connections"}')" \
    "$(grep -oE 'max_connections=[0-9]+' "$log" | grep -oE '[0-9]+$')"
counts 'flipd_limit_seconds{option="max-queue-delay"}' 0.1
counts 'flipd_limit{option="max-connections-per-address"}' +Inf
counts 'flipd_workers{kind="short"}' 1

# the memory plan: the terms are those of the log, and add up
memory() { metric "flipd_memory_bytes{term=\"$1\"}"; }
for term in base connections waiting inflight json total limit; do
    matches "the log's $term" " $term=$(memory $term)( |\$)" \
        "$(grep 'memory at most' "$log")"
done
equal "the sum of the memory's terms" "$(memory total)" $(($(memory base) + \
    $(memory connections) + $(memory waiting) + $(memory inflight) + \
    $(memory json)))
at_most "the memory's total" "$(memory limit)" "$(memory total)"
equal "the budget" "$(memory inflight)" "$(metric 'flipd_budget_bytes{use="limit"}')"
counts 'flipd_budget_bytes{use="leased"}' 0

# a free buffer is kept, within the budget
head -c 400000 /dev/zero | tr '\0' ' ' >"$work/blanks"
printf '%s' "$example" | cat - "$work/blanks" >"$work/padded"
ask POST /v2/models/onnx.ReverseSequence/infer --data-binary "@$work/padded"
answered "a body that is kept" 200
succeeds "no free buffer is kept" \
    [ "$(metric 'flipd_budget_bytes{use="kept"}')" -ge 400000 ]
counts 'flipd_budget_bytes{use="leased"}' 0

# bytes of bodies
before=$(metric 'flipd_bytes_total{direction="received"}')
infer onnx.ReverseSequence "$example"
counts 'flipd_bytes_total{direction="received"}' $((before + ${#example}))
succeeds "flipd_bytes_total: sent stays 0" \
    [ "$(metric 'flipd_bytes_total{direction="sent"}')" -gt 1000 ]

# the process, as the kernel sees it
succeeds "process_resident_memory_bytes is no figure" \
    [ "$(metric process_resident_memory_bytes | cut -d. -f1)" -gt 1000000 ]
succeeds "process_open_fds is no figure" [ "$(metric process_open_fds)" -gt 5 ]
started=$(metric process_start_time_seconds)
at_most "process_start_time_seconds is not now" 300 \
    $(($(date +%s) - ${started%.*}))
finish
