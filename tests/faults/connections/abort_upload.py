"""C7: clients that disappear inside a body: RST, FIN, and FIN glued to data."""

import random
import time

from fault import Fault, pick, series, wire
from question import Question

ROUNDS = pick(300, 10000)
DICE = random.Random(7)
BODIES = [Question(1).request(), Question(2, 600, 10, 20).request(),
          Question(3, 600, 64, 16, True).request()]


def attack(daemon):
    files = wire.open_files()
    for number in range(ROUNDS):
        data = DICE.choice(BODIES)
        one = wire.Wire()
        one.send_if_open(data[:DICE.randrange(100, len(data))])
        if number % 3 == 0:
            one.reset()
        elif number % 3 == 1:
            time.sleep(0.0005)
            one.socket.close()
        else:
            one.socket.close()
    started = time.monotonic()
    wire.true("connections stay open", wire.within(
        10, lambda: wire.open_files() <= files))
    seconds = time.monotonic() - started
    wire.true("bytes are held", wire.within(
        5, lambda: series("flipd_inflight_bytes") == 0))
    return f"{ROUNDS} bodies cut off, all freed {seconds:.1f} s after the last"


Fault("C7", "abort while sending", ["--body-timeout=5"]).run(attack)
