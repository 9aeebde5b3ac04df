#!/bin/bash
# Requests from pages of other origins, with and without --cors-allow-origin: what
# they may read, and what they may send.
. "$(dirname "$0")/../lib/daemon.sh"

path=/v2/models/onnx.ReverseSequence/infer
preflight() { # ORIGIN
    ask OPTIONS $path -H "Origin: $1" -H 'Access-Control-Request-Method: POST' \
        -H 'Access-Control-Request-Headers: content-type,x-request-id'
}

start --allow-client-shm --allow-log-changes
ask GET /v2/models -H 'Origin: http://a.example'
answered "a GET" 200
equal "not asked for" "" "$(header Access-Control-Allow-Origin)"
preflight http://a.example
equal "preflight without the option" 405 "$status"

# What a page sends without asking: text, and a form.
for route in models/onnx.ReverseSequence/infer logging repository/index \
    systemsharedmemory/region/x/register cudasharedmemory/unregister; do
    for origin in http://a.example null "http://${address%:*}"; do
        ask POST "/v2/$route" -d "$example" -H "Origin: $origin" \
            -H 'Content-Type: text/plain'
        refused "$origin" 403 "the Origin $origin is not .*--cors-allow-origin"
        equal "$origin may not read it" "" "$(header Access-Control-Allow-Origin)"
    done
done
ask GET /v2/logging
json "the log's settings are as before" .log_info true
head -c 6000000 /dev/zero >"$work/large" # more than is dropped
infer onnx.ReverseSequence "@$work/large" -H 'Origin: null'
refused "a large body" 403 "the Origin null"
infer onnx.ReverseSequence "$example" -H "Origin: $url" -H 'Sec-Fetch-Site: cross-site'
refused "what the browser says of the site" 403 "the Origin $url"
ask POST /v2/nothing -H 'Origin: http://a.example'
equal "the route comes first" 404 "$status"
ask POST /v2/models -H 'Origin: http://a.example'
equal "the method comes first" 405 "$status"

# Its own pages, also behind a proxy, and clients that are no browsers.
infer onnx.ReverseSequence "$example" -H "Origin: $url"
answered "its own page" 200
infer onnx.ReverseSequence "$example" -H 'Origin: https://flipd.example' \
    -H 'Host: flipd.example'
answered "its own page behind a proxy" 200
infer onnx.ReverseSequence "$example" -H 'Origin: https://flipd.example' \
    -H 'Sec-Fetch-Site: same-origin'
answered "its own page behind a proxy that changes Host" 200
infer onnx.ReverseSequence "$example" -H 'Sec-Fetch-Site: cross-site'
answered "no origin" 200
infer onnx.ReverseSequence "$example" -H 'Origin: https://a.example' \
    -H 'Content-Type: application/json'
answered "what a proxy's answer to a preflight allowed" 200
healthy "pages of other origins"
stop

start --cors-allow-origin 'http://a.example, https://b.example:8443'
for origin in http://a.example https://b.example:8443; do
    infer onnx.ReverseSequence "$example" -H "Origin: $origin"
    answered "$origin" 200
    equal "$origin" "$origin" "$(header Access-Control-Allow-Origin)"
    matches "$origin" Origin "$(header Vary)"
    equal "$origin: exposed" \
        'Inference-Header-Content-Length, X-Request-Id, Retry-After, Server-Timing' \
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
    refused "$origin" 403 "the Origin $origin is not"
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
for names in a/b $'a\x01' 'a: b' $'a\xff'; do
    ask OPTIONS $path -H 'Origin: http://a.example' \
        -H 'Access-Control-Request-Method: POST' \
        -H "Access-Control-Request-Headers: $names"
    equal "a list of no names" 204 "$status"
    equal "a list of no names is sent back" "" "$(header Access-Control-Allow-Headers)"
done
python cors.py some
healthy "cross-origin requests"
stop

start --cors-allow-origin '*' --admin-port="$(free_port)"
python cors.py all
infer onnx.ReverseSequence "$example" -H 'Origin: http://c.example'
equal "anybody" '*' "$(header Access-Control-Allow-Origin)"
infer onnx.ReverseSequence "$example"
equal "no origin" '*' "$(header Timing-Allow-Origin)"
ask OPTIONS $path -H 'Access-Control-Request-Method: POST'
equal "a preflight without an origin" 405 "$status"
stop
start
python cors.py none
finish
