#!/usr/bin/python3
"""Asks every engine every case, and writes who is right.

Usage: run.py [--flipd DAEMON] [--engines NAME,...] [--environments DIR] [--out DIR]
  --flipd         a build of flipd to start, for the engines flipd_http and flipd_grpc
  --engines       of those of the table below; default all
  --environments  where Python environments are made and kept; default OUT/environments
  --out           default build/conformance: cases.json, results/ENGINE.json,
                  onnx/reverse_sequence/ (node-test folders), conformance.md

The first run installs each engine from PyPI, some 11 GB in all. Loopback only. Exits
with 1 if flipd is wrong anywhere, or an engine that was asked for could not be run.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

import cases
import report

HERE = pathlib.Path(__file__).parent
ONNX = ["onnx==1.23.2", "numpy==2.4.6", "ml_dtypes==0.6.0"]
# Name of the module in engines/, and behind a colon its version: title, Python
# environment.
ENGINES = {
    "flipd_http": ("flipd, HTTP", "flipd"),
    "flipd_grpc": ("flipd, gRPC", "flipd"),
    "onnx_reference": ("ONNX reference", "onnx"),
    "onnxruntime_cpu": ("ONNX Runtime", "onnx"),
    "onnxruntime_cpu:1.24.1": ("ONNX Runtime 1.24.1", "onnxruntime-1.24.1"),
    "openvino_cpu": ("OpenVINO", "openvino"),
    "tensorflow_ops": ("TensorFlow", "tensorflow"),
    "torch_idiom": ("PyTorch (gather, flip)", "torch"),
    "numpy_idiom": ("NumPy (slices, flip)", "onnx"),
    "iree_cpu": ("IREE", "iree"),
    "iree_issues:3.12.0": ("IREE 3.12.0", "iree-3.12.0"),
    "iree_issues:3.11.0": ("IREE 3.11.0", "iree-3.11.0"),
    "tvm_onnx": ("TVM", "tvm"),
    "tract_cpu": ("tract", "tract"),
}
ENVIRONMENTS = {
    "flipd": ["tritonclient[grpc]==2.73.0"],
    "onnx": [*ONNX, "onnxruntime==1.32.0"],
    "onnxruntime-1.24.1": [*ONNX, "onnxruntime==1.24.1"],
    "openvino": [*ONNX[1:], "openvino==2026.4.1"],
    "tensorflow": ["tensorflow==2.21.0"],
    "torch": [*ONNX[1:], "torch==2.15.0"],
    "iree": [*ONNX, "iree-base-compiler==3.13.0", "iree-base-runtime==3.13.0"],
    "iree-3.12.0": [*ONNX, "iree-base-compiler==3.12.0", "iree-base-runtime==3.12.0"],
    "iree-3.11.0": [*ONNX, "iree-base-compiler==3.11.0", "iree-base-runtime==3.11.0"],
    "tvm": [*ONNX, "apache-tvm==0.27.0"],
    "tract": [*ONNX, "tract==0.23.9"],
}
LONGEST = ("openvino_cpu", "iree_cpu")  # begin first
SECONDS_OF_A_START = 600
SECONDS_OF_A_CASE = 60


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("--flipd")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--environments", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/conformance"))
    options = parser.parse_args()
    out = options.out.resolve()
    environments = (options.environments or out / "environments").resolve()
    (out / "results").mkdir(parents=True, exist_ok=True)
    asked = cases.cases()
    (out / "cases.json").write_text(json.dumps(asked, indent=0))
    wanted = [name for name in options.engines.split(",") if options.flipd or "flipd" not in name]

    pythons = {}
    for name in wanted:
        environment = ENGINES[name][1]
        if environment not in pythons:
            pythons[environment] = installed(environments / environment, ENVIRONMENTS[environment])
    if pythons.get("onnx"):
        folders = [pythons["onnx"], HERE / "folders.py", out / "onnx/reverse_sequence"]
        subprocess.run(folders, check=True)

    daemon = Daemon(options.flipd) if options.flipd else None
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as lanes:
        runs = {
            name: lanes.submit(ask, name, pythons[ENGINES[name][1]], out, len(asked))
            for name in sorted(wanted, key=lambda name: name not in LONGEST)
            if pythons[ENGINES[name][1]]
        }
    if daemon:
        daemon.stop()
    faults = report.write(asked, {name: row[0] for name, row in ENGINES.items()}, out)
    faults += [f"{name} could not be installed" for name in wanted if name not in runs]
    faults += [f"{name} does not start" for name, run in runs.items() if not run.result()]
    for fault in faults:
        print(f"conformance: {fault}", file=sys.stderr)
    return 1 if faults else 0


def installed(folder, packages):
    """The Python of an environment with the packages; None if pip fails, and why."""
    python = folder / "bin/python"
    if not (folder / "complete").exists():
        print(f"conformance: installing {' '.join(packages)}", file=sys.stderr)
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", folder], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        if subprocess.run([*pip, *packages], check=False).returncode != 0:
            return None
        (folder / "complete").touch()
    return python


def ask(name, python, out, count):
    """Runs one engine over all cases, again behind each case that ends its process.
    Returns whether it has started."""
    lines = out / "results" / f"{name}.lines"
    lines.unlink(missing_ok=True)
    outcomes = [None] * count
    version, start, began = "", 0, time.monotonic()
    while start < count:
        run = subprocess.Popen(
            [python, HERE / "engine.py", name.split(":")[0], out / "cases.json", lines, str(start)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        ending = wait(run, lines)
        last = None
        for line in map(json.loads, lines.read_text().splitlines() if lines.exists() else []):
            version = line.get("version", version)
            last = line.get("begins", last)
            if "number" in line:
                outcomes[line["number"]] = line
        if last is None:
            outcomes = [{"refused": f"the engine does not start: {ending}"}] * count
            break
        if outcomes[last] is None:
            outcomes[last] = {"crashed": ending}
        elif run.returncode == 0:
            break
        start = last + 1
    result = {"version": version, "seconds": round(time.monotonic() - began), "outcomes": outcomes}
    (out / "results" / f"{name}.json").write_text(json.dumps(result))
    lines.unlink(missing_ok=True)
    print(f"{name} {version}: {result['seconds']} s", file=sys.stderr)
    return bool(version)


def wait(run, lines):
    """Waits for the end of a run; stops it when its start or one case takes too long."""
    size = before = lines.stat().st_size if lines.exists() else 0
    since = time.monotonic()
    while run.poll() is None:
        now = lines.stat().st_size if lines.exists() else 0
        limit = SECONDS_OF_A_START if now == before else SECONDS_OF_A_CASE
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > limit:
            run.kill()
            run.wait()
            return f"no answer within {limit} s"
        time.sleep(0.05)
    return f"signal {-run.returncode}" if run.returncode < 0 else f"exit code {run.returncode}"


class Daemon:
    """A flipd on two free ports of loopback."""

    def __init__(self, program):
        ports = [free_port(), free_port()]
        for protocol, port in zip(("HTTP", "GRPC"), ports):
            os.environ[f"FLIPD_{protocol}"] = f"127.0.0.1:{port}"
        self.run = subprocess.Popen(
            [program, f"--http-port={ports[0]}", f"--grpc-port={ports[1]}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for port in ports:
            until = time.monotonic() + 10
            while not answers(port):
                if self.run.poll() is not None or time.monotonic() > until:
                    raise SystemExit(f"conformance: {program} does not listen on {port}")
                time.sleep(0.05)

    def stop(self):
        self.run.terminate()
        self.run.wait(60)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    sys.exit(main())
