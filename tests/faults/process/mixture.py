"""P17 and P18: small requests beside large ones, and a long mix of requests and
attacks.

  argument 2   the row
  argument 3   P18: seconds"""

import random
import time

from crowd import Crowd
from fault import ARGUMENTS, MIB, Fault, pick, wire
from load import Load
from probe import Prober, normal_request
from question import Question

ROW = ARGUMENTS[0]
SECONDS = float(ARGUMENTS[1]) if ARGUMENTS[1:] else pick(4, 60)
LARGE = pick(16, 64) * MIB


def beside_large(daemon):
    """P17: workers busy with large requests."""
    normal = normal_request()
    with Prober(*normal) as prober:
        time.sleep(SECONDS / 4)
        alone = prober.result()
    large = Load(wire.address, 4, LARGE, 0)
    with Prober(*normal) as prober:
        large.start()
        time.sleep(SECONDS / 2)
        beside = prober.result()
    done = large.stop()
    wire.true(f"large: lost {done.lost[:3]}", not done.lost)
    wire.true(f"small: lost {beside.lost[:3]}", not beside.lost)
    return (f"p99 {alone.at(0.99):.1f} ms alone, {beside.at(0.99):.1f} ms beside "
            f"{done.answered} requests of {LARGE // MIB} MiB")


def hostile(dice):
    """One of the clients that the rows above have, shortly."""
    kind = dice.randrange(4)
    question = Question(dice.randrange(1000), 500, 16, 16, True).request()
    with Crowd("127.0.0.2", deaf=kind == 0) as crowd:
        crowd.open(5, question[:dice.randrange(1, len(question))])
        crowd.linger(dice.random() * 0.2)
        crowd.close(reset=kind == 1)
        return


def slope(samples):
    """Bytes a second, by least squares."""
    n = len(samples)
    mean_t = sum(t for t, _ in samples) / n
    mean_v = sum(v for _, v in samples) / n
    spread = sum((t - mean_t) ** 2 for t, _ in samples)
    return sum((t - mean_t) * (v - mean_v) for t, v in samples) / spread


def soak(daemon):
    """P18: half of what it can do, and some attacks."""
    dice = random.Random(18)
    files = wire.open_files()
    loads = [Load(wire.address, 8, 4096, 0.004),
             Load(wire.address, 2, MIB, 0.02)]
    for load in loads:
        load.start()
    started, samples, attacks = time.monotonic(), [], 0
    while (now := time.monotonic() - started) < SECONDS:
        hostile(dice)
        attacks += 5
        if now > SECONDS / 3:  # what is allocated once has been
            samples.append((now, wire.memory_kib("VmRSS") * 1024))
        time.sleep(0.1)
    results = [load.stop() for load in loads]
    lost = [text for result in results for text in result.lost]
    wire.true(f"{len(lost)} lost: {lost[:3]}", not lost)
    growth = slope(samples) * 3600 / MIB
    # Over minutes the slope is mostly noise; over hours it is the leak.
    wire.true(f"{growth:.1f} MiB an hour", wire.SCALE > 1 or
              growth * SECONDS / 3600 < 4 or growth < 1)
    wire.true("descriptors stay open", wire.within(
        10, lambda: wire.open_files() <= files))
    return (f"{SECONDS:.0f} s, {sum(r.answered for r in results)} answered, "
            f"{attacks} hostile connections, {growth * SECONDS / 3600:+.2f} MiB "
            f"({growth:+.1f} an hour)")


NAMES = {"P17": ("large and small", beside_large), "P18": ("soak", soak)}
# A busy machine refuses none of the large ones for its time in the queue.
Fault(ROW, NAMES[ROW][0], ["--max-queue-delay=0"],
      kept=pick(100, 600)).run(NAMES[ROW][1])
