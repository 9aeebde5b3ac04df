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
for wrong in 'Bearer token-2' 'Bearer token-1x' 'Bearer token-' 'bearer token-1' \
    Bearer; do
    infer onnx.ReverseSequence "$example" -H "Authorization: $wrong"
    refused "$wrong" 403 Authorization
done
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
for route in {system,cuda}sharedmemory{,/region/x}/status; do
    ask GET /v2/$route
    equal "$route" 403 "$status"
done
for route in {system,cuda}sharedmemory{,/region/x}/unregister \
    {system,cuda}sharedmemory/region/x/register; do
    ask POST /v2/$route -d '{}'
    refused "$route" 403 X-Admin
done
for open in /v2 /v2/health/live /v2/models /v2/models/openvino.Reverse; do
    ask GET $open
    equal "$open" 200 "$status"
done
stop

# Files of other systems.
for bytes in '\xEF\xBB\xBFBearer token-1' '\xEF\xBB\xBFBearer token-1\r\n' \
    'Bearer token-1\r\n\r\n' 'Bearer token-1\n'; do
    # shellcheck disable=SC2059 # escapes of bytes
    printf "$bytes" >"$work/token"
    start --http-restricted-api 'inference:Authorization=@'"$work/token"
    infer onnx.ReverseSequence "$example" -H 'Authorization: Bearer token-1'
    json "the token of a file $bytes" .outputs[0].data "$example_answer"
    infer onnx.ReverseSequence "$example" -H 'Authorization: Bearer token-2'
    refused "another than that of a file $bytes" 403 Authorization
    stop
done

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

# Every route, with every method and spelling.
restrict() { # API...
    local options=()

    for api in "$@"; do
        options+=(--http-restricted-api "$api:X-$api=$api-1")
    done
    start --allow-client-shm "${options[@]}"
    python restricted.py "$@"
    stop
}
restrict health inference shared-memory model-config
restrict metadata model-repository statistics logging metrics

head -c 70000 /dev/zero | tr '\0' s >"$work/long"
while read -r text reason; do
    "$daemon" --http-port=0 --http-restricted-api "$text" 2>"$log"
    equal "exit code of $text" 1 $?
    matches "$text" "$reason" "$(<"$log")"
    succeeds "$text: the secret is in the log" \
        eval '! grep -q s3cret "$log"'
done <<EOF
inference no.HEADER=VALUE
inference:X no.HEADER=VALUE
inference:=s3cret no.HEADER=VALUE
:X=s3cret names.no.api
infer:X=s3cret 'infer',.but.there.are.health
inference:X= empty
inference:X=@$work/none none:.No.such.file
inference:X=@$work/long long:.it.has.70000.bytes,.but.the.limit.is.4096
EOF
finish
