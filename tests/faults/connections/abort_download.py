"""C8: clients that reset while their request waits, runs or is answered. Each
request is counted exactly once."""

import random
import re
import time

from fault import Fault, pick, series, wire
from question import Question

ROUNDS = pick(300, 10000)
DICE = random.Random(8)
REQUESTS = [Question(2, 300, 10, 20).request(),
            Question(3, 2000, 64, 4, True).request()]
SERIES = re.compile(r'^nv_inference_request_(?:success|failure)'
                    r'\{model="onnx.ReverseSequence"[^}]*\} (\d+)$', re.M)


def counted():
    text = wire.ask("GET", "/metrics").body.decode()
    return sum(int(value) for value in SERIES.findall(text))


def attack(daemon):
    files, before = wire.open_files(), counted()
    for number in range(ROUNDS):
        one = wire.Wire(receive_buffer=4096)
        one.send_if_open(REQUESTS[number % 2])
        time.sleep(DICE.choice((0, 0, 0.0003, 0.001, 0.003)))
        if number % 5 == 4:
            try:
                one.more()
            except wire.Closed:
                pass
        one.reset()
    wire.true("connections stay open", wire.within(
        10, lambda: wire.open_files() <= files))
    wire.true("bytes are held", wire.within(
        5, lambda: series("flipd_inflight_bytes") == 0))
    times = counted() - before
    wire.true(f"{ROUNDS} requests are counted {times} times",
              0 < times <= ROUNDS)
    return f"{ROUNDS} answers reset, {times} requests counted"


Fault("C8", "abort while answered", ["--inline-limit=20000",
                                     "--body-timeout=600"]).run(attack)
