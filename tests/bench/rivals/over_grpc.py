"""ModelInfer over gRPC beside Triton's gRPC and beside flipd's own HTTP/1.1:
the same tensor to each, server on one core and client on the other. By h2load,
and large tensors also by bench_load: h2load copies what it sends in pieces of 16
KiB, which keeps its core as busy as the server's."""

import os
import re
import resource
import subprocess
import sys
import time

import load
import servers
import start
from over_http import (CLIENT_CORE, SERVER_CORE, interleave, processor_note,
                       size_name)

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../integration/lib"))
import protobuf  # noqa: E402
from http2_frames import (DATA, END_HEADERS, END_STREAM,  # noqa: E402
                          HEADERS, block, frame, message, request_fields)

MIB = 1 << 20
SECTION = "gRPC, one core each"
OWN = "flipd's HTTP/1.1"
PATH = "/inference.GRPCInferenceService/ModelInfer"
FRAME = 16 << 10  # bytes of data: what a client sends that does not ask for more
# Client, bytes, connections, calls at once on each, goals beside Triton and
# beside OWN.
CASES = (("h2load", 4096, 1, 1, "", ""), ("h2load", 4096, 8, 1, 10, 0.7),
         ("h2load", 4096, 8, 16, 10, 0.7), ("h2load", MIB, 4, 1, "", 0.5),
         ("h2load", 16 * MIB, 2, 1, "", ""),
         ("bench_load", MIB, 4, 1, 4, 0.5),
         ("bench_load", 16 * MIB, 2, 1, "", ""))
WITHOUT_GOAL = ("Triton (C backend)",)


def call(size, model):
    """The request of load.binary_request() as a message with its prefix."""
    head, body = load.binary_request(size).split(b"\r\n\r\n", 1)
    skipped = int(re.search(rb"Content-Length: (\d+)$", head)[1])
    shape = load.shape_of(size // 4)
    data, lens = body[skipped:-32], body[-32:]
    return message(
        protobuf.field(1, model) +
        protobuf.field(5, protobuf.tensor("input", "FP32", shape)) +
        protobuf.field(5, protobuf.tensor("sequence_lens", "INT64", [4])) +
        protobuf.field(7, data) + protobuf.field(7, lens))


def frames(sent):
    """The stream of a call of this message; bench_load fills in its number."""
    parts = [sent[at:at + FRAME] for at in range(0, len(sent), FRAME)]
    return (frame(HEADERS, END_HEADERS, 0, block(request_fields(PATH))) +
            b"".join(frame(DATA, 0, 0, part) for part in parts[:-1]) +
            frame(DATA, END_STREAM, 0, parts[-1]))


class Way:
    """One server and how it is asked. headers: of h2load and curl."""

    def __init__(self, bench, name, server, port, path, headers, options=()):
        self.bench, self.name, self.server = bench, name, server
        self.port = port
        self.url = f"http://127.0.0.1:{port}{path}"
        self.headers, self.options = headers, list(options)

    def save(self, size, request):
        name = f"{re.sub('[^a-z]+', '_', self.name.lower())}_{size}"
        return load.save(self.bench, name, request)

    def header_options(self):
        return [word for header in self.headers for word in ("-H", header)]


class Grpc(Way):
    def __init__(self, bench, name, server, port, model):
        super().__init__(bench, name, server, port, PATH,
                         ["content-type: application/grpc", "te: trailers"])
        self.model = model

    def request(self, size):
        return self.save(size, call(size, self.model))

    def whole(self, size):
        return frames(call(size, self.model))

    def answer(self, size):
        """The bytes of the reversed tensor, by curl."""
        done = subprocess.run(
            ["curl", "-sS", "--http2-prior-knowledge", *self.header_options(),
             "--data-binary", f"@{self.request(size)}", self.url],
            capture_output=True, timeout=60)
        found = protobuf.all_of(done.stdout[5:], 6)
        if done.returncode != 0 or len(found) != 1:
            raise servers.Failed(f"{done.stderr[-200:]} {done.stdout[:100]}")
        return found[0]


class Http(Way):
    def __init__(self, bench, server):
        super().__init__(bench, OWN, server, server.port, load.FLIPD, [],
                         ["--h1"])

    def request(self, size):
        head, body = load.binary_request(size).split(b"\r\n\r\n", 1)
        self.headers = [line for line in head.decode().split("\r\n")
                        if line.startswith(("Inference", "Content-Type"))]
        return self.save(size, body)

    def whole(self, size):
        return load.binary_request(size)


def by_bench_load(way, size, connections):
    request = load.save(way.bench, "grpc_load", way.whole(size))
    figures = load.ask(way.bench, way.server, request, connections,
                       way.bench.seconds, CLIENT_CORE, port=way.port,
                       http2=way.name != OWN)
    return {"rate": figures["rate"], "cpu_us": figures["cpu_us"],
            "mean_us": connections * 1e6 / figures["rate"]}


def by_h2load(way, size, connections, streams):
    """One run of h2load: its rate, the mean of its times, and the server's
    processor time for each answer."""
    path, before = way.request(size), way.server.cpu_seconds()
    streams = [] if way.name == OWN else ["-m", str(streams)]
    done = subprocess.run(
        ["taskset", "-c", str(CLIENT_CORE), "h2load", *way.options, "-t", "1",
         "-c", str(connections), *streams, "-D",
         f"{way.bench.seconds * 1000:.0f}ms", *way.header_options(), "-d", path,
         way.url],
        capture_output=True, text=True, timeout=60 + 10 * way.bench.seconds)
    rate = re.search(r"finished in .*, ([0-9.]+) req/s", done.stdout)
    done_ = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored",
                      done.stdout)
    mean = re.search(r"time for request: +\S+ +(\S+) +([0-9.]+)([mu]?s)",
                     done.stdout)
    if not (rate and done_ and mean) or int(done_[1]) == 0:
        raise servers.Failed(f"h2load at {way.name}: {done.stdout[-300:]}")
    # Those under way at the end of the time are called failed.
    if int(done_[2]) > connections * 64:
        raise servers.Failed(f"{way.name}: {done_[0]}")
    spent = way.server.cpu_seconds() - before
    return {"rate": float(rate[1]), "cpu_us": spent * 1e6 / int(done_[1]),
            "mean_us": float(mean[2]) * {"us": 1, "ms": 1e3, "s": 1e6}[mean[3]]}


