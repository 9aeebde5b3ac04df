"""C1: clients whose headers never end, a byte every second."""

from fault import Fault, pick, wire
from crowd import Crowd, spread
from probe import Prober

COUNT, DEADLINE = pick((300, 2), (3900, 10))
HEALTH = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n"


def attack(daemon):
    before = wire.memory_kib("VmRSS")
    with Crowd(source="127.0.0.2") as crowd, \
            Prober(HEALTH, b'{"live":true}', to=daemon.admin) as admin:
        slow = crowd.open(COUNT, b"GET /v2/health/live HTTP/1.1\r\nA: ",
                          rate=COUNT)
        grown = (wire.memory_kib("VmRSS") - before) * 1024
        crowd.wait(DEADLINE * 2 + 5, b"b", 1.0)
        health = admin.result()
        wire.equal("connections that were not cut", 0, len(crowd.members))
    statuses = {m.status() for m in slow}
    wire.true(f"answered with {statuses}", statuses <= {0, 408})
    wire.true(f"the admin port lost {health.lost[:3]}", not health.lost)
    return (f"{spread(slow)}, {grown / COUNT / 1024:.1f} KiB each, "
            f"admin port p99 {health.at(0.99):.1f} ms")


Fault("C1", "slow headers",
      ["--admin-port=FREE", f"--header-timeout={DEADLINE}"],
      timeout=DEADLINE).run(attack)
