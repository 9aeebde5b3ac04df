"""--max-inflight-bytes-per-address: what one address holds is refused to it, and
to no other."""

import sys

from question import Question
from wire import Wire, equal, finish, metric, true, within

limit = int(sys.argv[3])


def large(seed):
    # Entries so wide that they move without scratch memory.
    return Question(seed, time=limit * 3 // 4 // 1024, batch=2, width=128,
                    binary=True)


class Other(Wire):
    """A client with another address of the same machine."""

    def __init__(self):
        super().__init__(source="127.0.0.2")


held, refused, small, other = large(1), large(2), Question(3), large(4)
with Wire() as holder:
    data = held.request()
    holder.send(data[:-1])
    true("what is held is not in flipd_inflight_bytes",
         within(2, lambda: metric("flipd_inflight_bytes") > limit // 2))
    with Wire() as wire:
        wire.send_if_open(refused.request())
        reply = wire.reply()
        equal("a second large body: status", 503, reply.status)
        true(f"its text: {reply.body}",
             f"max-inflight-bytes-per-address, {limit}," in reply.body.decode())
    with Wire() as wire:
        wire.send(small.request())
        small.check(wire.reply(), "a small one of the address, question")
    with Other() as wire:
        wire.send(other.request())
        other.check(wire.reply(), "another address, question")
    holder.send(data[-1:])
    held.check(holder.reply(), "the one that was held, question")
    holder.send(refused.request())
    refused.check(holder.reply(), "when there is room again, question")
finish()
