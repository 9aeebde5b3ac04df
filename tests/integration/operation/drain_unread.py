"""A request on a connection kept alive, unread when the daemon looks which
clients are idle at its stop: it gets its answer. The daemon's only loop executes
a large request meanwhile, so it looks before it reads. Exit code 2: all were
closed already, or the loop was done before all had asked."""

import json
import os
import signal
import sys
import time

from question import PATH, Question, all_answered
from wire import SCALE, Wire, finish, pid, queues, request, true, within

COUNT = 8
TIME, BATCH = 4 << 20, 16  # 64 MiB, answered as JSON: half a second


def large():
    size = TIME * BATCH
    document = json.dumps({"inputs": [
        {"name": "input", "datatype": "UINT8", "shape": [TIME, BATCH],
         "parameters": {"binary_data_size": size}},
        {"name": "sequence_lens", "datatype": "INT64", "shape": [BATCH],
         "data": [TIME] * BATCH}]}).encode()
    return request("POST", PATH, document + bytes(range(256)) * (size // 256), [
        f"Inference-Header-Content-Length: {len(document)}"])


def ask(wire, tag):
    question = Question(tag)
    wire.send(question.request())
    return question


with Wire() as busy:
    data = large()
    busy.send(data[:-1])
    time.sleep(0.2 * SCALE)
    waiting = [Wire() for _ in range(COUNT)]
    for number, wire in enumerate(waiting):
        ask(wire, number).check(wire.reply(), "before")
    os.kill(pid, signal.SIGTERM)
    time.sleep(0.02)
    busy.send(data[-1:])
    true("the large request is not read",
         within(1, lambda: queues(busy)[1] == 0))
    # Clients are refused for 100 ms, and idle after as long.
    time.sleep(0.12)
    waiting = [wire for wire in waiting if wire.silent(0.001)]
    asked = [(wire, ask(wire, number)) for number, wire in enumerate(waiting)]
    if not asked or not busy.silent(0.001):
        sys.exit(2)
    all_answered(asked)
finish()
