#!/bin/bash
# --http-restricted-api: groups of routes that require a header.
. "$(dirname "$0")/../lib/daemon.sh"

path=/v2/models/onnx.ReverseSequence/infer
echo 'Bearer token-1' >"$work/token"
start --http-restricted-api 'inference,model-config:Authorization=@'"$work/token" \
    --http-restricted-api statistics,metrics,shared-memory:X-Admin=open

infer onnx.ReverseSequence "$example"
refused "no token" 401 Authorization
equal "what to send" Bearer "$(header WWW-Authenticate)"
infer onnx.ReverseSequence "$example" -H 'Authorization: Bearer token-1x'
refused "another token" 403 Authorization
infer onnx.ReverseSequence "$example" -H 'authorization: Bearer token-1'
json "the token" .outputs[0].data "$example_answer"
# all spellings of one route
for way in /v2/models/onnx.ReverseSequence/versions/10/infer \
    /v2/models/onnx%2eReverseSequence/infer "http://x$path" "$path?a=b"; do
    ask POST / --request-target "$way" -d "$example"
    equal "$way" 401 "$status"
done
ask GET $path
equal "the method comes first" 405 "$status"
ask POST /v2/nothing
equal "the route comes first" 404 "$status"
ask POST $path -d "$example" -H 'Content-Encoding: br'
equal "before the limits" 401 "$status"
ask GET /v2/models/onnx.ReverseSequence/config
equal "config" 401 "$status"
ask GET /v2/models/stats
refused "no header" 403 X-Admin
equal "no token is meant" "" "$(header WWW-Authenticate)"
ask GET /v2/models/stats -H 'X-Admin: open'
answered "statistics" 200
ask HEAD /metrics
equal "metrics" 403 "$status"
for open in /v2 /v2/health/live /v2/models /v2/models/openvino.Reverse; do
    ask GET $open
    equal "$open" 200 "$status"
done
stop

# The admin port is for a network of its own: what is restricted is restricted at
# the main port, and the start line says so.
admin=$(free_port)
start --admin-port="$admin" --http-restricted-api metrics,health:X-Admin=open
matches "the log" 'restricted at the main port only' "$(<"$log")"
for path in /metrics /v2/health/ready; do
    ask GET $path
    refused "$path" 403 X-Admin
    main=$url url=http://127.0.0.1:$admin
    ask GET $path
    equal "$path at the admin port" 200 "$status"
    url=$main
done
stop
start --admin-port="$admin"
succeeds "the log speaks of restrictions that there are not" \
    eval '! grep -q restricted "$log"'
stop

"$daemon" --http-port=0 --http-restricted-api infer:X=s3cret 2>"$log"
equal "exit code of a wrong rule" 1 $?
matches "a wrong rule" "'infer', but there are health" "$(<"$log")"
succeeds "the secret is in the log" eval '! grep -q s3cret "$log"'
finish
