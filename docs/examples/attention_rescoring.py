"""Attention rescoring: a second decoder reads each hypothesis from its last token to its first.
Usage: attention_rescoring.py [HOST:PORT]

Four of WeNet's six repositories for Triton (wenet-e2e/wenet, runtime/gpu) make that batch in a
loop of Python. Here flipd makes it of the forward batch. Start and end are one symbol there."""
import http.client, json, sys, timeit
import numpy as np
SYMBOL, random = 4232, np.random.default_rng(1)
lens = random.integers(2, 63, 64 * 10).tolist()  # 64 utterances, 10 hypotheses of each
hyps = [random.integers(SYMBOL, size=size - 2).tolist() for size in lens]
def by_loop(step=-1):
    batch = np.full((len(hyps), max(lens)), SYMBOL)
    for row, size, hyp in zip(batch, lens, hyps):
        row[:size] = [SYMBOL] + hyp[::step] + [SYMBOL]
    return batch
forward, flipd = by_loop(1), http.client.HTTPConnection((sys.argv + ["127.0.0.1:8000"])[1])
def by_flipd():
    head = json.dumps({"parameters": {"batch_axis": 0, "time_axis": 1, "binary_data_output": True},
        "inputs": [{"name": "input", "datatype": "INT64", "shape": forward.shape,
                    "parameters": {"binary_data_size": forward.nbytes}}, {"name": "sequence_lens",
                    "datatype": "INT64", "shape": [len(lens)], "data": lens}]}).encode()
    flipd.request("POST", "/v2/models/onnx.ReverseSequence/infer", head + forward.tobytes(),
                  {"Inference-Header-Content-Length": len(head)})
    body = (answer := flipd.getresponse()).read()
    if answer.status != 200: sys.exit(body.decode())
    return np.frombuffer(body[-forward.nbytes:], np.int64).reshape(forward.shape)
np.testing.assert_array_equal(by_flipd(), by_loop())
for way in by_loop, by_flipd:
    print(f"{way.__name__}: {1000 * np.median(timeit.repeat(way, number=1, repeat=21)):.2f} ms")
