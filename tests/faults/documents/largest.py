"""D9: tensors of rank 4 with every order of lengths, and one as large as the
limit allows, compared with the definition by their sums."""

import itertools
import zlib

from fault import MIB, Fault, pick, wire
from question import Question

LIMIT = pick(16, 256) * MIB


def attack(daemon):
    shapes = list(itertools.permutations((2, 3, 5, 7)))
    with wire.Wire() as one:
        for number, shape in enumerate(shapes):
            question = Question(number, shape[0], shape[1],
                                shape[2] * shape[3], True)
            question.shape = list(shape)
            one.send(question.request())
            question.check(one.reply(), f"shape {shape}")
    width = 64
    rows = (LIMIT - 4096) // 4 // width // 16
    question = Question(9, rows, 16, width, True)
    with wire.Wire() as one:
        one.socket.settimeout(120 * wire.SCALE)
        one.send(question.request())
        reply = one.reply()
    question.check(reply, "the largest")
    total = zlib.crc32(question.expected.tobytes())
    return (f"{len(shapes)} orders of 4 axes; {rows * width * 64 / MIB:.1f} MiB, "
            f"CRC {total:08x}")


Fault("D9", "as large as the limit", [f"--http-max-input-size={LIMIT}"],
      kept=pick(40, 600)).run(attack)
