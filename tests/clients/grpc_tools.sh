#!/bin/bash
# The tools that speak gRPC or HTTP/2 by themselves, a part each:
#   grpcurl   knows the services by reflection: calls, JSON both ways, errors
#   ghz       a load of ModelInfer, unary and streamed: each call is OK
#   http2     the same by h2load from a message as bytes; nghttp and curl ask once
#   h2spec    the conformance suite of HTTP/2, and of HPACK
#
# Usage: grpc_tools.sh PART ADDRESS ADDRESS-OF-GRPC FOLDER FOLDER-OF-PROGRAMS [CA]
set -uo pipefail

part=$1 address=$2 grpc=$3 work=$4/grpc programs=$5 ca=${6:-}
service=inference.GRPCInferenceService
count=2000
. "$(dirname "$0")/check.sh"
mkdir -p "$work"

# What HTTP counts of this model; every reply has been sent when this is called.
answered() {
    curl -sS "http://$address/metrics" |
        awk '/^nv_inference_request_success.*openvino.ReverseSequence"/ { print $NF }'
}

# JSON of a request: rows of 3 whose first 3 and 2 are reversed.
question='{"model_name": "openvino.ReverseSequence", "id": "q",
  "inputs": [
    {"name": "data", "datatype": "INT32", "shape": [2, 3],
     "contents": {"int_contents": [1, 2, 3, 4, 5, 6]}},
    {"name": "seq_lengths", "datatype": "INT64", "shape": [2],
     "contents": {"int64_contents": [3, 2]}}]}'
answer=AwAAAAIAAAABAAAABQAAAAQAAAAGAAAA # [3, 2, 1, 5, 4, 6]

call() { # METHOD [DATA [OPTION...]]
    "$programs/grpcurl" "${trust[@]}" -max-time 20 "${@:3}" -d "${2:-{\}}" "$grpc" "$service/$1" 2>&1
}

grpcurl() {
    local status

    trust=(-plaintext)
    [ -z "$ca" ] || trust=(-cacert "$ca")
    check "list" "$(printf '%s\n' grpc.health.v1.Health grpc.reflection.v1{,alpha}.ServerReflection $service)" \
        "$("$programs/grpcurl" "${trust[@]}" "$grpc" list | sort)"
    check "describe" true "$("$programs/grpcurl" "${trust[@]}" "$grpc" \
        describe $service.ModelInfer | grep -c 'rpc ModelInfer' | sed s/1/true/)"
    check "live" true "$(call ServerLive | jq .live)"
    check "health" SERVING "$("$programs/grpcurl" "${trust[@]}" "$grpc" grpc.health.v1.Health/Check | jq -r .status)"
    check "health of all" '{"":"SERVING","inference.GRPCInferenceService":"SERVING"}' \
        "$("$programs/grpcurl" "${trust[@]}" "$grpc" grpc.health.v1.Health/List |
            jq -Sc '.statuses | map_values(.status)')"
    check "metadata" '"flipd"' "$(call ServerMetadata | jq .name)"
    check "a model" '["input","sequence_lens"]' \
        "$(call ModelMetadata '{"name": "flip"}' | jq -c '[.inputs[].name]')"
    check "infer" "\"$answer\"" "$(call ModelInfer "$question" | jq '.rawOutputContents[0] // .raw_output_contents[0]')"
    check "compressed" "\"$answer\"" "$(call ModelInfer "$question" -H 'grpc-encoding: identity' | jq '.rawOutputContents[0] // .raw_output_contents[0]')"
    check "a stream" '["q","q","q"]' "$("$programs/grpcurl" "${trust[@]}" -max-time 20 -d @ "$grpc" \
        $service/ModelStreamInfer <<<"$question$question$question" | jq -cs '[.[] | (.inferResponse // .infer_response).id]')"
    status=$(call ModelInfer "${question/openvino/none}")
    check "a refusal: code" true "$(grep -q 'Code: NotFound' <<<"$status" && echo true)"
    check "a refusal: text" true "$(grep -q "Request for unknown model: 'none.ReverseSequence' " <<<"$status" && echo true)"
}

