#!/bin/bash
# Requests from pages of other origins, with and without --cors-allow-origin: what
# they may read, and what they may send. tests/server/message asks for each origin.
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
equal "all get the same" "" "$(header Vary)"
preflight http://a.example
equal "preflight without the option" 405 "$status"

# What a page sends without asking: text, and a form.
page=http://a.example
for route in models/onnx.ReverseSequence/infer logging repository/index \
    systemsharedmemory/region/x/register cudasharedmemory/unregister; do
    ask POST "/v2/$route" -d "$example" -H "Origin: $page" -H 'Content-Type: text/plain'
    refused "another page" 403 "the Origin $page is not .*--cors-allow-origin"
    equal "it may not read it" "" "$(header Access-Control-Allow-Origin)"
done
head -c 6000000 /dev/zero >"$work/large" # more than is dropped
infer onnx.ReverseSequence "@$work/large" -H 'Origin: null'
refused "a large body" 403 "the Origin null"
infer onnx.ReverseSequence "$example" -H "Origin: $url" -H 'Sec-Fetch-Site: cross-site'
refused "what the browser says of the site" 403 "the Origin $url"
ask POST /v2/nothing -H 'Origin: http://a.example'
equal "the route comes first" 404 "$status"
ask POST /v2/models -H 'Origin: http://a.example'
equal "the method comes first" 405 "$status"
infer onnx.ReverseSequence "$example" -H "Origin: $url"
answered "its own page" 200
healthy "pages of other origins"
stop

start --cors-allow-origin 'http://a.example, https://b.example:8443'
origin=https://b.example:8443
infer onnx.ReverseSequence "$example" -H "Origin: $origin"
answered "$origin" 200
equal "$origin" "$origin" "$(header Access-Control-Allow-Origin)"
equal "$origin" Origin "$(header Vary)"
equal "$origin: its timing" "$origin" "$(header Timing-Allow-Origin)"
preflight "$origin"
equal "$origin: preflight" 204 "$status"
equal "$origin: methods" POST "$(header Access-Control-Allow-Methods)"
equal "$origin: headers" content-type,x-request-id \
    "$(header Access-Control-Allow-Headers)"
infer onnx.ReverseSequence "$example" -H "Origin: https://a.example"
refused "another" 403 "the Origin https://a.example is not"
equal "another" "" "$(header Access-Control-Allow-Origin)"
preflight https://a.example
equal "another: preflight" 405 "$status"
for wrong in '/v2/health/live -HContent-Length:x' "/$(printf 'a%.0s' {1..40000})"; do
    # shellcheck disable=SC2086 # a path, and an option
    ask GET $wrong -H "Origin: $origin"
    matches "refused by the parser" '41[34]|400' "$status"
    equal "refused by the parser" Origin "$(header Vary)"
done
healthy "cross-origin requests"
stop

start --cors-allow-origin '*'
infer onnx.ReverseSequence "$example"
equal "anybody" '*' "$(header Access-Control-Allow-Origin)"
equal "no origin" '*' "$(header Timing-Allow-Origin)"
equal "all get the same" "" "$(header Vary)"
finish
