"""J1 to J7 and D1 to D8: documents and tensors that are wrong, or just right.
All cases of a row go over one connection, which none of them ends.

  argument 2   the row"""

import json_rows
import tensor_rows
from fault import ARGUMENTS, Fault, pick, wire

ROW = ARGUMENTS[0]
NAME, CASES = {**json_rows.ROWS, **tensor_rows.ROWS}[ROW]
ROUNDS = pick(1, 20)


def attack(daemon):
    codes = {}
    for _ in range(ROUNDS):
        with wire.Wire() as one:
            for case in CASES:
                reply = case.check(one)
                codes[reply.status] = codes.get(reply.status, 0) + 1
                if getattr(case, "bytes", None) and reply.status == 200:
                    wire.equal(f"{case.name}: bytes", case.bytes,
                               reply.body[-len(case.bytes):])
                if "CR, LF, ESC" in case.name:
                    wire.true(f"not echoed: {reply}", json_rows.echoed(reply))
                if reply.closes():
                    wire.fail(f"{case.name}: closes the connection")
                    return "ended"
    wire.true("a line of the log is forged",
              "\nforged" not in daemon.log_text() and
              "\x1b" not in daemon.log_text())
    peak = wire.memory_kib("VmHWM") // 1024
    return (", ".join(f"{count} answered {code}"
                      for code, count in sorted(codes.items())) +
            f", peak {peak} MiB")


Fault(ROW, NAME, ["--http-max-input-size=16777216", "--access-log"]).run(attack)
