#!/bin/bash
# Inference in JSON: the shape of the answer, a context that is given back, and
# numbers whose text is not changed.
. "$(dirname "$0")/../lib/daemon.sh"

start

# An example of ONNX ReverseSequence-10.
infer onnx.ReverseSequence "$example"
answered "ONNX, defaults" 200
json "ONNX, defaults" . '{"model_name":"onnx.ReverseSequence",
    "model_version":"10","outputs":[{"data":'"$example_answer"',
    "datatype":"FP32","name":"Y","shape":[4,4]}]}'
equal "ONNX: no header for binary data" "" \
    "$(header Inference-Header-Content-Length)"

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
backward "\"backward_context\":\"x$context\""
refused "backward, damaged" 400 backward_context

# One column: the text of the numbers in the request and in the answer.
text_is() { # DATATYPE COUNT DATA ANSWER
    infer onnx.ReverseSequence "{\"inputs\":[
      {\"name\":\"input\",\"datatype\":\"$1\",\"shape\":[$2,1],
       \"data\":$3},{\"name\":\"sequence_lens\",\"datatype\":\"INT64\",
       \"shape\":[1],\"data\":[$2]}]}"
    equal "$1 $3" "$4" "$(sed -E 's/.*"data":(\[[^]]*\]).*/\1/; s/ //g' <<<"$body")"
}
text_is FP32 4 '[0.10,1E2,-0,1e-7]' '[1e-7,-0,1E2,0.10]'
text_is BYTES 4 '["a","\u00e9","\ud83d\ude00\n",""]' \
    '["","\ud83d\ude00\n","\u00e9","a"]'

# Headers that some clients send.
ask POST /v2/models/onnx.ReverseSequence/infer -d "$example" \
    -H 'Content-Type: application/x-www-form-urlencoded'
answered "form-encoded, as some clients say" 200
ask POST /v2/models/onnx.ReverseSequence/infer -d "$example" -H 'Content-Type:'
answered "no content type" 200
infer onnx.ReverseSequence "$example" -H 'Accept-Encoding: gzip, deflate'
answered "a list of codings is taken as could read" 200
equal "content coding" "" "$(header Content-Encoding)"

healthy "inferences in JSON"
finish
