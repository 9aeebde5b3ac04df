#!/usr/bin/env python3
"""Writes the tables of docs/capacity.md from the processor times in results/.

Usage: tests/bench/capacity.py [--check]
  --check  exit code 1 if the page is not current; writes nothing

The processor time of an answer is that of all threads of the daemon, the kernel's
work on its sockets included. It is in the note of bench.csv and rivals.csv."""

import os
import re
import sys

from page import RESULTS, ROOT, find, read

PAGE = os.path.join(ROOT, "docs/capacity.md")
BEGIN = "<!-- tests/bench/capacity.py writes from here -->\n"
END = "<!-- to here -->\n"
BUSY = 0.7  # of a core's time, so that a queue stays short
MILLION = 1_000_000
KIB = 1024

# Name, bytes of the body, file, start of the section, case, compared program.
ROWS = (
    ("256 bytes of JSON", 256, "bench", "HTTP, small", "256 B JSON*",
     "nginx return 200"),
    ("4 KiB of JSON", 4 * KIB, "rivals", "Services", "4 KiB JSON*", "Triton"),
    ("4 KiB", 4 * KIB, "bench", "HTTP, small", "4 KiB binary*", "nginx return 200"),
    ("64 KiB", 64 * KIB, "bench", "HTTP, large", "64 KiB binary*",
     "libmicrohttpd echo"),
    ("1 MiB of JSON", KIB * KIB, "rivals", "Services", "1 MiB JSON*", "Triton"),
    ("1 MiB", KIB * KIB, "bench", "HTTP, large", "1 MiB binary*",
     "libmicrohttpd echo"),
    ("16 MiB", 16 * KIB * KIB, "bench", "HTTP, large", "16 MiB binary*",
     "libmicrohttpd echo"),
)


def core_us(name, file, section, case, beside):
    """Processor time of one answer, in microseconds."""
    row = find(read(f"{RESULTS}/{name}/{file}.csv")[1], section, case, beside)
    return float(re.search(r"core time ([\d.]+) /", row["note"])[1])


def digits(value, count=2):
    """So many significant digits, without an exponent."""
    rounded = float(f"{value:.{count}g}")
    return f"{rounded:,.0f}" if rounded >= 1000 else f"{rounded:g}"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def a_core(names, times):
    rows = []
    for name, size, *_ in ROWS:
        cells = [name]
        for us in times[name]:
            cells += [digits(us, 3), digits(BUSY * MILLION / us),
                      digits(BUSY * size / us / 1000)]
        rows.append(cells)
    head = ["body"]
    for name in names:
        head += [f"{name}: µs", "requests/s", "GB/s each way"]
    return table(head, rows)


def a_million(times):
    """With the slower processor."""
    rows = []
    for name, size, *_ in ROWS:
        us = max(times[name])
        gbit = size * MILLION * 8 / 1e9
        rows.append([name, digits(us / BUSY), digits(gbit),
                     digits(gbit / 25), digits(gbit / (us / BUSY))])
    return table(["body", "cores", "Gbit/s each way", "NICs of 25 Gbit/s, full",
                  "Gbit/s for a core"], rows)


def tables():
    names = sorted(os.listdir(RESULTS))
    times = {name: [core_us(one, *where) for one in names]
             for name, _, *where in ROWS}
    return (a_core([{"epyc": "EPYC", "xeon": "Xeon"}.get(one, one)
                    for one in names], times), a_million(times))


def current():
    """The page as it must be: each table between marks of its own."""
    with open(PAGE, encoding="utf-8") as file:
        parts = file.read().split(BEGIN)
    out = parts[0]
    for text, part in zip(tables(), parts[1:], strict=True):
        out += BEGIN + text + END + part.partition(END)[2]
    return out


def main():
    page = current()
    if sys.argv[1:] != ["--check"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        if file.read() == page:
            return 0
    return "docs/capacity.md is not what tests/bench/capacity.py writes"


if __name__ == "__main__":
    sys.exit(main())