def client_seconds():
    """Processor time of the clients that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ask(way, client, size, connections, streams):
    """One run of a client: its rate, the mean of its times, the server's
    processor time for each answer, and the client's share of its core."""
    before, since = client_seconds(), time.monotonic()
    seen = (by_h2load(way, size, connections, streams) if client == "h2load"
            else by_bench_load(way, size, connections))
    seen["client"] = ((client_seconds() - before) /
                      (time.monotonic() - since))
    return seen


def compare(bench, figures, ways):
    ours = ways[0]
    for client, size, connections, streams, beside, own in CASES:
        medians = interleave(bench.rounds, {
            way.name: lambda w=way: ask(w, client, size, connections, streams)
            for way in ways})
        mine = medians[ours.name]
        for way in ways[1:]:
            theirs = medians[way.name]
            goal = own if way.name == OWN else beside
            what = f"{client}, {size_name(size)}, {connections} connections"
            if streams > 1:
                what += f" of {streams} calls"
            figures.add(SECTION, what, mine["rate"], "req/s", way.name,
                        theirs["rate"], mine["rate"] / theirs["rate"],
                        f">= {goal}" if goal and way.name not in WITHOUT_GOAL
                        else "",
                        f"mean {mine['mean_us']:.0f} / "
                        f"{theirs['mean_us']:.0f} us; "
                        f"{processor_note(mine, theirs)}; client's core "
                        f"{mine['client']:.0%} / {theirs['client']:.0%}")


def right(figures, ours, rivals):
    """Those of the rivals whose answer is flipd's."""
    wanted, good = ours.answer(4096), []
    for rival in rivals:
        try:
            if rival.answer(4096) != wanted:
                raise servers.Failed("its answer is not the right one")
            good.append(rival)
        except (servers.Failed, subprocess.TimeoutExpired, IndexError) as e:
            figures.miss(f"{rival.name}, gRPC", str(e))
    return good


def flipd(bench):
    server = servers.flipd(bench, SERVER_CORE, more=["--grpc-port=0"])
    with open(server.log, errors="replace") as log:
        port = re.search(r"gRPC port at \S+:(\d+)", log.read())[1]
    return server, port


def measure(bench, figures, venvs):
    started, rivals = [], []
    for starter in (start.triton, start.triton_c):
        if "triton" not in venvs:
            break
        try:
            server = starter(bench, venvs["triton"], SERVER_CORE)
            started.append(server)
            rivals.append(Grpc(bench, server.name, server, server.grpc_port,
                               start.MODEL))
        except (servers.Failed, OSError) as e:
            figures.miss(f"{starter.__name__}, gRPC", str(e))
    try:
        server, port = flipd(bench)
        started.append(server)
        ours = Grpc(bench, "flipd", server, port, "onnx.ReverseSequence")
        compare(bench, figures, [ours, Http(bench, server),
                                 *right(figures, ours, rivals)])
    finally:
        for server in started:
            server.stop()
