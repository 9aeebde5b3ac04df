#!/usr/bin/env python3
"""Measures a built flipd beside programs that do less; called by run.sh.

Usage: bench.py --build DIR --out DIR [--quick] [--only SECTION,...]
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import traceback

import in_process
import machine
import over_http
import servers
import sweep
from figures import Figures

SECTIONS = ("movers", "json", "small", "large", "million", "fairness",
            "linear", "memory", "picture")


class Bench:
    """Paths, and the duration of each measurement."""

    def __init__(self, root, build, out, work, quick):
        self.root, self.build, self.out, self.work = root, build, out, work
        self.quick = quick
        self.rounds = 3 if quick else 7
        self.seconds = 0.5 if quick else 2
        self.wrk_seconds = 1 if quick else 3  # wrk takes whole seconds
        self.fair_seconds = 2 if quick else 8
        self.sweep_seconds = 0.25 if quick else 1
        self.sweep_rounds = 1 if quick else 3

    def program(self, name):
        return os.path.join(self.build, name)

    def file(self, name):
        return os.path.join(self.work, name)

    def result(self, name):
        return os.path.join(self.out, name)

    def run(self, program, *arguments):
        return subprocess.run([self.program(program), *arguments], check=True,
                              capture_output=True, timeout=120).stdout


def measure(bench, figures, only, head):
    """Runs each section; a failure is reported and the others follow."""
    jansson = {}

    def json_path():
        jansson.update(in_process.json_path(bench, figures))

    def million():
        if not jansson:
            json_path()
        over_http.million(bench, figures, jansson)

    steps = {
        "movers": lambda: in_process.movers(bench, figures),
        "json": json_path,
        "small": lambda: over_http.small(bench, figures),
        "large": lambda: over_http.large(bench, figures),
        "million": million,
        "fairness": lambda: over_http.fairness(bench, figures),
        "linear": lambda: over_http.linear(bench, figures),
        "memory": lambda: over_http.memory(bench, figures),
        "picture": lambda: sweep.picture(bench, figures, head),
    }
    for name in only:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        try:
            steps[name]()
        except (servers.Failed, OSError, subprocess.SubprocessError) as e:
            figures.miss(name, str(e) or repr(e))
        except Exception:
            figures.miss(name, traceback.format_exc().strip())


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(SECTIONS))
    args = parser.parse_args()
    args.only = args.only.split(",")
    unknown = set(args.only) - set(SECTIONS)
    if unknown:
        parser.error(f"no such section: {', '.join(unknown)}; "
                     f"there are {', '.join(SECTIONS)}")
    return args


def main():
    # Like Ctrl-C, so that `finally` stops the servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    args = read_arguments()
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
    os.makedirs(args.out, exist_ok=True)
    figures = Figures()
    head = machine.describe(root) + [
        f"libmicrohttpd {machine.library(root, 'libmicrohttpd')}, "
        f"libuv {machine.library(root, 'libuv')}, "
        f"jansson {machine.library(root, 'jansson')}, "
        f"simdjson {machine.library(root, 'simdjson')}, "
        f"nginx {machine.program(servers.nginx_program(root))}, "
        f"wrk {machine.package('wrk')}",
        "command: " + " ".join(
            ["tests/bench/run.sh"] + ["--quick"] * args.quick +
            ([] if len(args.only) == len(SECTIONS)
             else ["--only " + ",".join(args.only)]))]
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(root, os.path.realpath(args.build),
                      os.path.realpath(args.out), work, args.quick)
        head.append(f"medians of {bench.rounds} interleaved rounds; server on "
                    "core 0, client on core 1; a ratio above 1 is in flipd's "
                    "favour")
        measure(bench, figures, args.only, head)
        figures.write(bench.result("bench"), head)
    print("\n".join(head) + "\n\n" + figures.table())
    return 1 if figures.failed else 0


if __name__ == "__main__":
    sys.exit(main())
