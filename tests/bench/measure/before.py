#!/usr/bin/env python3
"""Measures a build of flipd beside another build of it, in turn; called by
before.sh.

Usage: before.py --build DIR --before DIR --out DIR [--quick] [--only SECTION,...]
"""

import contextlib
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../rivals"))
import load  # noqa: E402
import over_grpc  # noqa: E402
import program  # noqa: E402
import servers  # noqa: E402
from over_http import (CLIENT_CORE, MIB, SERVER_CORE,  # noqa: E402
                       interleave, processor_note, size_name, while_streaming)

SIZES = (4096, 64 << 10, MIB, 16 * MIB)
CONNECTIONS = (1, 4, 32)
ROWS = (100, 1)
JSON_SIZES = (256, 256 << 10)
GOAL = ">= 0.95"
BEFORE = "before"


class Pair:
    """The two servers, and what is measured of both."""

    def __init__(self, bench, figures, both):
        self.bench, self.figures, self.both = bench, figures, both

    def add(self, section, case, once, figure="rate", unit="req/s"):
        """once(server) measures one of them. A time's ratio is turned round, so
        above 1 is better of every figure."""
        ours, theirs = interleave(self.bench.rounds, {
            server.name: lambda s=server: once(s)
            for server in self.both}).values()
        ratio = ours[figure] / theirs[figure]
        self.figures.add(section, case, ours[figure], unit, BEFORE,
                         theirs[figure], ratio if figure == "rate" else 1 / ratio,
                         GOAL, f"{processor_note(ours, theirs)}; p99 "
                         f"{ours['p99_us']:.0f} / {theirs['p99_us']:.0f} us")

    def requests(self, section, name, request, http2=False):
        path = load.save(self.bench, "request", request)
        for connections in CONNECTIONS:
            self.add(section, f"{name}, {connections} connections",
                     lambda s: load.ask(
                         self.bench, s, path, connections, self.bench.seconds,
                         CLIENT_CORE, port=s.grpc_port if http2 else s.port,
                         http2=http2))


def binary(pair):
    for size in SIZES:
        pair.requests("HTTP, binary", size_name(size), load.binary_request(size))


def json(pair):
    for size in JSON_SIZES:
        for row in ROWS:
            pair.requests("HTTP, JSON", f"{size_name(size)}, rows of {row}",
                          load.json_request(size, row=row))


def grpc(pair):
    for size in SIZES:
        pair.requests("gRPC", size_name(size), over_grpc.frames(
            over_grpc.call(size, "onnx.ReverseSequence")), http2=True)


def tls(pair):
    """By wrk, for bench_load has no TLS."""
    for size in SIZES[:-1]:
        for connections in CONNECTIONS:
            pair.add("HTTP, binary, TLS",
                     f"{size_name(size)}, {connections} connections",
                     lambda s: load.wrk(pair.bench, s, "binary", size, connections,
                                        pair.bench.wrk_seconds, CLIENT_CORE,
                                        "https"))


def beside(pair):
    """The p99 of 400 requests of 4 KiB a second while four clients stream 16 MiB
    to the same server, which uses both cores."""
    little = load.save(pair.bench, "little", load.binary_request(4096))
    large = load.save(pair.bench, "large", load.binary_request(16 * MIB))
    paced = lambda s: load.ask(pair.bench, s, little, 16, pair.bench.fair_seconds,
                               rate=400)
    for figure in ("p50_us", "p99_us"):
        pair.add("4 KiB at 400 req/s beside 16 MiB", figure[:3],
                 lambda s: while_streaming(pair.bench, s, large,
                                            lambda: paced(s)), figure, "us")


PARTS = {"binary": binary, "json": json, "grpc": grpc, "tls": tls,
         "beside": beside}


def tls_options(bench):
    cert, key = servers.certificate(bench.work)
    return [f"--tls-cert={cert}", f"--tls-key={key}"]


def start(bench, name, build, part):
    """A server of this build; only `beside` uses more than one core."""
    own, bench.build = bench.build, build
    try:
        server = servers.flipd(
            bench, None if part is beside else SERVER_CORE, name,
            more=tls_options(bench) if part is tls else ["--grpc-port=0"])
    finally:
        bench.build = own
    with open(server.log, errors="replace") as log:
        found = re.search(r"gRPC port at \S+:(\d+)", log.read())
    server.grpc_port = int(found[1]) if found else None
    return server


def measure(bench, figures, part):
    with contextlib.ExitStack() as stack:
        before = stack.enter_context(start(bench, BEFORE, bench.args.before, part))
        mine = stack.enter_context(start(bench, "flipd", bench.build, part))
        part(Pair(bench, figures, (mine, before)))


def sections(bench, figures, head):
    return {name: lambda part=part: measure(bench, figures, part)
            for name, part in PARTS.items()}


PROGRAM = program.Program(
    script="tests/bench/before.sh", stem="before", sections=sections,
    names=tuple(PARTS), head=lambda args, figures: [f"before: {args.before}"],
    how="servers on core 0, client on core 1", options=("--before",))

if __name__ == "__main__":
    sys.exit(program.main(PROGRAM))
