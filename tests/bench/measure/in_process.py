"""Measurements without a server: movers beside memcpy, JSON beside
libraries."""

import os
import re
import subprocess

from servers import Failed

CASE_LINE = re.compile(
    r"^(?P<what>\[.*?)\s+(?P<mib>[\d.]+) MiB\s+memcpy\s+(?P<memcpy>[\d.]+) GB/s"
    r"\s+swap\s+(?P<swap>[\d.]+)\s+copy\s+(?P<copy>[\d.]+)", re.M)
CLASS_LINE = re.compile(
    r"^(?P<name>.+?)\s+goal (?P<goal>[\d.]+)\s+swap\s+(?P<swap>[\d.]+) "
    r"(?P<swap_at>.*?)\s+copy\s+(?P<copy>[\d.]+) (?P<copy_at>.*?)\s*$", re.M)


def run(command, env=None):
    done = subprocess.run(command, capture_output=True, text=True,
                          timeout=1800, env=env)
    if done.returncode != 0:
        raise Failed(f"{command[0]}: {done.stderr.strip()[-300:]}")
    return done.stdout


def movers(bench, figures):
    """The worst case of each class; movers.txt gets the program's whole
    output."""
    text = run(["taskset", "-c", "0", bench.program("tests/bench/bench_move"),
                "1" if bench.quick else "256"])
    with open(bench.result("movers.txt"), "w") as out:
        out.write(text)
    cases = {case["what"]: case for case in CASE_LINE.finditer(text)}
    classes = list(CLASS_LINE.finditer(text))
    if not cases or not classes:
        raise Failed("bench_move printed no line that is understood")
    for one in classes:
        goal = float(one["goal"])
        for mover in ("swap", "copy"):
            case = cases[one[f"{mover}_at"]]
            memcpy, ratio = float(case["memcpy"]), float(one[mover])
            figures.add(
                "Movers, worst case of each class",
                f"{mover}, {one['name']}", ratio * memcpy, "GB/s", "memcpy",
                memcpy, ratio, f">= {goal}" if goal else "",
                f"{case['what']}, {float(case['mib']):g} MiB")


TEXT_LINE = re.compile(
    r"(?P<case>rows of \d+(?:, [a-z-]+)*)\s+(?P<bytes>\d+) bytes\s+flipd\s+(?P<flipd>\S+) ms"
    r"\s+jansson\s+(?P<jansson>\S+) ms\s+simdjson\s+(?P<simdjson>\S+) ms")


def json_path(bench, figures):
    """Returns jansson's milliseconds by case. The last cases have blanks after
    commas, or are time-major."""
    jansson = _text(bench, figures, "flipd")
    _text(bench, figures, "plain C", {**os.environ, "FLIPD_SIMD": "generic"})
    return jansson


def _text(bench, figures, who, env=None):
    text = run(["taskset", "-c", "0",
                bench.program("tests/bench/bench_text"),
                str(3 if bench.quick else 11)], env)
    jansson = {}
    for line in filter(None, map(TEXT_LINE.search, text.splitlines())):
        flipd = float(line["flipd"])
        jansson[line["case"]] = float(line["jansson"])
        for beside, what in (("jansson", "jansson parse + dump"),
                             ("simdjson", "simdjson DOM parse alone")):
            theirs = float(line[beside])
            if theirs != theirs:
                figures.miss(what, "libsimdjson-dev was not there to build "
                                   "with")
                continue
            figures.add(
                "JSON in process (api_answer), 1,000,000 FP32 in and out",
                f"{who}, {line['case']}", flipd, "ms", what, theirs,
                theirs / flipd,
                note=f"{int(line['bytes']) / flipd / 1e6:.2f} GB/s")
    return jansson
