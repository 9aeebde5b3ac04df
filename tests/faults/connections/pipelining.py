"""C9: 200 requests of all kinds in one write, cut at a byte, answered in order;
then one that is no HTTP, which ends the connection."""

import random
import time

from fault import EXAMPLE, PATH, Fault, pick, wire

LIVE = wire.request("GET", "/v2/health/live")
# Bytes behind the last request that counts: the daemon never reads them.
SURPLUS = LIVE * 1000
KINDS = [(LIVE, 200), (wire.request("GET", "/v2/nothing"), 404),
         (wire.request("POST", PATH, EXAMPLE), 200),
         (wire.request("POST", PATH, b"{}"), 400),
         (wire.request("POST", "/v2"), 405),
         (wire.request("HEAD", "/v2/health/ready"), 200)]
DICE = random.Random(9)
CHOSEN = [DICE.choice(KINDS) for _ in range(200)]
DATA = b"".join(data for data, _ in CHOSEN)
BROKEN = b"GET /v2 HTTP/1.1\r\nHost a\r\n\r\n"


def split_at(cut):
    """True if every request is answered, in order."""
    got = []
    with wire.Wire() as one:
        try:
            one.send(DATA[:cut])
            time.sleep(0.001)
            one.send(DATA[cut:] + BROKEN + SURPLUS)
            for data, _ in CHOSEN:
                got.append(one.reply(data.split()[0].decode()).status)
            got.append(one.reply().status)
        except (wire.Closed, OSError) as error:
            wire.fail(f"cut at {cut}, after {len(got)} answers: {error}")
        wire.true("not closed after what is no HTTP", one.ends(3))
    return wire.equal(f"answers, cut at {cut}",
                      [*(status for _, status in CHOSEN), 400], got)


def attack(daemon):
    cuts = range(1, len(DATA), pick(len(DATA) // 60, 17))
    right = sum(split_at(cut) for cut in cuts)
    return f"200 requests cut at each of {len(cuts)} bytes, {right} in order"


Fault("C9", "pipelining").run(attack)
