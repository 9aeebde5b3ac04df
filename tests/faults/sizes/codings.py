"""Z1, Z2 and Z9: compressed bodies that grow, or fail often.

  argument 2   the row"""

import gzip
import time
import zlib

from fault import (ARGUMENTS, EXAMPLE, EXAMPLE_ANSWER, MIB, PATH, Fault,
                   pick, wire)

ROW = ARGUMENTS[0]
LIMIT = 64 * MIB
GOOD = gzip.compress(EXAMPLE)
DAMAGED = GOOD[:-6] + bytes([GOOD[-6] ^ 1]) + GOOD[-5:]


def ask(body):
    return wire.ask("POST", PATH, body, ["Content-Encoding: gzip"])


def bomb(daemon):
    """Z1: 1030 to 1. What is inflated stops at the limit."""
    packer = zlib.compressobj(9, wbits=31)
    body = b"".join(packer.compress(bytes(MIB))
                    for _ in range(pick(2 << 10, 10 << 10))) + packer.flush()
    memory, spent = wire.memory_kib("VmRSS"), wire.cpu_seconds()
    started = time.monotonic()
    reply = ask(body)
    took = time.monotonic() - started
    spent = wire.cpu_seconds() - spent
    peak = (wire.memory_kib("VmHWM") - memory) / 1024
    wire.equal("status", 413, reply.status)
    # A buffer that grows is copied, and the smaller ones are kept for a while.
    wire.true(f"{peak} MiB at the peak",
              wire.SCALE > 1 or peak < 3.3 * LIMIT / MIB + len(body) / MIB)
    wire.true(f"{spent} s of CPU", spent < 5 * wire.SCALE)
    return (f"{len(body) / MIB:.0f} MiB that would be {pick(2, 10)} GiB refused "
            f"after {took * 1000:.0f} ms, {spent:.2f} s of CPU, "
            f"peak {peak:.0f} MiB at a limit of {LIMIT // MIB}")


def members(daemon):
    """Z2: 1000 members, together the example, then over the limit."""
    pieces = [EXAMPLE[at:at + 1] for at in range(len(EXAMPLE))]
    empty = gzip.compress(b"") * (1000 - len(pieces))
    many = b"".join(gzip.compress(piece) for piece in pieces) + empty
    wire.equal("1000 members", EXAMPLE_ANSWER, ask(many).body)
    over = gzip.compress(bytes(MIB)) * 1000
    wire.equal("1000 members of 1 MiB", 413, ask(over).status)
    return "1000 members are one body; 1000 of 1 MiB refused"


def repeated(daemon):
    """Z9: a failure returns all that it took."""
    rounds, before = pick(500, 10000), 0
    bodies = [GOOD[:-9], DAMAGED, GOOD + b"x", gzip.compress(b"{" * 100000)]
    with wire.Wire() as one:
        for number in range(rounds):
            one.send(wire.request("POST", PATH, bodies[number % len(bodies)],
                                  ["Content-Encoding: gzip"]))
            wire.equal("status", 400, one.reply().status)
            if number == rounds // 5:
                before = wire.memory_kib("VmRSS")
    grown = wire.memory_kib("VmRSS") - before
    wire.true(f"{grown} KiB more", wire.SCALE > 1 or grown < 1024)
    return f"{rounds} failures, {grown:+d} KiB over the last four fifths"


NAMES = {"Z1": ("gzip bomb", bomb), "Z2": ("1000 members", members),
         "Z9": ("10000 failures", repeated)}
Fault(ROW, NAMES[ROW][0], [f"--http-max-input-size={LIMIT}"],
      kept=210 if ROW in ("Z1", "Z2") else 64).run(NAMES[ROW][1])
