"""C4: twice as many silent connections as there may be, and one client more."""

import time

from crowd import Crowd
from fault import Fault, pick, wire
from question import Question

LIMIT = pick(200, 4000)


def served(what, patience):
    question = Question(5)
    started = time.monotonic()
    with wire.Wire() as other:
        other.socket.settimeout(wire.BUSY + patience * wire.SCALE)
        other.send(question.request())
        try:
            question.check(other.reply(), what)
        except wire.Closed as closed:
            wire.fail(f"{what}: {closed}")
    return (time.monotonic() - started) * 1000


def attack(daemon):
    with Crowd("127.0.0.2") as crowd:
        crowd.open(2 * LIMIT)
        time.sleep(0.5)
        beside = served("beside the crowd", 20)
        left = len(crowd.members)
    after = served("after the crowd", 5)
    return (f"{2 * LIMIT} connections at a limit of {LIMIT}, {left} open; "
            f"another client is served after {beside:.0f} ms, and "
            f"{after:.0f} ms when they have gone")


Fault("C4", "connections over the limit",
      [f"--max-connections={LIMIT}"]).run(attack)
