#!/bin/bash
# Inference in JSON: the examples of the operators' own documents, the shape of
# the answer, and numbers whose text is not changed.
. "$(dirname "$0")/../lib/daemon.sh"

start

# The two examples of ONNX ReverseSequence-10.
infer onnx.ReverseSequence "$example"
answered "ONNX, defaults" 200
json "ONNX, defaults" . '{"model_name":"onnx.ReverseSequence",
    "model_version":"10","outputs":[{"data":'"$example_answer"',
    "datatype":"FP32","name":"Y","shape":[4,4]}]}'
equal "ONNX: no header for binary data" "" \
    "$(header Inference-Header-Content-Length)"

infer onnx.ReverseSequence '{"parameters":{"batch_axis":0,"time_axis":1},
  "inputs":[{"name":"input","datatype":"FP32","shape":[4,4],
    "data":[[0,1,2,3],[4,5,6,7],[8,9,10,11],[12,13,14,15]]},
   {"name":"sequence_lens","datatype":"INT64","shape":[4],"data":[1,2,3,4]}]}'
answered "ONNX, batch_axis=0, time_axis=1" 200
json "ONNX, batch_axis=0, time_axis=1" '.outputs[0].data' \
    '[0,1,2,3,5,4,6,7,10,9,8,11,15,14,13,12]'

# OpenVINO: its documented examples in small shapes; documents.py has the real
# ones.
infer openvino.ReverseSequence '{"inputs":[
  {"name":"data","datatype":"INT32","shape":[2,3],"data":[1,2,3,4,5,6]},
  {"name":"seq_lengths","datatype":"INT32","shape":[2],"data":[2,3]}]}'
json "OpenVINO ReverseSequence" '.outputs[0]' \
    '{"data":[2,1,3,6,5,4],"datatype":"INT32","name":"output","shape":[2,3]}'

reverse() { # MODE AXIS-DATATYPE AXIS-SHAPE AXIS
    infer openvino.Reverse "{\"parameters\":{\"mode\":\"$1\"},\"inputs\":[
      {\"name\":\"data\",\"datatype\":\"UINT8\",\"shape\":[2,3],
       \"data\":[1,2,3,4,5,6]},
      {\"name\":\"axis\",\"datatype\":\"$2\",\"shape\":[$3],\"data\":$4}]}"
}
reverse index INT64 1 '[1]'
json "Reverse by index" '.outputs[0].data' '[3,2,1,6,5,4]'
reverse index INT8 2 '[-1,0]'
json "Reverse by index" '.outputs[0].data' '[6,5,4,3,2,1]'
reverse mask BOOL 2 '[true,false]'
json "Reverse by mask" '.outputs[0].data' '[4,5,6,1,2,3]'
reverse index INT64 0 '[]'
json "Reverse by nothing" '.outputs[0].data' '[1,2,3,4,5,6]'
python documents.py

# Graiphic: the forward pass in training, then the backward pass with its
# context.
infer graiphic.ReverseSequence '{"parameters":{"name":"flip 1"},"inputs":[
  {"name":"input","datatype":"FP32","shape":[3,2],"data":[1,2,3,4,5,6]},
  {"name":"sequence_lens","datatype":"INT64","shape":[2],"data":[3,2]}]}'
answered "forward" 200
json "forward" '.outputs[0].data' '[5,4,3,2,1,6]'
json "forward" '.parameters | keys' '["backward_context","name"]'
json "forward" '.parameters.name' '"flip 1"'
context=$(jq -r .parameters.backward_context <<<"$body")
matches "context is URL-safe" '^[A-Za-z0-9_.~-]+$' "$context"

