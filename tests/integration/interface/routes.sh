#!/bin/bash
# A route of each kind over the wire: status, content type and body. tests/api asks
# for every route, method and model.
. "$(dirname "$0")/../lib/daemon.sh"

start

ask GET '/v2?verbose=1'
answered "server" 200
json "server" keys '["extensions","name","simd","version"]'
equal "server: version" "$("$daemon" --version | grep -oE '[0-9][^ ]*')" \
    "$(jq -r .version <<<"$body")"
for path in /v2/health/ready /healthz; do
    ask GET "$path"
    answered "ready" 200
    equal "ready: body" '{"ready":true}' "$body"
done
ask GET '/v2/models/onnx%2EReverseSequence/versions/10?x=1'
answered "metadata" 200
json "metadata" '[.name, .versions]' '["onnx.ReverseSequence",["10"]]'

# HEAD is GET without the body
for path in /v2 /v2/health/live /v2/health/ready /v2/models \
    /v2/models/openvino.Reverse /v2/models/openvino.Reverse/ready; do
    ask GET "$path"
    length=$(header Content-Length)
    ask HEAD "$path"
    equal "HEAD $path: status" 200 "$status"
    equal "HEAD $path: length" "$length" "$(header Content-Length)"
    equal "HEAD $path: type" application/json "$(header Content-Type)"
done
ask HEAD /v2/nothing
equal "HEAD of no route" 404 "$status"

# no route, no model, no version
for path in // //v2 /v2/models/../models; do
    ask GET "$path"
    refused "no route" 404 "no route $path: GET /v2/models lists"
done
infer "$(printf 'a%.0s' {1..2000})" "$example"
refused "no model" 404 "\"error\":\"Request for unknown model: 'aaa"
infer onnx.reversesequence "$example"
refused "near a model" 404 'did you mean onnx.ReverseSequence\?'
infer onnx.ReverseSequence/versions/11 "$example"
refused "no version" 404 "version.*10"
infer onnx.ReverseSequence/versions/10 "$example"
answered "inference with a version" 200
ask POST '/v2/models/onnx%2EReverseSequence/infer?a=b' -d "$example"
answered "inference, name escaped" 200

# wrong methods
wrong() { # ALLOW PATH METHOD
    ask "$3" "$2"
    refused "$3" 405 "$3"
    equal "$3 $2: Allow" "$1" "$(header Allow)"
}
for method in POST PUT DELETE PATCH OPTIONS TRACE FOO get; do
    wrong "GET, HEAD" /v2 "$method"
done
wrong POST /v2/models/openvino.Reverse/infer GET
ask HEAD /v2/models/openvino.Reverse/infer
equal "HEAD of infer" 405 "$status"
equal "HEAD of infer: Allow" POST "$(header Allow)"
ask POST /v2/health/live -d "$example"
refused "POST with a body" 405 POST

healthy "routes"
finish
