#!/usr/bin/env python3
"""Writes docs/performance.md from the results of run.sh and rivals.sh that are
kept in results/, one folder for each processor.

Usage: tests/bench/page.py [--check | NAME [FOLDER]]
  --check exit code 1 if the page is not current; writes nothing
  NAME    first keeps FOLDER's CSV files and pictures in results/NAME
  FOLDER  default build/bench
"""

import csv
import fnmatch
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "measure"))

from figures import short  # noqa: E402

ROOT = os.path.realpath(os.path.join(HERE, "../.."))
RESULTS = os.path.join(HERE, "results")
PAGE = os.path.join(ROOT, "docs/performance.md")
LINK = "../tests/bench/results"
KEPT = ["bench.csv", "rivals.csv"]
KEPT += [f"{stem}.{kind}" for stem in ("throughput", "rivals_throughput")
         for kind in ("csv", "svg")]
BEGIN = "<!-- tests/bench/page.py writes from here -->\n"
END = "<!-- to here -->\n"
CAPTIONS = (
    ("throughput", "Throughput by payload size, beside what only moves bytes",
     "*flipd beside programs that only move the bytes: memcpy in one process, a "
     "bare echo over TCP, an echo by libmicrohttpd.*"),
    ("rivals_throughput", "Throughput by payload size, beside model servers",
     "*flipd beside model servers that serve the same operator. \"Triton\" is "
     "Triton with its Python backend; with a C backend it moves the data by "
     "flipd's own movers. MLServer and KServe are Python programs.*"),
)
# Names that would say less than was measured.
NAMES = {"Triton": "Triton (Python backend)"}

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
                              "1 MiB JSON*"), "Triton (C backend)", ""),
    ("the same", "Services", ("4 KiB binary*", "4 KiB JSON*", "1 MiB binary*",
                              "1 MiB JSON*"), "KServe", ""),
    ("4 KiB / 1 MiB of JSON", "Services", ("4 KiB JSON*", "1 MiB JSON*"),
     "MLServer", ""),
    ("**Triton's ensemble** with flipd as its step, one core, scorer in C: 4 KiB / "
     "1 MiB", "Triton's ensemble", ("scorer in C, 4 KiB, 8*",
                                    "scorer in C, 1 MiB, 4*"),
     "step in Python", ""),
)


def read(path):
    """The lines of the head and the figures; none where nothing was measured."""
    if not os.path.exists(path):
        return [], []
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


def met(row):
    """"yes" or a mark, or nothing where no goal was set."""
    sign, _, rest = row["goal"].partition(" ")
    if not row["goal"]:
        return ""
    limit = float(rest.split()[0])
    value = float(row["ratio"] or row["flipd"])
    return "yes" if (value >= limit if sign == ">=" else value < limit) \
        else "**missed**"


def line(figures, what, section, cases, beside, name):
    """A row of the table; None where its figures are missing."""
    rows = [find(figures, section, case.format(name), beside)
            for case in cases]
    if None in rows:
        return None
    mine = joined([number(row, "flipd") for row in rows])
    return [what, f"{mine} {rows[0]['unit']}".strip(),
            NAMES.get(beside, beside), joined([ratio_of(row) for row in rows]),
            joined([row["goal"].replace(">= ", "≥ ") for row in rows]),
            joined([met(row) for row in rows])]


def table(figures):
    cells = [["what", "flipd", "beside", "ratio", "wanted", "met"], ["---"] * 6]
    for row in ROWS:
        cells.append(line(figures, *row))
        # "the same" needs the row before it.
        if cells[-1] is None:
            cells.pop()
    return "".join("| " + " | ".join(row) + " |\n" for row in cells)


def section(name):
    """The figures of one processor."""
    folder = os.path.join(RESULTS, name)
    bench, rivals = (read(f"{folder}/{stem}.csv")
                     for stem in ("bench", "rivals"))
    head = dict(one.partition(": ")[::2] for one in bench[0])
    out = [f"### {head['machine'].partition(',')[0]}\n\n"]
    for stem, alternative, caption in CAPTIONS:
        if os.path.exists(f"{folder}/{stem}.svg"):
            out.append(f"![{alternative}]({LINK}/{name}/{stem}.svg)\n\n"
                       f"{caption}\n\n")
    out.append(table(bench[1] + rivals[1]) + "\n")
    out += [f"- {one}\n" for one in bench[0]]
    out += [f"- {one}\n" for one in rivals[0]
            if one.startswith(("rivals:", "command:"))]
    kept = [one for one in KEPT if os.path.exists(f"{folder}/{one}")]
    out.append("- all figures: " + ", ".join(
        f"[{one}]({LINK}/{name}/{one})" for one in kept
        if not one.endswith(".svg")) + "\n\n")
    return "".join(out)


def write(path):
    with open(PAGE) as f:
        before, _, rest = f.read().partition(BEGIN)
        _, _, after = rest.partition(END)
    with open(path, "w") as f:
        f.write(before + BEGIN +
                "".join(map(section, sorted(os.listdir(RESULTS)))).rstrip() +
                "\n" + END + after)


def is_current():
    with tempfile.NamedTemporaryFile("r") as new, open(PAGE) as old:
        write(new.name)
        return new.read() == old.read()


def main():
    if sys.argv[1:] == ["--check"]:
        if not is_current():
            sys.exit("docs/performance.md is not what tests/bench/page.py writes")
        return
    if len(sys.argv) > 1:
        folder = sys.argv[2] if len(sys.argv) > 2 else \
            os.path.join(ROOT, "build/bench")
        os.makedirs(f"{RESULTS}/{sys.argv[1]}", exist_ok=True)
        for name in KEPT:
            if os.path.exists(f"{folder}/{name}"):
                shutil.copy(f"{folder}/{name}", f"{RESULTS}/{sys.argv[1]}")
    write(PAGE)


if __name__ == "__main__":
    main()
