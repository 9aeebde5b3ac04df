#!/bin/bash
# Inference with binary tensors, in the form of the binary data extension.
. "$(dirname "$0")/../lib/daemon.sh"

start
path=/v2/models/onnx.ReverseSequence/infer

# curl alone is enough: one file holds the document and the tensors' bytes.
cat >"$work/document" <<'END'
{"id":"7","inputs":[
 {"name":"input","datatype":"FP32","shape":[4,4],
  "parameters":{"binary_data_size":64}},
 {"name":"sequence_lens","datatype":"INT64","shape":[4],
  "parameters":{"binary_data_size":32}}],
 "outputs":[{"name":"Y","parameters":{"binary_data":true}}]}
END
python3 - "$work" <<'END'
import struct, sys
work = sys.argv[1]
data = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
answer = [3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15]
with open(work + "/request", "wb") as file:
    file.write(open(work + "/document", "rb").read())
    file.write(struct.pack("<16f4q", *data, 4, 3, 2, 1))
open(work + "/answer", "wb").write(struct.pack("<16f", *answer))
END
length=$(stat -c %s "$work/document")
ask POST $path --data-binary "@$work/request" \
    -H "Inference-Header-Content-Length: $length"
equal "binary: status ($body)" 200 "$status"
equal "binary: type" application/octet-stream "$(header Content-Type)"
split=$(header Inference-Header-Content-Length)
body=$(head -c "${split:-0}" "$work/body")
json "binary: document" . '{"id":"7","model_name":"onnx.ReverseSequence",
"model_version":"10","outputs":[{"datatype":"FP32","name":"Y",
"parameters":{"binary_data_size":64},"shape":[4,4]}]}'
tail -c +$((split + 1)) "$work/body" >"$work/tail"
succeeds "binary: the answer's bytes" cmp "$work/answer" "$work/tail"

# Bytes without the header: the error names the missing header.
ask POST $path --data-binary "@$work/request"
refused "no header" 400 Inference-Header-Content-Length
ask POST $path --data-binary "@$work/request" \
    -H "Inference-Header-Content-Length: $((length - 3))"
refused "a header inside the document" 400 byte

healthy "binary inferences"
finish
