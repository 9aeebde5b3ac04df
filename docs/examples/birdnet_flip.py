"""BirdNET's ReverseSequence: its graph turns the mel bins of each spectrogram upside down.
Usage: birdnet_flip.py [HOST:PORT]

ONNX has no reverse() of TensorFlow's kind, so tensorflow-onnx writes a Transpose, a
ReverseSequence of full lengths and a Transpose, which a runtime without ReverseSequence cannot
load. Here flipd does that node. Where the graph may change, a Slice of step -1 is best."""
import http.client, json, sys, timeit
import numpy as np
batch = np.random.default_rng(1).random((16, 511, 96), np.float32)  # clips, frames, mel bins
flipd = http.client.HTTPConnection((sys.argv + ["127.0.0.1:8000"])[1])
def by_slice():
    return np.ascontiguousarray(batch[:, :, ::-1])
def by_flipd():
    x = batch.transpose(2, 1, 0)  # the axis that is reversed comes first
    head = json.dumps({"parameters": {"binary_data_output": True}, "inputs": [
        {"name": "input", "datatype": "FP32", "shape": x.shape,
         "parameters": {"binary_data_size": x.nbytes}},
        {"name": "sequence_lens", "datatype": "INT64", "shape": [x.shape[1]],
         "data": [x.shape[0]] * x.shape[1]}]}).encode()
    flipd.request("POST", "/v2/models/onnx.ReverseSequence/infer", head + x.tobytes(),
                  {"Inference-Header-Content-Length": len(head)})
    body = (answer := flipd.getresponse()).read()
    if answer.status != 200: sys.exit(body.decode())
    return np.frombuffer(body[-x.nbytes:], np.float32).reshape(x.shape).transpose(2, 1, 0)
np.testing.assert_array_equal(by_flipd(), by_slice())
for way in by_slice, by_flipd:
    print(f"{way.__name__}: {1000 * np.median(timeit.repeat(way, number=1, repeat=21)):.2f} ms")
