"""Large bodies in sequence on one connection, sent in pieces of many sizes:
each ends at its length, and the next request is answered too."""

import random

from question import Question
from wire import Wire, finish

rng = random.Random(5)
# Sizes around the thresholds of the direct receive; the last is below them.
times = [1000, 1365, 1366, 1400, 2048, 20000, 65536, 100000, 3]
questions = [Question(tag, time=time, batch=2, width=3, binary=True)
             for tag, time in enumerate(times)]


def ask(step):
    """Sends all requests without waiting for an answer."""
    data = b"".join(q.request() for q in questions)
    with Wire() as wire:
        wire.send_and_receive(data, step)
        for question in questions:
            question.check(wire.reply(), f"in steps of {step}, question")


for step in (1 << 30, 1 << 16, 9999):
    ask(step)

# The end of a request arrives together with the start of the next.
for question in questions * 2:
    data = question.request()
    cut = rng.choice([1, 2, 3, 100])
    with Wire() as wire:
        wire.send(data[:-cut])
        wire.send(data[-cut:] + data[:cut])
        question.check(wire.reply(), f"cut {cut} before its end, question")
        wire.send(data[cut:])
        question.check(wire.reply(), f"and once more, question")
finish()
