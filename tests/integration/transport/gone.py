"""A client that closes while a worker compresses its answer: the worker stops.
Compressing 64 MiB of noise takes a second or more."""

import os
import time

from question import column
from wire import Wire, cpu_seconds, finish, metric, true, within, SCALE

PENDING = ('nv_inference_pending_request_count{'
           'model="onnx.ReverseSequence",version="10"}')
ROWS = 1 << 24

with Wire() as wire:
    wire.send(column("FP32", ROWS, os.urandom(4 * ROWS),
                     ["Accept-Encoding: gzip"]))
    true("no worker has the request",
         within(5, lambda: metric(PENDING) == 1))
    time.sleep(0.1)
spent = cpu_seconds()
true("the worker does not end", within(10, lambda: metric(PENDING) == 0))
spent = cpu_seconds() - spent
true(f"{spent:.2f} s of processor time for a client that has gone",
     spent < 0.5 * SCALE)
finish()
