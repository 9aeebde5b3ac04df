#!/usr/bin/env python3
"""Counts the instructions that api_answer() and all it calls take for fixed
requests, and fails when a count is more than 5 % over its kept budget.

Usage: check.py PROGRAM [--update]    PROGRAM is a release build's budget_answer
  --update  writes the counts to budget.txt instead of comparing them

Counts, not times: the same on a busy machine. valgrind 3.19 knows AVX2 but not
AVX-512, so what is counted is the AVX2 code; memcpy and malloc are counted as
the C library has them. Exits with 77 (skipped) where a count would not be
comparable: no valgrind, no AVX2, or other versions than the budget's.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from requests import REQUESTS

HERE = os.path.dirname(os.path.abspath(__file__))
BUDGET = os.path.join(HERE, "budget.txt")
GROWTH = 1.05
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def version(*command):
    """The last number in what a program first says of itself."""
    done = subprocess.run(command, capture_output=True, text=True)
    line = (done.stdout or done.stderr).partition("\n")[0]
    return (re.findall(r"\d+(?:\.\d+)+", line) or ["unknown"])[-1]


def versions(program):
    """Everything outside this tree that the counts depend on."""
    comment = subprocess.run(["readelf", "-p", ".comment", program],
                             capture_output=True, text=True).stdout
    compilers = sorted(set(re.findall(r"GCC: .* (\S+)$", comment, re.M)))
    return ", ".join([
        f"gcc {' '.join(compilers)}", f"glibc {version('ldd', '--version')}",
        f"valgrind {version('valgrind', '--version')}"])


def look_around(program):
    if not shutil.which("valgrind"):
        skip("valgrind is not installed (deploy/install-deps.sh)")
    with open("/proc/cpuinfo") as f:
        if " avx2 " not in f.read():
            skip("the budget is for a CPU with AVX2")
    return versions(program)


def count(program):
    """{name: instructions}. The counter runs only inside measured() and is
    written each time that returns."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, request in REQUESTS.items():
            files.append(os.path.join(folder, name))
            with open(files[-1], "wb") as f:
                f.write(request)
        out = os.path.join(folder, "count")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=measured",
             "--dump-after=measured", f"--callgrind-out-file={out}",
             os.path.abspath(program), *map(os.path.basename, files)],
            capture_output=True, text=True, cwd=folder, timeout=300,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
        if done.returncode != 0:
            sys.exit(f"budget: {done.stderr[-2000:]}")
        counts = {}
        names = [f"{name}.{turn}" for name in REQUESTS
                 for turn in ("first", "again")]
        for i, name in enumerate(names, 1):
            with open(f"{out}.{i}") as f:
                counts[name] = int(re.search(r"^(?:totals|summary): (\d+)",
                                             f.read(), re.M)[1])
        return counts


def read_budget():
    with open(BUDGET) as f:
        lines = f.read().splitlines()
    built = lines[0].removeprefix("# ")
    return built, {name: int(number) for name, number in
                   (line.split() for line in lines[1:] if line[0] != "#")}


def write_budget(built, counts):
    width = max(map(len, counts))
    with open(BUDGET, "w") as f:
        f.write(f"# {built}\n# instructions of one request; "
                "written by check.py --update\n")
        for name, number in counts.items():
            f.write(f"{name:{width}} {number}\n")


def compare(budget, counts):
    failed = 0
    for name, number in counts.items():
        kept = budget.get(name)
        if kept is None:
            verdict = "no budget: run check.py --update"
        elif number > kept * GROWTH:
            verdict = f"{number / kept - 1:+.1%}, at most +5 % is allowed"
        else:
            print(f"{name}: {number} of {kept} ({number / kept - 1:+.1%})")
            continue
        failed += 1
        print(f"FAILED: {name} takes {number} instructions, "
              f"its budget is {kept}: {verdict}")
    for name in budget.keys() - counts.keys():
        failed += 1
        print(f"FAILED: {name} has a budget but is no request")
    return failed


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    program = arguments[0]
    built = look_around(program)
    if "--update" in sys.argv:
        write_budget(built, count(program))
        return 0
    budget_built, budget = read_budget()
    if built != budget_built:
        skip(f"the budget is for <{budget_built}>, this is <{built}>")
    return 1 if compare(budget, count(program)) else 0


if __name__ == "__main__":
    sys.exit(main())
