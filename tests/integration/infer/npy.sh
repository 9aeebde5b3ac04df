#!/bin/bash
# .npy requests and answers: datatypes, versions and errors; curl alone is a
# client.
. "$(dirname "$0")/../lib/daemon.sh"

start
python npy.py "$work/x.npy"
curl -sS --data-binary "@$work/x.npy" -H 'Content-Type: application/x-npy' \
    -o "$work/y.npy" "${curl_to[@]}" \
    "$url/v2/models/onnx.ReverseSequence/infer?sequence_lens=4,3,2,1&time_axis=0"
succeeds "curl's answer" cmp "$work/y.npy" "$work/x.npy.want"
healthy ".npy files"
finish
