"""P1 and P3: two replicas behind HAProxy with deploy/balancer/haproxy.cfg, under
load, are restarted in turn. P1: SIGTERM with --drain-delay. P3: SIGKILL;
HAProxy repeats the requests that fit its buffer.

  argument 2   the row
  argument 3   rounds; each restarts both"""

import signal
import time

import wire
from daemon import Daemon
from fault import ARGUMENTS, BINARY, Fault, pick
from host import free_port
from load import Load
from proxy import Proxy

ROW = ARGUMENTS[0]
ROUNDS = int(ARGUMENTS[1]) if ARGUMENTS[1:] else pick(1, 20)
KILL = ROW == "P3"
CLIENTS = 16
DELAY = 1


class Replica(Daemon):
    def restart(self):
        """Returns the exit code, after the new process is ready."""
        self.process.send_signal(signal.SIGKILL if KILL else signal.SIGTERM)
        code = self.ended(20)
        time.sleep(0.2 if KILL else 0)
        self.start()
        return code


def restart(replica):
    code = replica.restart()
    wire.equal("exit code", -signal.SIGKILL if KILL else 0, code)
    # A check of the proxy brings it back; the other one is not restarted before.
    time.sleep(pick(0.6, 1.0))


def restarts(daemon):
    """The daemon of the row is the third one: it answers metrics."""
    # A busy machine that makes requests wait is no restart that loses one.
    options = [f"--drain-delay={DELAY}", "--max-queue-delay=0"]
    with Replica(BINARY, options, current=False, port=free_port()) as first, \
            Replica(BINARY, options, current=False, port=free_port()) as second:
        with Proxy("haproxy", daemon.folder.name,
                   [first.address, second.address]) as proxy:
            # What does not fit HAProxy's buffer cannot be repeated.
            loads = [Load(proxy.address, CLIENTS, 4096, 0)]
            if not KILL:
                loads.append(Load(proxy.address, 2, 1 << 20, 0.02))
            return under_load(loads, [first, second])


def under_load(loads, replicas):
    started = time.monotonic()
    for load in loads:
        load.start()
    time.sleep(0.5)
    for _ in range(ROUNDS):
        for replica in replicas:
            restart(replica)
    # The long form asks for 1 000 000 requests in all.
    while ROUNDS >= 20 and sum(load.count() for load in loads) < 1000000:
        time.sleep(1)
    results = [load.stop() for load in loads]
    answered = sum(result.answered for result in results)
    lost = [text for result in results for text in result.lost]
    wire.true(f"{len(lost)} of {answered + len(lost)} lost: {lost[:5]}", not lost)
    return (f"{len(replicas) * ROUNDS} restarts in "
            f"{time.monotonic() - started:.0f} s, {answered} requests answered, "
            f"{len(lost)} lost")


NAMES = {"P1": "SIGTERM under load", "P3": "SIGKILL under load"}
Fault(ROW, NAMES[ROW]).run(restarts)
