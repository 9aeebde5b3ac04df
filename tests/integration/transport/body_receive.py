"""Large bodies in a row on one connection, received in pieces of all kinds:
each ends where it should, and the request behind it is answered too."""

import random

from question import Question
from wire import Wire, finish

rng = random.Random(5)
# Around the sizes that are received differently; the last is small.
times = [1000, 1365, 1366, 1400, 2048, 20000, 65536, 100000, 3]
questions = [Question(tag, time=time, batch=2, width=3, binary=True)
             for tag, time in enumerate(times)]


def ask(step):
    """All requests are sent without waiting for an answer."""
    data = b"".join(q.request() for q in questions)
    with Wire() as wire:
        wire.send_and_take(data, step)
        for question in questions:
            question.check(wire.reply(), f"in steps of {step}, question")


for step in (1 << 30, 1 << 16, 9999):
    ask(step)

# Only the last byte comes later, or the first of the next request sooner.
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
