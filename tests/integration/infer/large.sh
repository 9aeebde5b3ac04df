#!/bin/bash
# Large tensors are exact: 64 MiB in binary, a million numbers as text, many
# requests at a time.
. "$(dirname "$0")/../lib/daemon.sh"

start
path=/v2/models/onnx.ReverseSequence/infer

# A file of 64 MiB and the digest of its answer's bytes, made by python.
python large.py make 64 "$work/request" >"$work/made"
read -r length digest original <"$work/made"

there_and_back() { # CURL-OPTION...
    local split

    ask POST $path --data-binary "@$work/request" \
        -H "Inference-Header-Content-Length: $length" "$@"
    equal "64 MiB $*: status ($(head -c 300 <<<"$body"))" 200 "$status"
    split=$(header Inference-Header-Content-Length)
    tail -c +$((split + 1)) "$work/body" >"$work/tail"
    equal "64 MiB $*: digest" "$digest" \
        "$(sha256sum <"$work/tail" | cut -d' ' -f1)"
}
there_and_back
there_and_back -H 'Transfer-Encoding: chunked' -H 'Expect:'

# Two reversals give the original.
head -c "$length" "$work/request" | cat - "$work/tail" >"$work/again"
ask POST $path --data-binary "@$work/again" \
    -H "Inference-Header-Content-Length: $length"
split=$(header Inference-Header-Content-Length)
equal "64 MiB twice: digest" "$original" \
    "$(tail -c +$((split + 1)) "$work/body" | sha256sum | cut -d' ' -f1)"

python transport/body_receive.py
python transport/sliced_send.py
python million.py
healthy "large tensors"
finish
