#!/usr/bin/env python3
"""Writes the README's figures from the results of run.sh and rivals.sh, and
copies their tables and pictures into results/.

Usage: tests/bench/readme.py [FOLDER]
  FOLDER  where bench.csv, rivals.csv and the pictures are; default build/bench
"""

import csv
import fnmatch
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "measure"))

from figures import short  # noqa: E402

ROOT = os.path.realpath(os.path.join(HERE, "../.."))
RESULTS = "tests/bench/results"
KEPT = ("bench.md", "rivals.md", "throughput.svg", "rivals_throughput.svg")
BEGIN = "<!-- tests/bench/readme.py writes from here -->\n"
END = "<!-- to here -->\n"

MOVERS = ("swap, {}", "copy, {}")
LARGE = ("64 KiB *", "1 MiB *", "16 MiB *")
MODES = ("{}, copy", "{}, in place")

# Title, start of the section, cases, compared program, name in the table.
ROWS = (
    ("**Movers**, worst case of each class, in place / copy: rows of 256 bytes "
     "and more", "Movers", MOVERS, "memcpy", "rows >= 256 bytes"),
    ("the same, a length for each column", "Movers", MOVERS, "memcpy",
     "rows >= 256 bytes, time-major lens"),
    ("rows of 16 to 255 bytes", "Movers", MOVERS, "memcpy",
     "rows of 16 to 255 bytes"),
    ("the same, a length for each column", "Movers", MOVERS, "memcpy",
     "rows of 16 to 255 bytes, time-major lens"),
    ("innermost axis, elements of 1 to 16 bytes", "Movers", MOVERS, "memcpy",
     "innermost flip"),
    ("[time, batch] of 4 bytes, 16 MiB and more", "Movers", MOVERS, "memcpy",
     "time-major lens, 4 bytes, >= 16 MiB"),
    ("[time, batch], other sizes", "Movers", MOVERS, "memcpy",
     "time-major lens, others"),
    ("**Operator**, one thread, copied / in place: `ReverseSequence`, mean of "
     "6 shapes", "In process, geo", MODES, "ONNX Runtime", "ReverseSequence"),
    ("the same", "In process, geo", MODES, "OpenVINO", "ReverseSequence"),
    ("`Reverse`, mean of 9 shapes", "In process, geo", MODES, "NumPy",
     "Reverse"),
    ("the same", "In process, geo", MODES, "PyTorch", "Reverse"),
    ("**JSON**, 1,000,000 FP32 numbers both ways over HTTP, rows of 100 / of 1",
     "End to end", ("flipd, rows of 100", "flipd, rows of 1"),
     "jansson parse + dump", ""),
    ("the same with blanks after commas", "End to end",
     ("flipd, rows of 100, blanks", "flipd, rows of 1, blanks"),
     "jansson parse + dump", ""),
    ("the same time-major", "End to end",
     ("flipd, rows of 100, time-major", "flipd, rows of 1, time-major"),
     "jansson parse + dump", ""),
    ("the same time-major with blanks", "End to end",
     ("flipd, rows of 100, time-major, blanks",
      "flipd, rows of 1, time-major, blanks"), "jansson parse + dump", ""),
    ("the first in plain C", "End to end",
     ("flipd, plain C, rows of 100", "flipd, plain C, rows of 1"),
     "jansson parse + dump", ""),
    ("the same as the first", "End to end",
     ("flipd, rows of 100", "flipd, rows of 1"), "raw TCP echo", ""),
    ("**HTTP**, one core: 4 KiB binary / 256 bytes of JSON, 32 connections",
     "HTTP, small", ("4 KiB *", "256 B *"), "nginx return 200", ""),
    ("64 KiB / 1 MiB / 16 MiB binary, 4 connections", "HTTP, large", LARGE,
     "libmicrohttpd echo, 128 KiB", ""),
    ("the same", "HTTP, large", LARGE, "raw TCP echo", ""),
    ("p99 of 4 KiB while 4 clients stream 64 MiB", "p99",
     ("beside flipd without them",), "alone", ""),
    ("the same, beside clients that stream to another process", "p99",
     ("beside flipd, they stream to a raw echo",), "control", ""),
    ("time per byte of 256 MiB", "Time per byte", ("256 MiB beside 1 MiB",),
     "1 MiB", ""),
    ("memory at rest after 256 MiB", "Memory", ("after 256 MiB *",), "", ""),
    ("**Services**, one core: 4 KiB binary / JSON, 1 MiB binary / JSON",
     "Services", ("4 KiB binary*", "4 KiB JSON*", "1 MiB binary*",
                  "1 MiB JSON*"), "Triton", ""),
    ("the same", "Services", ("4 KiB binary*", "4 KiB JSON*", "1 MiB binary*",
                              "1 MiB JSON*"), "KServe", ""),
    ("4 KiB / 1 MiB of JSON", "Services", ("4 KiB JSON*", "1 MiB JSON*"),
     "MLServer", ""),
)