load() { # WHAT METHOD OPTION...
    local before

    before=$(answered)
    "$programs/ghz" "${trust[@]}" --call "$service.$2" -d "$question" -n $count -c 16 --connections 4 \
        -O json "${@:3}" "$grpc" >"$work/report" 2>"$work/errors"
    check "$1: count" $count "$(jq .count "$work/report")"
    check "$1: statuses" "{\"OK\":$count}" "$(jq -c .statusCodeDistribution "$work/report")"
    sleep 0.3 # the last replies are counted after they are sent
    check "$1: the daemon counts" $((before + count)) "$(answered)"
}

ghz() {
    trust=(--insecure)
    [ -z "$ca" ] || trust=(--cacert "$ca")
    load "unary" ModelInfer
    load "compressed" ModelInfer --enable-compression
    load "at a rate" ModelInfer --rps 1000
    load "streams" ModelStreamInfer --stream-call-count 1
    "$programs/ghz" "${trust[@]}" --call $service.ModelInfer -d "${question/openvino/none}" -n 100 \
        -O json "$grpc" >"$work/report" 2>"$work/errors"
    check "refusals" '{"NotFound":100}' "$(jq -c .statusCodeDistribution "$work/report")"
}

# The question as a gRPC message, by hand: flag and length, fields, two tensors.
message() { # FILE
    printf '\0\0\0\0\126\012\030openvino.ReverseSequence' >"$1"
    printf '*\033\012\004data\022\005INT32\032\002\002\003*\010\022\006\001\002\003\004\005\006' >>"$1"
    printf '*\035\012\013seq_lengths\022\005INT64\032\001\002*\004\032\002\003\002' >>"$1"
}

http2() {
    local url=http://$grpc/$service/ModelInfer before
    local type=(-H 'content-type: application/grpc' -H 'te: trailers')

    message "$work/message"
    curl -sS --http2-prior-knowledge "${type[@]}" --data-binary "@$work/message" \
        -D "$work/head" -o "$work/reply" "$url"
    check "curl: status" "HTTP/2 200 " "$(head -n 1 "$work/head" | tr -d '\r')"
    check "curl: type" "application/grpc" "$(sed -nE 's/^content-type: ([^ ;+\r]*).*/\1/p' "$work/head")"
    check "curl: grpc-status" 0 "$(sed -nE 's/^grpc-status: ([0-9]+).*/\1/p' "$work/head")"
    check "curl: the tensor" $answer "$(grep -aobUP '\x32\x18' "$work/reply" | head -n 1 |
        cut -d: -f1 | { read -r at; tail -c +$((at + 3)) "$work/reply" | head -c 24 | base64; })"
    check "curl: HTTP/1.1 at the port is not answered as gRPC" "" \
        "$(curl -sS --max-time 5 -o "$work/reply" -w '%{http_version}' "http://$grpc/" 2>&1 | grep -x 2)"
    check "nghttp: grpc-status" 0 "$(nghttp -v "${type[@]}" -d "$work/message" "$url" |
        sed -nE 's/.*grpc-status: ([0-9]+).*/\1/p' | head -n 1)"
    before=$(answered)
    for streams in 1 100; do
        h2load -n $count -c 8 -m $streams -t 1 "${type[@]}" -d "$work/message" "$url" >"$work/report" 2>&1
        check "h2load, $streams at once: succeeded" $count \
            "$(grep -oE '[0-9]+ succeeded' "$work/report" | cut -d' ' -f1)"
        check "h2load, $streams at once: 2xx" $count "$(grep -oE '[0-9]+ 2xx' "$work/report" | cut -d' ' -f1)"
    done
    sleep 0.3
    check "the daemon counts" $((before + 2 * count)) "$(answered)"
}

h2spec() {
    local more=()

    [ -z "$ca" ] || more=(--tls --insecure)
    "$programs/h2spec" http2 hpack generic --host "${grpc%:*}" --port "${grpc##*:}" --timeout 5 \
        --path /$service/ServerLive "${more[@]}" >"$work/report" 2>&1
    check "h2spec" "0 failed" "$(grep -oE '[0-9]+ failed' "$work/report" | tail -n 1)"
    checks=$((checks + $(grep -oE '^[0-9]+ tests' "$work/report" | cut -d' ' -f1)))
    [ $failures = 0 ] || grep -aE -A12 '×' "$work/report" | tail -n 80
}

$part
finish
