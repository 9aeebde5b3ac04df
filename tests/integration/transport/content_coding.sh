#!/bin/bash
# Compressed requests and answers: known codings, limits, errors. tests/server/work
# asks for the names, and for what Accept-Encoding chooses.
. "$(dirname "$0")/../lib/daemon.sh"

start --http-max-input-size 3000000
python content_coding.py
healthy "compression"
stop

for policy in always never; do
    start --http-response-compression $policy
    infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: br, gzip;q=0.5'
    coding=$(header Content-Encoding)
    [ $policy != always ] || equal "always: beside others" gzip "$coding"
    [ $policy != never ] || equal "never" "" "$coding"
    stop
done
finish