def read(path):
    """The lines of the head and the figures."""
    with open(path, newline="") as f:
        lines = f.read().splitlines()
    head = [line[2:] for line in lines if line.startswith("# ")]
    return head, list(csv.DictReader(
        line for line in lines if not line.startswith("# ")))


def find(figures, section, case, beside):
    for row in figures:
        if row["section"].startswith(section) and row["beside"] == beside and \
                fnmatch.fnmatchcase(row["case"], case):
            return row
    return None


def number(row, column):
    return short(float(row[column])) if row[column] else ""


def ratio_of(row):
    """A mean is shown with the worst shape."""
    _, _, worst = row["note"].partition("worst ")
    return number(row, "ratio") + (f" (worst {worst})" if worst else "")


def joined(values):
    return " / ".join(values) if len(set(values)) > 1 else values[0]


def line(figures, what, section, cases, beside, name):
    rows = [find(figures, section, case.format(name), beside)
            for case in cases]
    if None in rows:
        return [what, "not measured", beside, "", ""]
    mine = joined([number(row, "flipd") for row in rows])
    return [what, f"{mine} {rows[0]['unit']}".strip(), beside,
            joined([ratio_of(row) for row in rows]),
            joined([row["goal"].replace(">= ", "≥ ") for row in rows])]


def table(figures):
    cells = [["what", "flipd", "beside", "ratio", "wanted"], ["---"] * 5]
    cells += [line(figures, *row) for row in ROWS]
    return "".join("| " + " | ".join(row) + " |\n" for row in cells)


def text(bench, rivals):
    machine = [one for one in bench[0] if not one.startswith("command")]
    versions = [one for one in rivals[0] if one.startswith("rivals:")]
    return (
        "![Throughput by payload size, beside bare echoes and memcpy]"
        f"({RESULTS}/throughput.svg)\n\n"
        "![Throughput by payload size, beside model servers]"
        f"({RESULTS}/rivals_throughput.svg)\n\n"
        "A ratio above 1 is in flipd's favour. All figures: "
        f"[run.sh]({RESULTS}/bench.md), [rivals.sh]({RESULTS}/rivals.md).\n\n"
        + table(bench[1] + rivals[1]) + "\n" +
        "".join(f"- {one}\n" for one in machine + versions))


def main():
    folder = os.path.join(ROOT, "build/bench")
    if len(sys.argv) > 1:
        folder = sys.argv[1]
    bench, rivals = (read(f"{folder}/{name}.csv")
                     for name in ("bench", "rivals"))
    os.makedirs(f"{ROOT}/{RESULTS}", exist_ok=True)
    for name in KEPT:
        shutil.copy(f"{folder}/{name}", f"{ROOT}/{RESULTS}/{name}")
    with open(f"{ROOT}/README.md") as f:
        before, _, rest = f.read().partition(BEGIN)
        _, _, after = rest.partition(END)
    with open(f"{ROOT}/README.md", "w") as f:
        f.write(before + BEGIN + text(bench, rivals) + END + after)


if __name__ == "__main__":
    main()
