"""C5: more connections than descriptors. The admin port answers all the time."""

import math
import time

from crowd import Crowd
from fault import Fault, example, pick, wire
from probe import Prober

ROUNDS = pick(2, 20)
HEALTH = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n"


def attack(daemon):
    spent, lines = 0.0, 0
    with Prober(HEALTH, b'{"live":true}', to=daemon.admin, fresh=1,
                pause=0.02) as admin:
        for _ in range(ROUNDS):
            with Crowd("127.0.0.2") as crowd:
                crowd.open(200)
                logged = daemon.log_text().count("\n")
                before, began = wire.cpu_seconds(), time.monotonic()
                crowd.linger(1)
                took = time.monotonic() - began
                spent = max(spent, (wire.cpu_seconds() - before) / took)
                lines = max(lines, (daemon.log_text().count("\n") - logged)
                            / math.ceil(took))
            wire.true("no answer afterwards", wire.within(5, example))
        health = admin.result()
    wire.true(f"{spent} s of CPU in 1 s", spent < 0.2 * wire.SCALE)
    wire.true(f"{lines} lines logged in 1 s", lines <= 2)
    wire.true(f"the admin port lost {len(health.lost)}: {health.lost[:3]}",
              not health.lost)
    return (f"{ROUNDS} times 200 connections for 100 descriptors, "
            f"{100 * spent:.0f} % of a core, {lines:.0f} log lines a second, "
            f"admin port {health}")


Fault("C5", "no descriptors", ["--admin-port=FREE", "--http-thread-count=2"],
      launcher=["prlimit", "--nofile=100"]).run(attack)
