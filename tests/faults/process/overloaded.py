"""P16: twice as many requests as can be answered, in an open loop. Each costs
milliseconds: 1 MiB to inflate, reverse and deflate."""

import gzip
import os
import sys

from fault import BINARY, HERE, Fault, Skip, pick, wire

sys.path.append(os.path.join(HERE, "../../load"))
import overload  # noqa: E402

SECONDS = pick(4, 60)
TOOL = os.path.join(os.path.dirname(BINARY), "tests/load/open_loop")
CONNECTIONS = 2000


def costly(folder):
    """The files of the request and of the body of its answer, which is checked."""
    request = overload.KINDS["gzip_1m"]()
    with wire.Wire() as one:
        one.send(request)
        reply = one.reply()
    wire.equal("the bytes of the answer", bytes(1 << 20),
               gzip.decompress(reply.body)[-1 << 20:])
    paths = [os.path.join(folder, name) for name in ("request", "answer")]
    for path, data in zip(paths, (request, reply.body)):
        with open(path, "wb") as file:
            file.write(data)
    return paths


def attack(daemon):
    if not os.access(TOOL, os.X_OK):
        raise Skip(f"there is no {TOOL}")
    request, answer = costly(daemon.folder.name)

    def ask(rate, seconds, connections=CONNECTIONS):
        return overload.run([TOOL, wire.address, request], rate, seconds,
                            connections, answer)
    peak = ask(0, pick(2, 10), 8)["good"]
    normal = ask(0.8 * peak, pick(3, 20))
    over = ask(2 * peak, SECONDS)
    after = ask(0.5 * peak, pick(2, 5))
    for name, got in ("80 %", normal), ("200 %", over), ("after", after):
        wire.equal(f"{name}: lost", 0, got["failed"] + got["unanswered"])
    wire.true("nothing was refused", over["refused_all"])
    wire.true(f"goodput fell from {peak} to {over['good']}",
              over["good"] > 0.5 * peak)
    wire.true(f"accepted ones waited {over['good_p99']} ms",
              over["good_p99"] < 2000 * wire.SCALE)
    return (f"peak {peak:.0f}/s; at 80 % p99 {normal['good_p99']:.0f} ms; at 200 % "
            f"for {SECONDS} s goodput {100 * over['good'] / peak:.0f} %, accepted "
            f"p99 {over['good_p99']:.0f} ms, {over['refused_all']:.0f} times 503 with "
            f"p99 {over['refused_p99']:.0f} ms; afterwards p99 "
            f"{after['good_p99']:.0f} ms, {after['refused_all']:.0f} refused")


Fault("P16", "overload").run(attack)
