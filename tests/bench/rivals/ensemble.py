"""The ensembles of docs/examples/triton, with the reversing step in Python and by flipd's backend:
server on one core, client on the other. The scorer is the same in both: in C, as decoders are
served by backends in C++, or the example's own, in Python. Beside them the steps alone, the scorer
alone, and the daemon, for the same batch of hypotheses."""

import json
import os
import struct

import load
import servers
import services
import start
from over_http import CLIENT_CORE, SERVER_CORE, interleave, processor_note, size_name

MIB = 1 << 20
SECTION = "Triton's ensemble, reversing step of flipd beside Python, one core"
SYMBOL, WIDTH = 4232, 51  # tokens of a hypothesis, with start and end
# Bytes, connections, the goal beside the step in Python where the scorer is in C.
CASES = ((4096, 1, ""), (4096, 8, 3), (MIB, 1, ""), (MIB, 4, ""))
OPERATOR = "onnx.ReverseSequence"  # the daemon's


def batch(size):
    """Hypotheses of 6 to 51 tokens: their number, tokens and lengths."""
    lens = [6 + index * 5 % (WIDTH - 5) for index in range(size // (8 * WIDTH))]
    hyps = b"".join(struct.pack(f"<{WIDTH}q", *(
        SYMBOL if at == 0 or at >= length - 1 else (row * 997 + at * 41) % SYMBOL
        for at in range(WIDTH))) for row, length in enumerate(lens))
    return len(lens), hyps, struct.pack(f"<{len(lens)}q", *lens)


def document(model, inputs, data, **more):
    head = json.dumps({"inputs": [
        {"name": name, "datatype": "INT64", "shape": shape, "parameters": parameters}
        for name, shape, parameters in inputs], **more}).encode()
    return load.http(f"/v2/models/{model}/infer", head + data, len(head))


class Way:
    """`names` of the inputs: of the tokens, once or twice, and of the lengths."""

    def __init__(self, bench, server, model, names, parameters=None):
        self.bench, self.server, self.model, self.names = bench, server, model, names
        self.path = f"/v2/models/{model}/infer"
        self.parameters = {"binary_data_output": True, **(parameters or {})}

    def build(self, size):
        rows, hyps, lens = batch(size)
        inputs = [(name, [rows, WIDTH], {"binary_data_size": len(hyps)})
                  for name in self.names[:-1]]
        data = hyps * len(inputs) + lens
        inputs.append((self.names[-1], [rows], {"binary_data_size": len(lens)}))
        return document(self.model, inputs, data, parameters=self.parameters)

    def answer(self, size):
        """The bytes of the output."""
        header, body = services.ask_once(self.server, self.path, self.build(size))
        return body[int(header or 0):]

    def runs(self, size, connections):
        name = f"{type(self).__name__}_{self.model}_{size}"
        sent = load.save(self.bench, name, self.build(size))
        return lambda: load.ask(self.bench, self.server, sent, connections, self.bench.seconds,
                                CLIENT_CORE)


class Shared(Way):
    """The daemon's step, with tokens and result in shared memory."""
    KEY = f"flipd-ensemble-{os.getpid()}"

    def build(self, size):
        rows, hyps, lens = batch(size)
        with open(f"/dev/shm/{self.KEY}", "wb") as file:
            file.write(hyps + bytes(len(hyps)))
        for what, body in (("unregister", {}), ("register", {
                "key": f"/{self.KEY}", "offset": 0, "byte_size": 2 * len(hyps)})):
            services.ask_once(self.server, f"/v2/systemsharedmemory/region/hyps/{what}",
                              load.http("", json.dumps(body).encode()))

        def place(at):
            return {"shared_memory_region": "hyps", "shared_memory_offset": at,
                    "shared_memory_byte_size": len(hyps)}

        return document(self.model, [
            (self.names[0], [rows, WIDTH], place(0)),
            (self.names[1], [rows], {"binary_data_size": len(lens)})], lens,
            outputs=[{"name": "Y", "parameters": place(len(hyps))}], parameters=self.parameters)

    def answer(self, size):
        super().answer(size)
        with open(f"/dev/shm/{self.KEY}", "rb") as file:
            return file.read()[len(batch(size)[1]):]


def compare(bench, figures, what, ours, others, cases, goals):
    """`others`: {name: Way}."""
    for size, connections, goal in cases:
        for name, other in others.items():
            if ours.answer(size) != other.answer(size):
                raise servers.Failed(f"{what}, {size_name(size)}: {name} answers otherwise")
        ways = {"flipd": ours, **others}
        medians = interleave(bench.rounds, {
            name: way.runs(size, connections) for name, way in ways.items()})
        mine = medians["flipd"]
        for name in others:
            theirs = medians[name]
            figures.add(SECTION, f"{what}, {size_name(size)}, {connections} connections",
                        mine["rate"], "req/s", name, theirs["rate"], mine["rate"] / theirs["rate"],
                        f">= {goal}" if goal and goals else "",
                        f"p50 {mine['p50_us'] / 1e3:.2f} / {theirs['p50_us'] / 1e3:.2f} ms: "
                        f"{theirs['p50_us'] / mine['p50_us']:.2f} x; "
                        f"{processor_note(mine, theirs)}")


def measure(bench, figures, venvs):
    if "triton" not in venvs:
        return
    hyps, step = ("hyps", "hyps_lens"), ("input", "sequence_lens")
    for scorer in "c", "python":
        with start.triton_ensembles(bench, venvs["triton"], SERVER_CORE, scorer) as triton:
            compare(bench, figures, f"scorer in {'C' if scorer == 'c' else 'Python'}",
                    Way(bench, triton, "rescoring", hyps),
                    {"step in Python": Way(bench, triton, "rescoring_python", hyps)}, CASES,
                    scorer == "c")
            if scorer == "python":
                continue
            with servers.flipd(bench, SERVER_CORE, more=("--allow-client-shm",)) as daemon:
                alone(bench, figures, triton, daemon, step)


def alone(bench, figures, triton, daemon, step):
    """What the ensemble's parts take by themselves, one call at a time."""
    axes = {"batch_axis": 0, "time_axis": 1}
    try:
        compare(bench, figures, "the step alone", Way(bench, triton, "reverse_hyps", step),
                {"step in Python": Way(bench, triton, "reverse_hyps_python", step),
                 "the daemon": Way(bench, daemon, OPERATOR, step, axes),
                 "the daemon, shared memory": Shared(bench, daemon, OPERATOR, step, axes)},
                [case for case in CASES if case[1] == 1], False)
    finally:
        os.remove(f"/dev/shm/{Shared.KEY}")
    scorer = Way(bench, triton, "scorer", ("hyps", "r_hyps", "hyps_lens"))
    for size in 4096, MIB:
        one = interleave(bench.rounds, {"scorer": scorer.runs(size, 1)})["scorer"]
        figures.add(SECTION, f"the scorer in C alone, {size_name(size)}, 1 connections",
                    one["rate"], "req/s", note=f"p50 {one['p50_us'] / 1e3:.2f} ms")
