"""C2: clients that announce a body and send a byte of it every second."""

from crowd import Crowd, spread
from fault import PATH, Fault, pick, wire

COUNT, DEADLINE = pick((300, 2), (3900, 10))
HEAD = (f"POST {PATH} HTTP/1.1\r\nHost: a\r\n"
        f"Content-Length: 8192\r\n\r\n").encode()


def attack(daemon):
    before = wire.memory_kib("VmRSS")
    with Crowd(source="127.0.0.2") as crowd:
        slow = crowd.open(COUNT, HEAD, rate=COUNT)
        grown = (wire.memory_kib("VmRSS") - before) / COUNT
        crowd.wait(DEADLINE * 2 + 5, b" ", 1.0)
        wire.equal("connections that were not cut", 0, len(crowd.members))
    statuses = {m.status() for m in slow}
    wire.true(f"answered with {statuses}", statuses <= {0, 408, 503})
    # libmicrohttpd's pool has 32 KiB; a body of 8 KiB is not there yet.
    wire.true(f"each took {grown:.0f} KiB", wire.SCALE > 1 or grown < 48)
    refused = sum(m.status() == 503 for m in slow)
    return f"{spread(slow)}, {refused} refused, {grown:.1f} KiB each"


Fault("C2", "slow body", [f"--body-timeout={DEADLINE}"],
      timeout=DEADLINE).run(attack)
