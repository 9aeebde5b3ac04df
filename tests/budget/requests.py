"""The fixed requests whose cost is kept: the same bytes every time."""

import json
import random
import struct

ONNX = "onnx.ReverseSequence"
GRADIENT = "graiphic.ReverseSequenceGrad"


def values(datatype, count):
    rng = random.Random(1)
    if datatype == "BYTES":
        return ["fifteen letters"[:rng.randrange(16)] for _ in range(count)]
    if datatype == "INT64":
        return [rng.randrange(-2**31, 2**31) for _ in range(count)]
    # What clients write: up to nine digits, both signs.
    return [float(f"{rng.uniform(-1, 1):.9g}") for _ in range(count)]


def packed(datatype, data):
    if datatype == "BYTES":
        return b"".join(struct.pack("<I", len(s)) + s
                        for s in map(str.encode, data))
    return struct.pack(f"<{len(data)}{'q' if datatype == 'INT64' else 'f'}",
                       *data)


def nest(data, shape):
    for width in reversed(shape[1:]):
        data = [data[i:i + width] for i in range(0, len(data), width)]
    return data


def infer(shape, datatype="FP32", form="json", to="json", model=ONNX,
          batch_first=False, nested=False, texts=None, **parameters):
    """The file budget_answer reads. The lengths are ragged."""
    batch, time = shape[:2] if batch_first else shape[1::-1]
    rng = random.Random(7)
    count = 1
    for width in shape:
        count *= width
    data = (texts * count)[:count] if texts else values(datatype, count)
    tail = packed(datatype, data) if form == "binary" else b""
    if batch_first:
        parameters.update(batch_axis=0, time_axis=1)
    one = {"name": "dY" if model == GRADIENT else "input",
           "datatype": datatype, "shape": shape}
    if tail:
        one["parameters"] = {"binary_data_size": len(tail)}
    else:
        one["data"] = nest(data, shape) if nested else data
    head = json.dumps({
        "inputs": [one, {"name": "sequence_lens", "datatype": "INT64",
                         "shape": [batch],
                         "data": [rng.randrange(time + 1)
                                  for _ in range(batch)]}],
        "parameters": {"binary_data_output": to == "binary", **parameters},
    }, separators=(",", ":")).encode()
    line = f"POST /v2/models/{model}/infer"
    if tail:
        line += f" {len(head)}"
    return line.encode() + b"\n" + head + tail


def get(path):
    return f"GET {path}\n".encode()


BOTH = {"form": "binary", "to": "binary"}

# Escapes, characters of one to four bytes, no characters.
TEXTS = ["say \"no\"\n", "\x01\t\\", "abcd", "Привет", "漢字仮名", "😀😁", ""]

REQUESTS = {
    "json_256": infer([2, 2]),
    "binary_4k": infer([256, 4], **BOTH),
    "json_64k": infer([128, 4, 10]),
    "json_64k_nested": infer([128, 4, 10], nested=True),
    "json_64k_elements": infer([1280, 4]),
    "json_12k_int64": infer([256, 4], "INT64"),
    "lens_time_major_64k": infer([128, 128], **BOTH),
    "lens_batch_major_64k": infer([128, 128], batch_first=True, **BOTH),
    "lens_rows_64k": infer([64, 4, 64], **BOTH),
    "json_to_binary_16k": infer([128, 4, 3], to="binary"),
    "binary_to_json_16k": infer([128, 4, 3], form="binary"),
    "bytes_json": infer([128, 4], "BYTES"),
    "bytes_to_json": infer([128, 4], "BYTES", form="binary", texts=TEXTS),
    "bytes_binary": infer([128, 4], "BYTES", **BOTH),
    "gradient_scaled_4k": infer([256, 4], model=GRADIENT, lda_coeff=0.5,
                                **BOTH),
    "metadata_server": get("/v2"),
    "metadata_model": get(f"/v2/models/{ONNX}"),
    # It is compared with all names; so short that an operator more costs below 5 %.
    "not_found": get("/v2/models/x"),
}
