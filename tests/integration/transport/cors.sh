#!/bin/bash
# Requests from pages of other origins, with and without --cors-allow-origin.
. "$(dirname "$0")/../lib/daemon.sh"

path=/v2/models/onnx.ReverseSequence/infer
preflight() { # ORIGIN
    ask OPTIONS $path -H "Origin: $1" -H 'Access-Control-Request-Method: POST' \
        -H 'Access-Control-Request-Headers: content-type,x-request-id'
}

start
infer onnx.ReverseSequence "$example" -H 'Origin: http://a.example'
equal "not asked for" "" "$(header Access-Control-Allow-Origin)"
preflight http://a.example
equal "preflight without the option" 405 "$status"
stop

start --cors-allow-origin 'http://a.example, https://b.example:8443'
for origin in http://a.example https://b.example:8443; do
    infer onnx.ReverseSequence "$example" -H "Origin: $origin"
    answered "$origin" 200
    equal "$origin" "$origin" "$(header Access-Control-Allow-Origin)"
    matches "$origin" Origin "$(header Vary)"
    equal "$origin: exposed" \
        'Inference-Header-Content-Length, X-Request-Id, Retry-After, Server-Timing, traceresponse' \
        "$(header Access-Control-Expose-Headers)"
    equal "$origin: its timing" "$origin" "$(header Timing-Allow-Origin)"
    preflight "$origin"
    equal "$origin: preflight" 204 "$status"
    equal "$origin: preflight" "$origin" "$(header Access-Control-Allow-Origin)"
    equal "$origin: methods" POST "$(header Access-Control-Allow-Methods)"
    equal "$origin: headers" content-type,x-request-id \
        "$(header Access-Control-Allow-Headers)"
done
for origin in http://a.example.org http://a.exampl https://a.example null; do
    infer onnx.ReverseSequence "$example" -H "Origin: $origin"
    equal "$origin" "" "$(header Access-Control-Allow-Origin)"
    preflight "$origin"
    equal "$origin: preflight" 405 "$status"
done
infer onnx.ReverseSequence '{' -H 'Origin: http://a.example'
refused "an error" 400 JSON
equal "an error can be read" http://a.example \
    "$(header Access-Control-Allow-Origin)"
ask OPTIONS $path -H 'Origin: http://a.example'
equal "OPTIONS that is no preflight" 405 "$status"
ask OPTIONS /nothing -H 'Origin: http://a.example' \
    -H 'Access-Control-Request-Method: POST'
equal "preflight to nowhere" 404 "$status"
healthy "cross-origin requests"
stop

start --cors-allow-origin '*'
infer onnx.ReverseSequence "$example" -H 'Origin: http://c.example'
equal "anybody" '*' "$(header Access-Control-Allow-Origin)"
equal "anybody: no need to vary" "" "$(header Vary)"
infer onnx.ReverseSequence "$example"
equal "no origin" "" "$(header Access-Control-Allow-Origin)"
equal "no origin" "" "$(header Timing-Allow-Origin)"
finish
