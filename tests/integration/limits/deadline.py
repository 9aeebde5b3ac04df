"""The request's `timeout` in microseconds from arrival: 504 when it expires
before the computation starts."""

import json
import time

from question import PATH, Question
from wire import Wire, equal, finish, request


def with_timeout(question, timeout):
    document = json.loads(question.document())
    document["parameters"] = {"timeout": timeout}
    return request("POST", PATH, json.dumps(document).encode())


def late(question, timeout, seconds):
    """Sends all but the last byte of the body, waits, then sends that."""
    data = with_timeout(question, timeout)
    with Wire() as wire:
        wire.send(data[:-1])
        time.sleep(seconds)
        wire.send(data[-1:])
        return wire.reply()


def expired(what, reply):
    equal(f"{what}: status of {reply}", 504, reply.status)
    equal(f"{what}: keys", ["error"], list(reply.json()))


small = Question(1)
large = Question(2, time=100)  # past --inline-limit
for question in small, large:
    what = f"question {question.tag}"
    expired(f"{what}, 1 us", late(question, 1, 0.05))
    expired(f"{what}, 50 ms", late(question, 50_000, 0.2))
    for timeout in 0, 60_000_000:
        question.check(late(question, timeout, 0.05), f"{timeout} us, question")
finish()
