#!/usr/bin/env python3
"""Measures how long uploads take, of senders that pause or are slow too: gRPC
beside HTTP/1.1 and beside a server of grpcio; called by uploads.sh.

Usage: uploads.py --build DIR --out DIR [--quick] [--only SECTION,...]
"""

import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../measure"))
import grpc  # noqa: E402
import program  # noqa: E402
import senders  # noqa: E402
import servers  # noqa: E402
from over_http import (CLIENT_CORE, SERVER_CORE, interleave,  # noqa: E402
                       processor_note)

MIB = 1 << 20
SIZES = (1, 8, 32, 64, 200)  # MiB
DRIPPED = (1, 8, 32)
PAUSES = (0.1, 0.3, 1)  # seconds
GOAL = ">= 0.77"  # 1.3 times as long
HTTP, BESIDE = "its HTTP/1.1", "grpcio's server"


class Way:
    """One server and how it is asked."""

    def __init__(self, server, port, send, *more):
        self.server, self.send, self.more = server, send, more
        self.address = f"127.0.0.1:{port}"

    def ask(self, *request):
        """grpcio's server frees a message after its reply, on the core that the
        others are measured on."""
        time.sleep(0.1)
        before = self.server.cpu_seconds()
        spent = self.send(self.address, *request, *self.more)
        return {"ms": spent * 1000,
                "cpu_us": (self.server.cpu_seconds() - before) * 1e6}


class Uploads:
    """The ways, and the rows."""

    def __init__(self, bench, figures, ours, grpc_port, theirs):
        self.bench, self.figures = bench, figures
        self.http = Way(ours, ours.port, senders.by_http)
        self.frames = (Way(ours, grpc_port, senders.by_frames, INVALID),
                       Way(theirs, theirs.port, senders.by_frames, OK))
        self.grpcio = (Way(ours, grpc_port, senders.by_grpcio, INVALID),
                       Way(theirs, theirs.port, senders.by_grpcio, OK))

    def pair(self, section, case, ours, name, theirs):
        """Each pair by itself: what a server does after its reply must not
        disturb the same one of the others each time."""
        ours, theirs = interleave(self.bench.rounds, {
            "ours": ours, name: theirs}).values()
        self.figures.add(section, case, ours["ms"], "ms", name, theirs["ms"],
                         theirs["ms"] / ours["ms"], GOAL,
                         processor_note(ours, theirs))

    def by_frames(self, section, sizes, manners):
        ours, beside = self.frames
        for size in sizes:
            body = senders.http_request(size * MIB)
            frames = senders.frames_of(senders.grpc_request(size * MIB))
            for manner, steps in manners:
                case = f"{size} MiB{manner}"
                self.pair(section, case, lambda: ours.ask(frames, steps),
                          HTTP, lambda: self.http.ask(body, steps))
                self.pair(section, case, lambda: ours.ask(frames, steps),
                          BESIDE, lambda: beside.ask(frames, steps))

    def by_grpcio(self, section):
        ours, beside = self.grpcio
        for size in SIZES:
            request = senders.grpc_request(size * MIB)
            self.pair(section, f"{size} MiB", lambda: ours.ask(request),
                      BESIDE, lambda: beside.ask(request))


OK, INVALID = (code.value[0] for code in (
    grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT))
PARTS = {
    "whole": lambda to: to.by_frames("Without a pause", SIZES,
                                     [("", senders.at_once)]),
    "pauses": lambda to: to.by_frames(
        "A pause in the middle", SIZES,
        [(f", {pause} s", senders.pausing(pause)) for pause in PAUSES]),
    "slow": lambda to: to.by_frames("64 KiB every 5 ms", DRIPPED,
                                    [("", senders.dripping)]),
    "grpcio": lambda to: to.by_grpcio("By grpcio's client"),
}


def measure(bench, figures, part):
    grpc_port, port = servers.free_port(), servers.free_port()
    with servers.flipd(bench, SERVER_CORE,
                       more=[f"--grpc-port={grpc_port}"]) as ours, \
            servers.Server("grpcio",
                           [sys.executable, f"{HERE}/service.py", str(port)],
                           bench.file("grpcio.log"), SERVER_CORE,
                           port) as theirs:
        os.sched_setaffinity(0, {CLIENT_CORE})
        part(Uploads(bench, figures, ours, grpc_port, theirs))


def sections(bench, figures, head):
    return {name: lambda part=part: measure(bench, figures, part)
            for name, part in PARTS.items()}


PROGRAM = program.Program(
    script="tests/bench/uploads.sh", stem="uploads", sections=sections,
    head=lambda args, figures: [f"grpcio {grpc.__version__}"],
    names=tuple(PARTS), how="server on core 0, client on core 1")

if __name__ == "__main__":
    sys.exit(program.main(PROGRAM))
