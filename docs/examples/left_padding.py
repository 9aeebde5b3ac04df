"""Left padding to right padding and back: a decoder-only model generates from prompts that end
in the last column, and is trained and scored with prompts that begin in the first one.
Usage: left_padding.py [HOST:PORT]

Code that changes sides copies row by row (ragulpr/wtte-rnn: _align_padded) or gathers. A flip
of all columns and a ReverseSequence do the same, and the flip is a mere view of NumPy."""
import http.client, json, sys, timeit
import numpy as np
lens = np.random.default_rng(1).integers(1, 513, 64)  # attention_mask.sum(1)
left = np.where(np.arange(512) < 512 - lens[:, None], 0, np.arange(64 * 512).reshape(64, 512))
def by_loop():
    right = np.zeros_like(left)
    for i, n in enumerate(lens):
        right[i, :n] = left[i, -n:]
    return right
flipd = http.client.HTTPConnection((sys.argv + ["127.0.0.1:8000"])[1])
def by_flipd(x=left[:, ::-1]):
    head = json.dumps({"parameters": {"batch_axis": 0, "time_axis": 1, "binary_data_output": True},
        "inputs": [{"name": "input", "datatype": "INT64", "shape": x.shape, "parameters":
                    {"binary_data_size": x.nbytes}}, {"name": "sequence_lens",
                    "datatype": "INT64", "shape": lens.shape, "data": lens.tolist()}]}).encode()
    flipd.request("POST", "/v2/models/onnx.ReverseSequence/infer", head + x.tobytes(),
                  {"Inference-Header-Content-Length": len(head)})
    body = (answer := flipd.getresponse()).read()
    if answer.status != 200: sys.exit(body.decode())
    return np.frombuffer(body[-x.nbytes:], np.int64).reshape(x.shape)
np.testing.assert_array_equal(by_flipd(), by_loop())
np.testing.assert_array_equal(by_flipd(by_flipd())[:, ::-1], left)
for way in by_loop, by_flipd:
    print(f"{way.__name__}: {1000 * np.median(timeit.repeat(way, number=1, repeat=21)):.2f} ms")
