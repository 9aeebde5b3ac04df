"""C3: clients that ask for 8 MiB, by a coded body of 8 KiB, and never read."""

import gzip
import time

from crowd import Crowd
from fault import Fault, MIB, pick, series, wire
from question import Question, column

COUNT, DEADLINE = pick((60, 2), (1000, 10))
BUDGET = pick(64, 256)
SIZE = 8 * MIB


def attack(daemon):
    files, before = wire.open_files(), wire.memory_kib("VmRSS")
    request = column("UINT8", SIZE, bytes(SIZE), ["Content-Encoding: gzip"],
                     gzip.compress)
    with Crowd("127.0.0.2", receive_buffer=4096, deaf=True) as crowd:
        started = time.monotonic()
        slow = crowd.open(COUNT, request)
        while time.monotonic() - started < DEADLINE / 2:
            for member in slow:
                if member.unsent and not member.error:
                    member.send(b"")
            crowd.step(0.01)
        held = series("flipd_inflight_bytes")
        question = Question(1)
        with wire.Wire() as other:
            other.send(question.request())
            question.check(other.reply(), "beside them")
        # The idle ones among them were refused, and do not read that either.
        cut = wire.within(DEADLINE * 3 + 5,
                          lambda: wire.open_files() <= files + 1)
        seconds = time.monotonic() - started
        left = wire.open_files() - files
    wire.true(f"{left} connections were not cut", cut)
    wire.true(f"held {held}", held <= BUDGET * MIB)
    peak = (wire.memory_kib("VmHWM") - before) / 1024
    wire.true(f"the peak is {peak} MiB",
              wire.SCALE > 1 or peak < 2 * BUDGET + COUNT / 16)
    return (f"{COUNT} clients cut after {seconds:.1f} s, held "
            f"{held / MIB:.0f} of {BUDGET} MiB, peak {peak:.0f} MiB")


Fault("C3", "slow read",
      [f"--body-timeout={DEADLINE}", f"--idle-timeout={DEADLINE}",
       f"--max-inflight-bytes={BUDGET * MIB}"],
      timeout=DEADLINE + 10).run(attack)
