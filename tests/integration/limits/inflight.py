"""--max-inflight-bytes: a request beyond the budget gets 503 and Retry-After;
requests within it are answered."""

import sys

from question import Question
from wire import Wire, equal, finish, metric, true, within

limit = int(sys.argv[3])


def split(question):
    """Returns the request without its last byte, and that byte."""
    data = question.request()
    return data[:-1], data[-1:]


def busy(what, reply):
    equal(f"{what}: status of {reply}", 503, reply.status)
    true(f"{what}: Retry-After is {reply.header('retry-after')}",
         (reply.header("retry-after") or "").isdigit())
    equal(f"{what}: keys", ["error"], list(reply.json()))


# Three quarters of the budget each.
first = Question(1, time=limit * 3 // 4 // 32, batch=2, width=4, binary=True)
second = Question(2, time=limit * 3 // 4 // 32, batch=2, width=4, binary=True)
small = Question(3)

with Wire() as holder, Wire() as other:
    most, last = split(first)
    holder.send(most)
    true("what is held is not in flipd_inflight_bytes",
         within(2, lambda: metric("flipd_inflight_bytes") > limit // 2))
    for _ in range(20):
        with Wire() as refused:
            refused.send_if_open(second.request())
            busy("a second large body", refused.reply())
    other.send(small.request())
    small.check(other.reply(), "a small one beside it, question")
    holder.send(last)
    first.check(holder.reply(), "the one that was held, question")
    holder.send(second.request())
    second.check(holder.reply(), "when there is room again, question")

# A JSON answer is as long as its request; the budget counts both.
both = Question(4, time=limit // 40, batch=2, width=2)
with Wire() as wire:
    length = len(both.request())
    true(f"{length} is not between half of the limit and the limit",
         limit // 2 < length < limit)
    wire.send_if_open(both.request())
    reply = wire.reply()
    true(f"an answer that never fits: {reply}", reply.status in (413, 503))
finish()
