"""P7: every attack at once, each from an address of its own, and bodies of
64 MiB, against a daemon with its defaults in a control group of 256 MiB; and a
normal client. Nobody is killed for memory, and the client is served.

  argument 2   seconds: 60, 5 in the quick form, 600 for a release"""

import multiprocessing
import time

import cgroup
from fault import ARGUMENTS, MIB, Fault, mib, pick, wire
from hostile import ATTACKS, Hostile
from probe import Prober, Result, normal_request
from question import Question

SECONDS = float(ARGUMENTS[0]) if ARGUMENTS else pick(5, 60)
MEMORY = 256 * MIB
LARGE = 64 * MIB


def large_bodies(counts):
    """Bodies of 64 MiB without a pause; counts: answered, refused, wrong."""
    question = Question(64, 256, 16, LARGE // 16384, True)
    data = question.request()
    while True:
        try:
            with wire.Wire() as one:
                one.socket.settimeout(30 * wire.SCALE)
                one.send_if_open(data)
                reply = one.reply()
        except (wire.Closed, OSError):
            counts[1] += 1
            continue
        if reply.status == 200:
            counts[0 if reply.body.endswith(
                question.expected.tobytes()) else 2] += 1
        else:
            counts[1] += 1
            time.sleep(0.1)


def both_kinds(normal, seconds):
    with Prober(*normal) as kept, Prober(*normal, fresh=1) as fresh:
        time.sleep(seconds)
        results = [one.result() for one in (kept, fresh)]
    return Result([ms for r in results for ms in r.latencies],
                  [text for r in results for text in r.lost])


def attack(daemon):
    names = [name for name in ATTACKS if name != "TLS handshakes"]
    normal = normal_request()
    control = both_kinds(normal, min(5, SECONDS))
    counts = multiprocessing.Array("L", 3)
    large = multiprocessing.Process(target=large_bodies, args=(counts,),
                                    daemon=True)
    hostile = [Hostile(name, f"127.0.0.{number}")
               for number, name in enumerate(names, 2)]
    large.start()
    GROUP.watch()
    try:
        for one in hostile:
            one.__enter__()
        time.sleep(1)
        beside = both_kinds(normal, SECONDS)
    finally:
        for one in hostile:
            one.__exit__()
        large.kill()
        large.join()
    wire.equal("killed for memory", 0, GROUP.kills())
    wire.true("ended", daemon.running())
    wire.equal("wrong answers of 64 MiB", 0, counts[2])
    wire.true(f"{len(beside.lost)} lost: {beside.lost[:3]}",
              beside.share >= 0.99)
    peak, sockets = GROUP.peak()
    return (f"{len(names)} attacks for {SECONDS:.0f} s in {MEMORY // MIB} MiB: "
            f"peak {mib(peak)}, {mib(sockets)} of it in sockets, 0 killed; "
            f"normal {beside} "
            f"(without: p99 {control.at(0.99):.1f} ms); of 64 MiB "
            f"{counts[0]} answered, {counts[1]} refused")


class Confined(Fault):
    def attacked(self, attack):
        global GROUP
        GROUP = cgroup.Group(memory=MEMORY)
        self.how["before"] = GROUP.join
        try:
            return super().attacked(attack)
        finally:
            GROUP.close()


Confined("P7", "all attacks in 256 MiB", timeout=75, kept=128).run(attack)
