"""--max-inflight-bytes: a request beyond the budget gets 503 and Retry-After;
requests within it are answered."""

import sys

from question import Question, announce
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


# A request may hold three quarters of the budget and 64 KiB. Two of nearly half
# fit beside each other, a third does not.
def large(seed):
    # Entries so wide that they move without scratch memory.
    return Question(seed, time=limit * 15 // 32 // 1024, batch=2, width=128,
                    binary=True)


first, second, third = large(1), large(2), large(3)
small = Question(4)

with Wire() as holder, Wire() as neighbour, Wire() as other:
    most, last = split(first)
    holder.send(most)
    also_most, also_last = split(second)
    neighbour.send(also_most)
    true("what is held is not in flipd_inflight_bytes",
         within(2, lambda: metric("flipd_inflight_bytes") > limit * 3 // 4))
    for _ in range(20):
        with Wire() as refused:
            refused.send_if_open(third.request())
            busy("a third large body", refused.reply())
    other.send(small.request())
    small.check(other.reply(), "a small one beside it, question")
    holder.send(last)
    first.check(holder.reply(), "the one that was held, question")
    holder.send(third.request())
    third.check(holder.reply(), "when there is room again, question")
    neighbour.send(also_last)
    second.check(neighbour.reply(), "the other one that was held, question")

# A body is refused when it is announced only if it can never fit.
fits = limit - limit // 4 + 65536
with Wire() as wire:
    wire.send(announce(fits + 1, "Expect: 100-continue"))
    reply = wire.reply()
    equal("a body of one byte more than fits: status", 413, reply.status)
    true(f"its text does not name {fits} and {limit}: {reply.body}",
         str(fits) in reply.body.decode() and str(limit) in reply.body.decode())
with Wire() as wire:
    wire.send(announce(fits, "Expect: 100-continue"))
    equal("a body that just fits: status", 100, wire.head()[0])

# A JSON answer is as long as its request; the budget counts both.
both = Question(5, time=limit // 40, batch=2, width=2)
with Wire() as wire:
    length = len(both.request())
    true(f"{length} is not between 3/8 and 3/4 of the limit",
         limit * 3 // 8 < length < limit * 3 // 4)
    wire.send_if_open(both.request())
    reply = wire.reply()
    true(f"an answer that never fits: {reply}", reply.status in (413, 503))
finish()
