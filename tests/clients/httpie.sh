#!/bin/bash
# httpie: JSON built from arguments, from a file and from standard input, bytes,
# .npy files, compressed bodies, and its exit codes for refusals.
#
# Usage: httpie.sh ADDRESS FOLDER PYTHON
set -uo pipefail

url=http://$1 work=$2/httpie python=$3
infer=$url/v2/models/openvino.ReverseSequence/infer
export HTTPIE_CONFIG_DIR=$work/config
. "$(dirname "$0")/check.sh"

ask() { http --ignore-stdin --body "$@"; }
status() { # METHOD URL ...: httpie's exit code and the status
    local line
    line=$(http --ignore-stdin --check-status --headers "$@" 2>"$work/err")
    echo "$? $(head -n 1 <<<"$line" | cut -d' ' -f2)"
}
data() { jq -c '.outputs[0].data'; }

mkdir -p "$work"
inputs='[{"name":"data","datatype":"INT32","shape":[2,3],"data":[[1,2,3],[4,5,6]]},
    {"name":"seq_lengths","datatype":"INT64","shape":[2],"data":[3,2]}]'
columns='[{"name":"data","datatype":"INT32","shape":[2,3],"data":[[1,2,3],[4,5,6]]},
    {"name":"seq_lengths","datatype":"INT64","shape":[3],"data":[2,1,2]}]'
echo "{\"id\":\"f\",\"inputs\":$inputs}" >"$work/ask.json"

check "a field of JSON" '[3,2,1,5,4,6]' "$(ask POST "$infer" inputs:="$inputs" | data)"
check "nested names" '[3,2,1,5,4,6]' "$(ask POST "$infer" \
    'inputs[0][name]=data' 'inputs[0][datatype]=INT32' 'inputs[0][shape]:=[2,3]' \
    'inputs[0][data]:=[1,2,3,4,5,6]' 'inputs[1][name]=seq_lengths' \
    'inputs[1][datatype]=INT64' 'inputs[1][shape][]:=2' 'inputs[1][data]:=[3,2]' | data)"
check "a file" '"f" [3,2,1,5,4,6]' \
    "$(ask POST "$infer" "@$work/ask.json" | jq -rc '(.id|tojson) + " " + (.outputs[0].data|tojson)')"
check "standard input" '[3,2,1,5,4,6]' "$(http --body POST "$infer" <"$work/ask.json" | data)"
check "attributes and keys of one's own" '[4,2,6,1,5,3]' "$(ask POST "$infer" \
    'parameters[seq_axis]:=0' 'parameters[batch_axis]:=1' 'parameters[content_type]=np' \
    'parameters[test-param]=x' inputs:="$columns" | data)"
check "a compressed body" '[3,2,1,5,4,6]' "$(ask -x --compress POST "$infer" "@$work/ask.json" | data)"
check "chunks" '[3,2,1,5,4,6]' "$(ask --chunked POST "$infer" "@$work/ask.json" | data)"

# Bytes both ways.
printf '%s' '{"inputs":[{"name":"data","datatype":"UINT8","shape":[2,3],"parameters":{"binary_data_size":6}},{"name":"seq_lengths","datatype":"UINT8","shape":[2],"parameters":{"binary_data_size":2}}],"parameters":{"binary_data_output":true}}' >"$work/head"
{ cat "$work/head"; printf 'abcdef\003\002'; } >"$work/bytes"
check "bytes" cbaedf "$(ask POST "$infer" "@$work/bytes" \
    Inference-Header-Content-Length:"$(stat -c %s "$work/head")" | tail -c 6)"

# A .npy file is the whole body, the rest is in the URL.
"$python" - "$work/x.npy" <<'END'
import sys
import numpy
numpy.save(sys.argv[1], numpy.arange(6, dtype=numpy.float32).reshape(2, 3))
END
http --ignore-stdin --download --output "$work/y.npy" POST \
    "$infer" seq_lengths==3,2 "@$work/x.npy" Content-Type:application/x-npy \
    Accept:application/x-npy >"$work/out" 2>&1
check ".npy" '[[2.0, 1.0, 0.0], [4.0, 3.0, 5.0]]' \
    "$("$python" -c 'import sys, numpy; print(numpy.load(sys.argv[1]).tolist())' "$work/y.npy" 2>&1)"

check "live" '{"live":true}' "$(ask GET "$url/v2/health/live" | jq -c .)"
check "ready" '{"ready":true}' "$(ask GET "$url/v2/health/ready" | jq -c .)"
check "model" '{"name":"flip","ready":true}' "$(ask GET "$url/v2/models/flip/ready" | jq -c .)"
check "versions" '["10"]' "$(ask GET "$url/v2/models/onnx.ReverseSequence" | jq -c .versions)"
check "index" true "$(ask POST "$url/v2/repository/index" | jq 'any(.name == "flip")')"
check "HEAD" "0 200" "$(status HEAD "$url/v2/models/flip")"
check "an empty form" "0 200" "$(status --form POST "$url/v2/repository/index")"

# Exit code 4: the client's fault; the text is the daemon's.
check "no model" "4 404" "$(status GET "$url/v2/models/none")"
check "no model: text" "Request for unknown model: 'none' " \
    "$(ask GET "$url/v2/models/none" | jq -r .error | grep -oE "^Request for unknown model: 'none' ")"
check "a mistyped attribute" "4 400" "$(status POST "$infer" 'parameters[seq_axes]:=0' inputs:="$inputs")"
check "a method" "4 405" "$(status DELETE "$infer")"
check "no body" "4 400" "$(status POST "$infer")"
check "a coding" "4 415" "$(status POST "$infer" "@$work/ask.json" Content-Encoding:br)"
check "not in this server" "5 501" "$(status POST "$url/v2/repository/models/flip/load")"
finish
