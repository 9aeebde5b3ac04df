"""The measuring client: one attack after another from 127.0.0.2, at 100 KB/s at
most, beside a normal client at 127.0.0.1: 4 KiB requests, half of them on kept
connections and half on new ones, compared byte for byte. Times without and with
the attack are taken in turn, and of these rounds the median counts, for what
else the machine does changes from minute to minute. Prints a line for each
attack: the share of requests that were answered, their p99 beside the same
without the attack, and what the attacker has sent.

  argument 2...   seconds of each time (5), then names of attacks, or all
  FAULTS_ROUNDS   of both times (3)
  FAULTS_MEMORY   MiB of a control group for the daemon; 0 (the default): none"""

import os
import statistics
import sys
import time

import cgroup
import wire
from daemon import Daemon, certificate
from fault import ARGUMENTS, BINARY, MIB, Skip
from hostile import ATTACKS, Hostile
from probe import Prober, Result, normal_request

NUMBERS = [float(word) for word in ARGUMENTS
           if word.replace(".", "").isdigit()]
SECONDS = NUMBERS[0] if NUMBERS else 5
CHOSEN = [word for word in ARGUMENTS
          if not word.replace(".", "").isdigit()] or list(ATTACKS)
ROUNDS = int(os.environ.get("FAULTS_ROUNDS", "3"))
MEMORY = int(os.environ.get("FAULTS_MEMORY", "0"))
REACHED = 2  # seconds until an attack has most of its connections


class Times:
    """What normal clients have seen: kept, fresh and all are each a Result."""

    def __init__(self, normal):
        with Prober(*normal) as kept, Prober(*normal) as kept_too, \
                Prober(*normal, fresh=1) as fresh, \
                Prober(*normal, fresh=1) as fresh_too:
            time.sleep(SECONDS)
            self.kept = joined([kept.result(), kept_too.result()])
            self.fresh = joined([fresh.result(), fresh_too.result()])
        self.all = joined([self.kept, self.fresh])


def joined(results):
    return Result([ms for r in results for ms in r.latencies],
                  [text for r in results for text in r.lost])


class Rounds:
    def __init__(self):
        self.without, self.beside, self.sent = [], [], []

    def run(self, name, normal):
        self.without.append(Times(normal))
        with Hostile(name) as hostile:
            time.sleep(REACHED)
            before, started = hostile.sent_bytes(), time.monotonic()
            self.beside.append(Times(normal))
            self.sent.append((hostile.sent_bytes() - before) /
                             (time.monotonic() - started))

    def p99(self, times, kind):
        return statistics.median(getattr(one, kind).at(0.99) for one in times)

    def pair(self, kind):
        return (f"{self.p99(self.beside, kind):.1f} / "
                f"{self.p99(self.without, kind):.1f} ms")

    def line(self, name):
        answers = joined([one.all for one in self.beside])
        ratio = self.p99(self.beside, "all") / self.p99(self.without, "all")
        return (f"| {name} | {100 * answers.share:.2f} % of "
                f"{len(answers.latencies) + len(answers.lost)} | "
                f"{self.pair('kept')} | {self.pair('fresh')} | "
                f"{self.pair('all')} | {ratio:.1f} | "
                f"{statistics.median(self.sent) / 1000:.0f} |"), answers


def attacked(name):
    """Prints one line; True if the others were served."""
    group = cgroup.Group(MEMORY * MIB) if MEMORY else None
    daemon = Daemon(BINARY, before=group and group.join)
    rounds = Rounds()
    wire.trusted = None
    if name == "TLS handshakes":
        daemon.command += certificate(daemon.folder.name)
    try:
        with daemon:
            normal = normal_request()
            for _ in range(ROUNDS):
                rounds.run(name, normal)
            alive = daemon.running()
    finally:
        if group:
            group.close()
    line, answers = rounds.line(name)
    good = alive and answers.share >= 0.99
    print(line + ("" if good else f" FAILED {answers.lost[:2]}"), flush=True)
    return good


print(f"| attack, {ROUNDS} x {SECONDS:.0f} s | answered | p99 of kept "
      "connections, with / without | of new ones | of all | ratio | KB/s |\n"
      "| --- | --- | --- | --- | --- | --- | --- |", flush=True)
try:
    results = [attacked(name) for name in CHOSEN]
except Skip as skip:
    print(f"skipped: {skip}")
    sys.exit(77)
sys.exit(not all(results))
