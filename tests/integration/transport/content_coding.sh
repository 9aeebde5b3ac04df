#!/bin/bash
# Compressed requests and answers: known codings, limits, errors.
. "$(dirname "$0")/../lib/daemon.sh"

path=/v2/models/onnx.ReverseSequence/infer
start --http-max-input-size 3000000
python content_coding.py
ask GET /metrics -H 'Accept-Encoding: gzip'
equal "a scraper's coding" gzip "$(header Content-Encoding)"
succeeds "metrics are no gzip" gzip -t <"$work/body"
ask HEAD /v2 -H 'Accept-Encoding: gzip'
equal "HEAD" 200 "$status"
healthy "compression"
stop

start --http-response-compression always
infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: br, gzip;q=0.5, deflate'
equal "always: beside others" gzip "$(header Content-Encoding)"
infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: *'
equal "always: any" gzip "$(header Content-Encoding)"
infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: gzip;q=0, *'
equal "always: any but gzip" "" "$(header Content-Encoding)"
infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: gzip;q=0.1, *;q=0.7'
equal "always: any, with gzip among them" gzip "$(header Content-Encoding)"
infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: deflate'
equal "always: only another" "" "$(header Content-Encoding)"
infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: gzip;q=0, br'
equal "always: none" "" "$(header Content-Encoding)"
infer onnx.ReverseSequence "$example"
equal "always: not asked for" "" "$(header Content-Encoding)"
stop

start --http-response-compression never
infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: gzip'
equal "never" "" "$(header Content-Encoding)"
json "never" '.outputs[0].data' "$example_answer"
finish
