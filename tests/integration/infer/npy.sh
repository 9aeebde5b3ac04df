#!/bin/bash
# An .npy file in the body and in the answer: curl alone is a client.
. "$(dirname "$0")/../lib/daemon.sh"

start
python3 - "$work" <<'END'
import struct, sys
head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }"
head = b"\x93NUMPY\1\0v\0" + head.ljust(117) + b"\n"
data = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
answer = [3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15]
with open(sys.argv[1] + "/request", "wb") as file:
    file.write(head + struct.pack("<16f", *data))
with open(sys.argv[1] + "/answer", "wb") as file:
    file.write(head + struct.pack("<16f", *answer))
END
post() { # QUERY [CURL-OPTION...]
    local path="/v2/models/onnx.ReverseSequence/infer?$1"

    shift
    ask POST "$path" --data-binary "@$work/request" "$@" \
        -H 'Content-Type: application/x-npy'
}
post 'sequence_lens=4,3,2,1&time_axis=0'
equal ".npy: status ($body)" 200 "$status"
equal ".npy: type" application/x-npy "$(header Content-Type)"
succeeds ".npy: the answer's bytes" cmp "$work/answer" "$work/body"

post 'sequence_lens=4,3,2,1&id=a%20b' -H 'Accept: application/json'
answered ".npy, JSON wanted" 200
json ".npy, JSON wanted" '[.id, .outputs[0].data]' "[\"a b\",$example_answer]"
post 'sequence_lens=2,x,1,1'
refused ".npy, query" 400 'sequence_lens\[1\] in the query'

healthy ".npy files"
finish
