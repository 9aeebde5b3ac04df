"""What bench.py and rivals.py share: arguments, paths and durations, the loop
over their sections, the table at the end."""

import argparse
import collections
import os
import signal
import subprocess
import sys
import tempfile
import traceback

import machine
import servers
from figures import Figures

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))

# The script that starts it; STEM.md and STEM.csv; the names of its sections;
# `sections(bench, figures, head)`, which returns {name: function};
# `head(args, figures)`, which returns lines of versions; where it runs.
Program = collections.namedtuple(
    "Program", "script stem names sections head how options", defaults=((),))


class Bench:
    """Paths, and the duration of each measurement."""

    def __init__(self, args, work):
        self.root, self.work, self.args = ROOT, work, args
        self.build = os.path.realpath(args.build)
        self.out = os.path.realpath(args.out)
        self.quick = quick = args.quick
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


def read_arguments(program):
    parser = argparse.ArgumentParser()
    for option in ("--build", "--out", *program.options):
        parser.add_argument(option, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(program.names))
    args = parser.parse_args()
    args.only = args.only.split(",")
    unknown = set(args.only) - set(program.names)
    if unknown:
        parser.error(f"no such section: {', '.join(unknown)}; "
                     f"there are {', '.join(program.names)}")
    return args


def measure(sections, figures, only):
    """Runs each section; a failure is reported and the others follow."""
    for name in only:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        try:
            sections[name]()
        except (servers.Failed, OSError, subprocess.SubprocessError) as e:
            figures.miss(name, str(e) or repr(e))
        except Exception:
            figures.miss(name, traceback.format_exc().strip())


def main(program):
    # Like Ctrl-C, so that `finally` stops the servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    args = read_arguments(program)
    os.makedirs(args.out, exist_ok=True)
    figures = Figures()
    head = machine.describe(ROOT) + program.head(args, figures) + [
        "command: " + " ".join(
            [program.script] + ["--quick"] * args.quick +
            ([] if len(args.only) == len(program.names)
             else ["--only " + ",".join(args.only)]))]
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(args, work)
        head.append(f"medians of {bench.rounds} interleaved rounds; "
                    f"{program.how}; a ratio above 1 is in flipd's favour")
        measure(program.sections(bench, figures, head), figures, args.only)
        figures.write(bench.result(program.stem), head)
    print("\n".join(head) + "\n\n" + figures.table())
    return 1 if figures.failed else 0
