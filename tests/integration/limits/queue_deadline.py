"""--worker-count=1: a request in the queue gets its 504 when its `timeout`
expires, not when the worker dequeues it."""

import json
import threading
import time

from question import PATH, Question
from wire import Wire, equal, finish, metric, request, true, within

TIMEOUT_US = 20_000
CANCELED = ('nv_inference_request_failure{model="onnx.ReverseSequence",'
            'version="10",reason="CANCELED"}')
PENDING = ('nv_inference_pending_request_count{'
           'model="onnx.ReverseSequence",version="10"}')


def with_timeout(question, timeout, first, headers=()):
    """Puts the parameter before (`first`) or after the inputs of the document,
    which is short if the inputs are binary."""
    length, body = question.body()
    document = json.loads(body[:length])
    parameters = {**document.pop("parameters", {}), "timeout": timeout}
    if first:
        document = {"parameters": parameters, **document}
    else:
        document["parameters"] = parameters
    head = json.dumps(document).encode()
    lengths = [f"Inference-Header-Content-Length: {len(head)}"]
    return request("POST", PATH, head + body[length:],
                   [*headers, *(lengths if question.binary else [])])


class Asker(threading.Thread):
    """Sends at once; a thread waits for the answer."""

    def __init__(self, data):
        super().__init__()
        self.wire = Wire()
        self.wire.send(data)
        self.start()

    def run(self):
        self.reply = self.wire.reply()
        self.ended = time.monotonic()


# Compression is slow: these keep the worker busy for half a second, or for many
# beside a busy neighbour. A request
# that waits for all of them is dequeued after the last but one.
# The late ones run as long as they: short requests would pass the busy ones.
GZIP = ["Accept-Encoding: gzip"]
busy = Question(8, 10_000, 10, 10).request(GZIP)
late = [with_timeout(Question(n, 20_000, 10, 10, True), TIMEOUT_US, n < 2, GZIP)
        for n in range(4)]
patient = Question(9, 200, 5, 20)
before = metric(CANCELED)
busy = [Asker(busy) for _ in range(8)]
# A timeout that expires later is watched before the short ones.
calm = Asker(with_timeout(patient, 600_000_000, False))
late = [Asker(data) for data in late]
waited = within(3, lambda: metric(PENDING) > 0)
true(f"pending while the worker is busy: {metric(PENDING)}", waited)
for asker in [*late, *busy, calm]:
    asker.join()
for asker in busy:
    equal(f"a busy one: {asker.reply}", 200, asker.reply.status)
limit = sorted(asker.ended for asker in busy)[-2]
patient.check(calm.reply, "after the late ones, question")
for number, asker in enumerate(late):
    equal(f"late {number}: {asker.reply}", 504, asker.reply.status)
    true(f"late {number} was told {asker.ended - limit:.3f} s after the "
         "last but one that kept it waiting", asker.ended < limit)
true(f"CANCELED: {metric(CANCELED)}, before {before}",
     within(3, lambda: metric(CANCELED) == before + len(late)))

true(f"pending afterwards: {metric(PENDING)}",
     within(3, lambda: metric(PENDING) == 0))

# Their connections still serve.
for asker in [*late, calm]:
    again = Question(20)
    asker.wire.send(again.request())
    again.check(asker.wire.reply(), "afterwards, question")
    asker.wire.socket.close()


def client(number, statuses):
    """Timeouts near the time in the queue: the timer and the worker race."""
    with Wire() as wire:
        for step in range(40):
            question = Question(number * 100 + step, 200, 5, 20, step % 2 == 1)
            wire.send(with_timeout(question, 100 << step % 16, step % 4 < 2))
            reply = wire.reply()
            statuses.append(reply.status)
            if reply.status != 504:
                question.check(reply, "racing, question")


statuses = []
clients = [threading.Thread(target=client, args=(n, statuses))
           for n in range(12)]
for thread in clients:
    thread.start()
for thread in clients:
    thread.join()
equal("answers to racing requests", 12 * 40, len(statuses))
true(f"only {set(statuses)}", {200, 504} == set(statuses))
finish()