backward() { # PARAMETERS
    infer graiphic.ReverseSequenceGrad "{\"parameters\":{$1},\"inputs\":[
      {\"name\":\"dY\",\"datatype\":\"FP32\",\"shape\":[3,2],
       \"data\":[5,4,3,2,1,6]}]}"
}
backward "\"backward_context\":\"$context\""
answered "backward" 200
json "backward" '.outputs[0]' \
    '{"data":[1,2,3,4,5,6],"datatype":"FP32","name":"dX","shape":[3,2]}'
backward "\"backward_context\":\"$context\",\"lda_coeff\":-0.5"
json "backward, scaled" '.outputs[0].data' '[-0.5,-1,-1.5,-2,-2.5,-3]'
backward "\"backward_context\":\"x$context\""
refused "backward, damaged" 400 backward_context
backward "\"backward_context\":\"$context\",\"time_axis\":0"
refused "backward, context and axes" 400 'backward_context|time_axis'
infer graiphic.ReverseSequence '{"parameters":{"training":false,
  "specified_outputs_name":["reversed"]},"inputs":[
  {"name":"input","datatype":"FP32","shape":[1,1],"data":[1]},
  {"name":"sequence_lens","datatype":"INT64","shape":[1],"data":[1]}],
  "outputs":[{"name":"reversed"}]}'
json "forward, no training" 'has("parameters")' false
json "forward, named output" '.outputs[0].name' '"reversed"'

# One column: the text of the numbers in the request and in the answer.
column() { # DATATYPE DATA [MORE]
    local commas=${2//[^,]/}
    local count=$((${#commas} + 1))

    infer onnx.ReverseSequence "{\"inputs\":[
      {\"name\":\"input\",\"datatype\":\"$1\",\"shape\":[$count,1],
       \"data\":$2},{\"name\":\"sequence_lens\",\"datatype\":\"INT64\",
       \"shape\":[1],\"data\":[$count]}]${3-}}"
}
text_is() { # DATATYPE DATA ANSWER
    column "$1" "$2"
    matches "$1 $2" "\"data\":\\[" "$body"
    equal "$1 $2" "[$3]" \
        "$(sed -E 's/.*"data":(\[[^]]*\]).*/\1/; s/ //g' <<<"$body")"
}
text_is FP32 '[0.10,1E2,-0,1e-7]' '1e-7,-0,1E2,0.10'
text_is FP64 '[3.141592653589793238462643,NaN,-Infinity]' \
    '-Infinity,NaN,3.141592653589793238462643'
text_is INT64 '[9223372036854775807,-9223372036854775808]' \
    '-9223372036854775808,9223372036854775807'
text_is UINT64 '[18446744073709551615, 0]' '0,18446744073709551615'
text_is BOOL '[true,false,false]' 'false,false,true'
text_is BYTES '["a","\u00e9","\ud83d\ude00\n",""]' \
    '"","\ud83d\ude00\n","\u00e9","a"'
text_is FP16 '[65504,6e-8]' '6e-8,65504'
text_is INT4 '[-8,7,1]' '1,7,-8'

# Optional and unknown fields of a request.
column INT8 '[1,2]' ',"id":"a \"name\"","parameters":{},"outputs":null,
    "model_name":"x","unknown":{"deep":[[{}]]}'
answered "unknown keys" 200
json "id" .id '"a \"name\""'
column INT8 '[1,2]' ',"id":"","parameters":null,"outputs":[]'
answered "nulls" 200
json "no id" 'has("id")' false
column INT8 '[1,2]' ',"id":null,"outputs":[{"name":"Y","parameters":{}}],
    "parameters":{"sequence_id":7,"sequence_start":true,"priority":1,
    "timeout":0,"binary_data_output":false,"time_axis":"0"}'
answered "ignored parameters" 200
json "keys of the output" '.outputs[0] | keys' \
    '["data","datatype","name","shape"]'
ask POST /v2/models/onnx.ReverseSequence/infer -d "$example" \
    -H 'Content-Type: application/x-www-form-urlencoded'
answered "form-encoded, as some clients say" 200
ask POST /v2/models/onnx.ReverseSequence/infer -d "$example" -H 'Content-Type:'
answered "no content type" 200
infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: gzip, deflate'
answered "a list of codings is taken as could read" 200
equal "content coding" "" "$(header Content-Encoding)"
infer onnx.ReverseSequence "$example" \
    -H "Inference-Header-Content-Length: ${#example}"
answered "the header without binary data" 200

healthy "inferences in JSON"
finish
