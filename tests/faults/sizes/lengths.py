"""S1 to S3: bodies that announce or bring more than the limit.

  argument 2   the row"""

import time

from fault import ARGUMENTS, MIB, Fault, mib, pick, wire
from question import announce, endless

ROW = ARGUMENTS[0]
LIMIT = MIB
CLAIMS = pick(50, 2000)


def refused(one, what):
    reply = one.reply()
    wire.equal(f"{what}: status", 413, reply.status)
    wire.true(f"{what}: {reply} does not name the limit",
              str(LIMIT) in reply.json().get("error", ""))
    wire.equal(f"{what}: interim answers", [], reply.interim)


def announced(daemon):
    """S1: refused at the headers, with and without Expect."""
    started, read = time.monotonic(), 0
    for number in range(CLAIMS):
        expect = ["Expect: 100-continue"] if number % 2 else []
        with wire.Wire() as one:
            one.send(announce(LIMIT + 1, *expect))
            if not expect:
                one.send_if_open(bytes(65536))
            refused(one, f"{LIMIT + 1} bytes {expect}")
            wire.true("not closed", expect or one.ends(5))
    took = (time.monotonic() - started) / CLAIMS * 1000
    read = wire.metric('flipd_bytes_total{direction="received"}')
    return (f"{CLAIMS} refused, {took:.1f} ms each, "
            f"{mib(read)} read in all")


def streamed(daemon):
    """S2: chunks without end. What is read is bounded, and dropped."""
    before = wire.memory_kib("VmRSS")
    with wire.Wire() as one:
        sent = endless(one, 200 * LIMIT)
    wire.true(f"{sent} bytes were taken", sent < 150 * LIMIT)
    grown = (wire.memory_kib("VmHWM") - before) / 1024
    wire.true(f"{grown} MiB more memory", wire.SCALE > 1 or grown < 12)
    return f"{mib(sent)} taken of a stream, peak {grown:+.1f} MiB"


def claimed(daemon):
    """S3: 60 GB are announced, nothing follows."""
    before = wire.memory_kib("VmRSS")
    claims = [wire.Wire() for _ in range(CLAIMS)]
    for one in claims:
        one.send(announce(60 << 30))
    for one in claims:
        refused(one, "60 GB")
    grown = (wire.memory_kib("VmRSS") - before) / CLAIMS
    wire.true(f"{grown} KiB each", wire.SCALE > 1 or grown < 48)
    for one in claims:
        wire.true("not closed", one.ends(5))
        one.socket.close()
    return f"{CLAIMS} claims of 60 GB refused, {grown:.1f} KiB each"


NAMES = {"S1": ("413 by length", announced), "S2": ("chunks over the limit",
                                                    streamed),
         "S3": ("announced 60 GB", claimed)}
Fault(ROW, NAMES[ROW][0], [f"--http-max-input-size={LIMIT}"]).run(
    NAMES[ROW][1])
