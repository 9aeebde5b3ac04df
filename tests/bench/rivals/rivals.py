#!/usr/bin/env python3
"""Measures a built flipd beside rivals in prepared environments; called by
rivals.sh.

Usage: rivals.py --build DIR --out DIR --venvs DIR [--quick] [--only PART,...]
  --venvs  holds process/, triton/, mlserver/, kserve/ and, for each failed
           installation, NAME.failed with the reason
"""

import argparse
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../measure"))

import machine  # noqa: E402, these are in measure/
import services
import servers
from bench import Bench
from figures import Figures, geometric_mean

PARTS = ("process", "services")
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


def environments(folder, figures):
    found = {}
    for reason in sorted(glob.glob(f"{folder}/*.failed")):
        with open(reason) as f:
            lines = [line.strip() for line in f if line.strip()]
        figures.miss(f"installing {os.path.basename(reason)[:-7]}",
                     " / ".join(lines[-2:])[-400:])
    for name in ("process", *services.start.STARTERS):
        if os.path.exists(f"{folder}/{name}/installed"):
            found[name] = f"{folder}/{name}"
    return found


def versions(venvs):
    names = []
    for venv in venvs.values():
        with open(f"{venv}/installed") as f:
            names += f.read().split()
    return ", ".join(names).replace("==", " ")


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--venvs", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS))
    args = parser.parse_args()
    args.only = args.only.split(",")
    if set(args.only) - set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}")
    return args


def main():
    # Like Ctrl-C, so that `finally` stops the servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    args = read_arguments()
    root = os.path.realpath(os.path.join(HERE, "../../.."))
    os.makedirs(args.out, exist_ok=True)
    figures = Figures()
    venvs = environments(os.path.realpath(args.venvs), figures)
    head = machine.describe(root) + [
        f"rivals: {versions(venvs)}",
        "command: " + " ".join(
            ["tests/bench/rivals.sh"] + ["--quick"] * args.quick +
            ([] if len(args.only) == len(PARTS)
             else ["--only " + ",".join(args.only)]))]
    steps = {
        "process": lambda: process(bench, figures, venvs),
        "services": lambda: services.measure(bench, figures, venvs,
                                                    head)}
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(root, os.path.realpath(args.build),
                      os.path.realpath(args.out), work, args.quick)
        head.append(
            f"medians of {bench.rounds} interleaved rounds; in process all on "
            "core 0; services on core 0, client on core 1; a ratio above 1 is "
            "in flipd's favour")
        for name in args.only:
            print(f"measuring: {name}", file=sys.stderr, flush=True)
            try:
                steps[name]()
            except (servers.Failed, OSError, subprocess.SubprocessError) as e:
                figures.miss(name, str(e) or repr(e))
            except Exception:
                figures.miss(name, traceback.format_exc().strip())
        figures.write(bench.result("rivals"), head)
    print("\n".join(head) + "\n\n" + figures.table())
    return 1 if figures.failed else 0


if __name__ == "__main__":
    sys.exit(main())
