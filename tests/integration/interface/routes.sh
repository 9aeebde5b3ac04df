#!/bin/bash
# Every route and method but inference: status, content type and body; unknown
# routes.
. "$(dirname "$0")/../lib/daemon.sh"

definitions=$(cat "$tree"/tests/vectors/*.json | jq -c '.[] | select(.model)')
models=$(jq -r '"\(.model):\(.version)"' <<<"$definitions")

start

# server metadata
for path in /v2 /v2/ '/v2?verbose=1'; do
    ask GET "$path"
    answered "server" 200
    json "server" .name '"flipd"'
    json "server" keys '["extensions","name","simd","version"]'
    equal "server: version" "$("$daemon" --version | grep -oE '[0-9][^ ]*')" \
        "$(jq -r .version <<<"$body")"
    json "server" '.extensions | index("binary_tensor_data") != null' true
done

# health
ask GET /v2/health/live
answered "live" 200
equal "live: body" '{"live":true}' "$body"
for path in /v2/health/ready /healthz; do
    ask GET "$path"
    answered "ready" 200
    equal "ready: body" '{"ready":true}' "$body"
done

# models
ask GET /v2/models
answered "models" 200
expected=$(for m in $models; do echo "${m%:*}"; done | jq -Rsc 'split("\n")[:-1] | sort')
json "models" '.models | sort' "$expected"

for entry in $models; do
    model=${entry%:*} version=${entry#*:}
    for path in "/v2/models/$model" "/v2/models/$model/versions/$version" \
        "/v2/models/${model/./%2e}" "/v2/models/$model?x=1"; do
        ask GET "$path"
        answered "metadata" 200
        json "metadata" .name "\"$model\""
        json "metadata" .versions "[\"$version\"]"
        json "metadata" '.platform | type' '"string"'
        json "metadata" \
            '[.inputs[], .outputs[] | keys | . == ["datatype","name","shape"]] | all' \
            true
        json "metadata" '.inputs[0] | [.datatype, .shape]' '["FP32",[-1,-1]]'
        json "metadata" '[.properties[] | type == "string"] | all' true
    done
    for path in "/v2/models/$model/ready" \
        "/v2/models/$model/versions/$version/ready"; do
        ask GET "$path"
        answered "model ready" 200
        json "model ready" . "{\"name\":\"$model\",\"ready\":true}"
    done
done

while read -r definition; do
    ask GET "/v2/models/$(jq -r .model <<<"$definition")"
    json "$definition" '[.inputs[].name]' "$(jq -c '[.data, .control]' <<<"$definition")"
    json "$definition" '[.outputs[].name]' "$(jq -c '[.output]' <<<"$definition")"
done <<<"$definitions"

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

# no route
for path in // /index.html /v2x /v3 /metrics/ /v2/health /v2/health/live/ /v2/models/ \
    //v2 /v2/models//ready /v2/models/onnx.ReverseSequence/versions \
    /v2/models/onnx.ReverseSequence/versions//ready \
    /v2/models/onnx.ReverseSequence/nothing /v2%2fmodels \
    /v2/models/../models; do
    ask GET "$path"
    refused "no route" 404 .
done
ask POST /v2/infer -d '{}'
refused "no route" 404 .
ask GET /healthcheck
refused "no route: where they are" 404 'no route /healthcheck: GET /v2/models lists'

# no model, no version
for model in nothing ONNX.ReverseSequence onnx.ReverseSequence%00 \
    onnx%2ReverseSequence onnx.Reverse "$(printf 'a%.0s' {1..2000})"; do
    ask GET "/v2/models/$model"
    refused "no model" 404 "\"error\":\"Request for unknown model: '"
    infer "$model" "$example"
    refused "no model" 404 "\"error\":\"Request for unknown model: '"
done
for model in onnx.reversesequence ReverseSequence onnx_ReverseSequence; do
    infer "$model" "$example"
    refused "near a model" 404 \
        "'$model' is not found; did you mean onnx.ReverseSequence\?"
done
for version in 11 1 010 abc 10.0 -10 99999999999999999999; do
    for path in '' /ready; do
        ask GET "/v2/models/onnx.ReverseSequence/versions/$version$path"
        refused "no version" 404 "version.*10"
    done
    infer "onnx.ReverseSequence/versions/$version" "$example"
    refused "no version" 404 "version.*10"
done
infer onnx.ReverseSequence/versions/10 "$example"
answered "inference with a version" 200
ask POST '/v2/models/onnx%2EReverseSequence/infer?a=b' -d "$example"
answered "inference, name escaped" 200
ask GET /v2/models/nothing/ready
refused "ready of no model" 404 "\"error\":\"Request for unknown model: '"

# wrong methods
wrong() { # ALLOW PATH METHOD...
    local allow=$1 path=$2 method

    shift 2
    for method in "$@"; do
        ask "$method" "$path"
        refused "$method" 405 "$method"
        equal "$method $path: Allow" "$allow" "$(header Allow)"
    done
}
for path in /v2 /v2/health/live /v2/health/ready /v2/models \
    /v2/models/openvino.Reverse /v2/models/openvino.Reverse/ready /metrics; do
    wrong "GET, HEAD" "$path" POST PUT DELETE PATCH OPTIONS TRACE FOO get
done
wrong POST /v2/models/openvino.Reverse/infer GET PUT DELETE PATCH OPTIONS TRACE
ask HEAD /v2/models/openvino.Reverse/infer
equal "HEAD of infer" 405 "$status"
equal "HEAD of infer: Allow" POST "$(header Allow)"
# The route comes first, then the method, then the model.
wrong POST /v2/models/nothing/infer GET
ask POST /v2/health/live -d "$example"
refused "POST with a body" 405 POST

healthy "routes"
finish
