#!/bin/bash
# Wrong requests: the status, and a text that names the fault. One connection
# serves all of them.
. "$(dirname "$0")/../lib/daemon.sh"

start

refuse() { # REGEX DOCUMENT [MODEL]
    infer "${3:-onnx.ReverseSequence}" "$2"
    refused "$2" 400 "$1"
}

# The document.
refuse 'byte 0' ''
refuse 'byte [0-9]' '{'
refuse 'byte [0-9]' '{"inputs":[}'
refuse 'byte [0-9]' '{"inputs":[]} x'
refuse 'byte [0-9]' "{'inputs':[]}"
refuse "'input' is missing" $'\xef\xbb\xbf{"inputs":[]}'
refuse 'byte [0-9]' $'{"id":"\xff"}'
refuse 'byte [0-9]|duplicate' '{"id":"a","id":"b","inputs":[]}'
refuse object '[]'
refuse 'is a number' '7'
refuse inputs '{}'
refuse 'flipd speaks version 2: POST /v2/models/.model./infer takes inputs' \
    '{"signature_name":"serving_default","instances":[[1,2],[3,4]]}'
refuse inputs '{"inputs":7}'
refuse inputs '{"inputs":{}}'
refuse inputs '{"inputs":[7]}'
refuse input '{"inputs":[]}'
refuse id '{"id":7,"inputs":[]}'
refuse parameters '{"parameters":7,"inputs":[]}'
refuse outputs '{"inputs":[],"outputs":{}}'

# A valid request with one field changed by a jq expression.
changed() { # REGEX JQ
    refuse "$1" "$(jq -c "$2" <<<"$example")"
}
changed 'sequence_lens.*missing' 'del(.inputs[1])'
changed "sequence_lens.*input|input.*'lens'" '.inputs[1].name = "lens"'
changed "inputs\[2\]|repeat" '.inputs += [.inputs[0]]'
changed 'inputs\[0\].*name' 'del(.inputs[0].name)'
changed 'inputs\[0\].*datatype' 'del(.inputs[0].datatype)'
changed 'inputs\[0\].*shape' 'del(.inputs[0].shape)'
changed 'inputs\[0\].*data' 'del(.inputs[0].data)'
changed 'datatype.*FP31.*FP32' '.inputs[0].datatype = "FP31"'
changed 'inputs\[0\]\.datatype.*did you mean FP32\?' \
    '.inputs[0].datatype = "float32"'
changed 'inputs\[1\]\.datatype.*did you mean INT64\?' \
    '.inputs[1].datatype = "int64"'
changed 'datatype' '.inputs[0].datatype = 7'
changed 'shape' '.inputs[0].shape = 16'
refuse 'shape' "${example/'[4,4]'/'[4,4.5]'}"
changed 'shape' '.inputs[0].shape = [4,"4"]'
changed 'shape' '.inputs[0].shape = [4,true]'
changed 'shape.*-4|-4' '.inputs[0].shape = [4,-4]'
changed 'shape|overflow|large' '.inputs[0].shape = [4294967296,4294967296]'
changed 'shape|overflow|large' '.inputs[0].shape = [4,4611686018427387906]'
changed '32' '.inputs[0].shape = [range(33) | 1]'
changed '16.*17|17.*16' '.inputs[0].data += [1]'
changed '16.*15|15.*16' '.inputs[0].data |= .[1:]'
changed 'data' '.inputs[0].data = "7"'
changed 'data\[3\]|\[3\]' '.inputs[0].data[3] = "7"'
changed 'data\[3\]|\[3\]' '.inputs[0].data[3] = true'
changed 'data\[3\]|\[3\]' '.inputs[0].data[3] = null'
changed '\[5\].*300|300.*\[5\]' \
    '.inputs[0].datatype = "INT8" | .inputs[0].data[5] = 300'
changed '\[5\]' '.inputs[0].datatype = "UINT8" | .inputs[0].data[5] = -1'
changed '\[5\]' '.inputs[0].datatype = "INT32" | .inputs[0].data[5] = 1.5'
changed '\[5\]' '.inputs[0].data[5] = 1e39'
changed '\[5\]' '.inputs[0].datatype = "FP16" | .inputs[0].data[5] = 65520'
changed 'binary' '.inputs[0].datatype = "FP8_E4M3"'
changed 'sequence_lens.*INT64' '.inputs[1].datatype = "INT32"'
changed 'sequence_lens.*3.*4|sequence_lens.*4.*3' \
    '.inputs[1].shape = [3] | .inputs[1].data = [1,2,3]'
