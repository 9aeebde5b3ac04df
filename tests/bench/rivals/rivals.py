#!/usr/bin/env python3
"""Measures a built flipd beside rivals in prepared environments; called by
rivals.sh.

Usage: rivals.py --build DIR --out DIR --venvs DIR [--quick] [--only PART,...]
  --venvs  holds process/, client/, triton/, mlserver/, kserve/ and, for each failed
           installation, NAME.failed with the reason
"""

import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../measure"))

import clients  # noqa: E402
import ensemble  # noqa: E402
import over_grpc  # noqa: E402
import program  # noqa: E402, these are in measure/
import services
import servers
from figures import geometric_mean

# Into other memory, like the rivals; and in place, like the daemon for a binary
# request.
MODES = ("copy", "in place")
# The rivals with a goal; others are shown without one.
GOALS = {
    "ReverseSequence": {"ONNX Runtime": 3, "OpenVINO": 3},
    "Reverse": {"NumPy": 1, "PyTorch": 1},
}
MEANS = {"ReverseSequence": 5, "Reverse": 2}


def add_case(figures, line, ratios):
    seconds = line["seconds"]
    ours = {mode: seconds.pop(f"flipd {mode}") for mode in MODES}
    for rival, theirs in seconds.items():
        ratio = {mode: theirs / mine for mode, mine in ours.items()}
        for mode in MODES:
            ratios.setdefault((line["op"], mode, rival), []).append(
                ratio[mode])
        goal = GOALS[line["op"]].get(rival)
        figures.add(
            f"In process, {line['op']}, FP32, 1 thread", line["case"],
            ours["copy"] * 1e6, "us", rival, theirs * 1e6, ratio["copy"],
            f">= {goal}" if goal else "",
            f"in place {ours['in place'] * 1e6:.0f} us: "
            f"{ratio['in place']:.2f} x")


def add_means(figures, ratios):
    for (op, mode, rival), values in ratios.items():
        wanted = rival in GOALS[op]
        figures.add("In process, geometric means", f"{op}, {mode}",
                    beside=rival, ratio=geometric_mean(values),
                    goal=f">= {MEANS[op]}" if wanted else "",
                    note=f"{len(values)} shapes, worst {min(values):.2f}")


def process(bench, figures, venvs):
    if "process" not in venvs:
        return
    done = subprocess.run(
        ["taskset", "-c", "0", f"{venvs['process']}/bin/python",
         os.path.join(bench.root, "tests/bench/rivals/process.py"),
         bench.program("tests/bench/libbench_operators.so"),
         str(bench.rounds)],
        capture_output=True, text=True, timeout=1800,
        # malloc keeps freed memory for the rival's next call:
        # otherwise page faults would dominate.
        env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1",
             "OMP_NUM_THREADS": "1", "MALLOC_MMAP_THRESHOLD_": str(1 << 32),
             "MALLOC_TRIM_THRESHOLD_": str(1 << 33)})
    ratios = {}
    for line in map(json.loads, done.stdout.splitlines()):
        if "missing" in line:
            figures.miss(line["missing"], line["why"])
        elif all(f"flipd {mode}" in line["seconds"] for mode in MODES):
            add_case(figures, line, ratios)
    if done.returncode != 0:
        raise servers.Failed(f"process.py: {done.stderr[-500:]}")
    add_means(figures, ratios)


def environments(args, figures):
    """{name: folder} of those that could be installed."""
    found = {}
    for reason in sorted(glob.glob(f"{args.venvs}/*.failed")):
        with open(reason) as f:
            lines = [line.strip() for line in f if line.strip()]
        figures.miss(f"installing {os.path.basename(reason)[:-7]}",
                     " / ".join(lines[-2:])[-400:])
    names = {venv: None for _, venv in services.start.STARTERS}
    for name in ("process", "client", *names):
        if os.path.exists(f"{args.venvs}/{name}/installed"):
            found[name] = os.path.realpath(f"{args.venvs}/{name}")
    return found


def versions(args, figures):
    args.venvs = environments(args, figures)
    names = []
    for venv in args.venvs.values():
        with open(f"{venv}/installed") as f:
            names += f.read().split()
    return [f"rivals: {', '.join(names).replace('==', ' ')}"]


def sections(bench, figures, head):
    venvs = bench.args.venvs
    return {"process": lambda: process(bench, figures, venvs),
            "services": lambda: services.measure(bench, figures, venvs, head),
            "grpc": lambda: over_grpc.measure(bench, figures, venvs),
            "ensemble": lambda: ensemble.measure(bench, figures, venvs),
            "clients": lambda: clients.measure(bench, figures, venvs)}


PROGRAM = program.Program(
    script="tests/bench/rivals.sh", stem="rivals",
    names=("process", "services", "grpc", "ensemble", "clients"), sections=sections,
    head=versions,
    how="in process all on core 0; services on core 0, client on core 1",
    options=("--venvs",))

if __name__ == "__main__":
    sys.exit(program.main(PROGRAM))
