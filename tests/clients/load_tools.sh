#!/bin/bash
# ab with kept connections and h2load over HTTP/1.1: every request succeeds, as
# the tool counts it and as the daemon does, and the answer's bytes are those
# that curl gets.
#
# Usage: load_tools.sh ab|h2load ADDRESS FOLDER
set -uo pipefail

tool=$1 address=$2 work=$3/load
infer=http://$address/v2/models/openvino.ReverseSequence/infer
count=2000
. "$(dirname "$0")/check.sh"

# What the daemon counts; every answer has been sent when this is called.
answered() {
    curl -sS "http://$address/metrics" |
        awk '/^nv_inference_request_success.*openvino.ReverseSequence"/ { print $NF }'
}

bodies() {
    mkdir -p "$work"
    printf '%s' '{"inputs":[{"name":"data","datatype":"INT32","shape":[2,3],
        "data":[1,2,3,4,5,6]},{"name":"seq_lengths","datatype":"INT64",
        "shape":[2],"data":[3,2]}]}' >"$work/json"
    printf '%s' '{"inputs":[{"name":"data","datatype":"UINT8","shape":[2,3],
        "parameters":{"binary_data_size":6}},{"name":"seq_lengths",
        "datatype":"UINT8","shape":[2],"parameters":{"binary_data_size":2}}],
        "parameters":{"binary_data_output":true}}' >"$work/head"
    { cat "$work/head"; printf 'abcdef\003\002'; } >"$work/binary"
    length=$(stat -c %s "$work/head")
}

# The oracle, written out: rows of 3 whose first 3 and 2 are reversed.
expect() {
    check "curl, JSON" '{"model_name":"openvino.ReverseSequence","model_version":"1","outputs":[{"name":"output","datatype":"INT32","shape":[2,3],"data":[3,2,1,5,4,6]}]}' \
        "$(curl -sS --data-binary "@$work/json" "$infer")"
    curl -sS --data-binary "@$work/binary" -o "$work/answer" \
        -H "Inference-Header-Content-Length: $length" "$infer"
    check "curl, bytes" cbaedf "$(tail -c 6 "$work/answer")"
}

number() { # REGEX: the number that follows it in the tool's report
    grep -oiE "$1[^0-9]*[0-9]+" "$work/report" | grep -oE '[0-9]+$' | head -n 1
}

run_ab() { # WHAT BYTES-OF-BODY OPTION...
    local what=$1 bytes=$2

    shift 2
    ab -k -q -n $count -c 16 "$@" >"$work/report" 2>&1
    check "$what: complete" $count "$(number 'Complete requests:')"
    check "$what: failed" 0 "$(number 'Failed requests:')"
    check "$what: kept" $count "$(number 'Keep-Alive requests:')"
    check "$what: not 2xx" "" "$(number 'Non-2xx responses:')"
    check "$what: size of an answer" "$bytes" "$(number 'Document Length:')"
}

run_h2load() { # WHAT BYTES-OF-BODY OPTION...
    local what=$1 bytes=$2

    shift 2
    h2load --h1 -n $count -c 16 -t 1 "$@" >"$work/report" 2>&1
    check "$what: succeeded" $count "$(grep -oE '[0-9]+ succeeded' "$work/report" | cut -d' ' -f1)"
    check "$what: 2xx" $count "$(grep -oE '[0-9]+ 2xx' "$work/report" | cut -d' ' -f1)"
    check "$what: failed" "0 failed, 0 errored, 0 timeout" \
        "$(grep -oE '[0-9]+ failed, [0-9]+ errored, [0-9]+ timeout' "$work/report")"
    check "$what: bytes of answers" $((bytes * count)) \
        "$(sed -nE 's/^traffic:.*\(([0-9]+)\) data$/\1/p' "$work/report")"
}

every_run() {
    local before posts=2 json binary live

    json=$(curl -sS --data-binary "@$work/json" "$infer" | wc -c)
    binary=$(stat -c %s "$work/answer")
    live=$(curl -sS "http://$address/v2/health/live" | wc -c)
    before=$(answered)
    if [ "$tool" = ab ]; then
        run_ab GET "$live" "http://$address/v2/health/live"
        run_ab JSON "$json" -T application/json -p "$work/json" "$infer"
        run_ab bytes "$binary" -T application/octet-stream -p "$work/binary" \
            -H "Inference-Header-Content-Length: $length" "$infer"
    else
        run_h2load GET "$live" "http://$address/v2/health/live"
        run_h2load JSON "$json" -d "$work/json" "$infer"
        run_h2load bytes "$binary" -d "$work/binary" \
            -H "Inference-Header-Content-Length: $length" "$infer"
        posts=3
        run_h2load pipelined "$json" -m 8 -d "$work/json" "$infer"
    fi
    sleep 0.3 # the last answers are counted after they are sent
    check "the daemon counts" $((before + posts * count)) "$(answered)"
}

refused() {
    if [ "$tool" = ab ]; then
        ab -k -q -n 100 -c 4 -p "$work/json" "${infer/openvino/none}" >"$work/report" 2>&1
        check "a refusal: not 2xx" 100 "$(number 'Non-2xx responses:')"
    else
        h2load --h1 -n 100 -c 4 "${infer/openvino/none}" >"$work/report" 2>&1
        check "a refusal: 4xx" 100 "$(grep -oE '[0-9]+ 4xx' "$work/report" | cut -d' ' -f1)"
    fi
}

bodies
expect
every_run
refused
finish