changed 'axis 1 has 2; they would fit batch_axis 0 and time_axis 1' \
    '.inputs[0].shape = [4,2,2] | .inputs[1].data = [2,1,0,2]'
changed 'sequence_lens\[2\] is 5.*4' '.inputs[1].data[2] = 5'
changed 'sequence_lens\[0\] is -1' '.inputs[1].data[0] = -1'
changed 'sequence_lens.*rank' '.inputs[1].shape = [2,2]'
changed 'rank' '.inputs[0].shape = [16]'
changed 'time_axis.*2|2.*time_axis' '.parameters.time_axis = 2'
changed 'batch_axis' '.parameters.batch_axis = -1'
changed 'axis' '.parameters.batch_axis = 0'
changed 'time_axis' '.parameters.time_axis = "one"'
changed 'time_axis' '.parameters.time_axis = 1.5'
changed 'time_axes.*time_axis' '.parameters.time_axes = 1'
changed 'seq_axis.*time_axis' '.parameters.seq_axis = 1'
changed 'triton_enable' '.parameters.triton_enable_empty_final_response = true'
changed 'timeout' '.parameters.timeout = -1'
changed 'timeout' '.parameters.timeout = "soon"'
changed 'binary_data_output' '.parameters.binary_data_output = 1'
changed 'outputs\[0\].*X.*Y' '.outputs = [{"name":"X"}]'
changed 'outputs\[1\]' '.outputs = [{"name":"Y"},{"name":"Y"}]'
changed 'binary_data' '.outputs = [{"name":"Y","parameters":{"binary_data":1}}]'
changed 'classification' \
    '.outputs = [{"name":"Y","parameters":{"classification":3}}]'
changed 'byte|0x|neither|malformed|\[0\]' '.inputs[0].data[0] = {}'

reverse='{"inputs":[{"name":"data","datatype":"FP32","shape":[2],"data":[1,2]},
    {"name":"axis","datatype":"INT64","shape":[1],"data":[0]}]}'
refuse 'mode.*index.*mask' "$reverse" openvino.Reverse
refuse 'mode.*both' "$(jq '.parameters.mode = "both"' <<<"$reverse")" \
    openvino.Reverse
refuse 'axis\[0\] is 1' "$(jq '.parameters.mode = "index" |
    .inputs[1].data = [1]' <<<"$reverse")" openvino.Reverse
refuse 'axis.*BOOL' "$(jq '.parameters.mode = "mask"' <<<"$reverse")" \
    openvino.Reverse

# Shared memory is off: inputs and outputs in it get 501.
shm='{"shared_memory_region":"r","shared_memory_byte_size":64}'
infer onnx.ReverseSequence "$(jq -c "del(.inputs[0].data) |
    .inputs[0].parameters = $shm" <<<"$example")"
refused "input in shared memory" 501 'shared memory'
infer onnx.ReverseSequence "$(jq -c \
    ".outputs = [{\"name\":\"Y\",\"parameters\":$shm}]" <<<"$example")"
refused "output in shared memory" 501 'shared memory'

# Deep nesting, long names.
deep=$(printf '[%.0s' {1..5000})
refuse . "{\"inputs\":$deep"
refuse . "{\"inputs\":[],\"x\":$deep"
infer onnx.ReverseSequence "$(jq -c --arg id "$(printf 'x%.0s' {1..100000})" \
    '.id = $id' <<<"$example")"
answered "a long id" 200

# Expect: 100-continue is the only known value.
infer onnx.ReverseSequence "$example" -H 'Expect: 100-continue'
answered "Expect: 100-continue" 200
infer onnx.ReverseSequence "$example" -H 'Expect: tea'
refused "Expect: tea" 417 100-continue

# An error keeps the connection open.
python errors.py
healthy "errors"
stop

start --cors-allow-origin http://a.example \
    --http-restricted-api 'logging:Authorization=Bearer x'
python error_headers.py
healthy "errors in all forms"
finish
