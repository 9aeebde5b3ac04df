#!/bin/bash
# Wrong requests: the status, and a text that names the fault. One connection
# serves all of them. tests/api asks for the fault of every field and operator.
. "$(dirname "$0")/../lib/daemon.sh"

start

refuse() { # REGEX DOCUMENT
    infer onnx.ReverseSequence "$2"
    refused "$2" 400 "$1"
}
refuse 'byte 0' ''
refuse 'byte [0-9]' '{"inputs":[}'
refuse 'inputs is missing' '{}'

# A valid request with one field changed by a jq expression.
changed() { # REGEX JQ
    refuse "$1" "$(jq -c "$2" <<<"$example")"
}
changed 'sequence_lens.*missing' 'del(.inputs[1])'
changed 'data\[3\]' '.inputs[0].data[3] = "7"'
changed 'sequence_lens\[2\] is 5.*4' '.inputs[1].data[2] = 5'
changed 'time_axis' '.parameters.time_axis = "one"'
changed 'outputs\[0\].*X.*Y' '.outputs = [{"name":"X"}]'

# Shared memory is off.
infer onnx.ReverseSequence "$(jq -c 'del(.inputs[0].data) | .inputs[0].parameters =
    {"shared_memory_region":"r","shared_memory_byte_size":64}' <<<"$example")"
refused "input in shared memory" 501 'shared memory'

# A worker's stack holds any nesting.
refuse . "{\"inputs\":$(printf '[%.0s' {1..5000})"

# Expect: 100-continue is the only known value.
infer onnx.ReverseSequence "$example" -H 'Expect: 100-continue'
answered "Expect: 100-continue" 200

# An error keeps the connection open.
python errors.py
healthy "errors"
stop

start --cors-allow-origin http://a.example \
    --http-restricted-api 'logging:Authorization=Bearer x'
python error_headers.py
healthy "errors in all forms"
finish
