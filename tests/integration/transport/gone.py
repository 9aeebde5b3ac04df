"""A client that closes while a worker compresses its answer: the worker stops.
Compressing 64 MiB of noise takes a second or more."""

import json
import os
import time

from question import PATH
from wire import Wire, cpu_seconds, finish, metric, request, true, within, SCALE

PENDING = ('nv_inference_pending_request_count{'
           'model="onnx.ReverseSequence",version="10"}')
ROWS = 1 << 24

head = json.dumps({
    "inputs": [
        {"name": "input", "datatype": "FP32", "shape": [ROWS, 1],
         "parameters": {"binary_data_size": 4 * ROWS}},
        {"name": "sequence_lens", "datatype": "INT64", "shape": [1],
         "data": [ROWS]}],
    "parameters": {"binary_data_output": True}}).encode()
with Wire() as wire:
    wire.send(request("POST", PATH, head + os.urandom(4 * ROWS), [
        f"Inference-Header-Content-Length: {len(head)}",
        "Accept-Encoding: gzip"]))
    true("no worker has the request",
         within(5, lambda: metric(PENDING) == 1))
    time.sleep(0.1)
spent = cpu_seconds()
true("the worker does not end", within(10, lambda: metric(PENDING) == 0))
spent = cpu_seconds() - spent
true(f"{spent:.2f} s of processor time for a client that has gone",
     spent < 0.5 * SCALE)
finish()
