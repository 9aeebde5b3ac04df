"""What needs no server: the movers beside memcpy, JSON beside JSON libraries."""

import re
import subprocess

from figures import geometric_mean
from servers import Failed

MOVE_LINE = re.compile(
    r"(?P<what>\[[tb],[tb],r\] \w+) row (?P<row>\d+) x (?P<bits>\d+) bit\s+"
    r"(?P<kib>\d+) KiB\s+memcpy\s+(?P<memcpy>[\d.]+) GB/s\s+"
    r"swap\s+(?P<swap>[\d.]+) x\s+copy\s+(?P<copy>[\d.]+) x")


def kind_of(line):
    """The class a line belongs to, and the ratio to memcpy it should have."""
    row, kib, bits = int(line["row"]), int(line["kib"]), int(line["bits"])
    if row >= 256:
        return "rows of 256 bytes or more", 0.9
    if row >= 16:
        return "rows of 16 to 255 bytes", 0.7
    if line["what"] == "[t,b,r] flip":
        return "time-major, whole flip", 0.7
    if line["what"].startswith("[b,t,r]"):
        return "elements, innermost axis", 0.5
    if bits == 32 and kib >= 16 << 10:
        return "time-major lengths, 4-byte, from 16 MiB", 0.6
    return "time-major lengths, other", 0.35


def run(command):
    done = subprocess.run(command, capture_output=True, text=True,
                          timeout=1800)
    if done.returncode != 0:
        raise Failed(f"{command[0]}: {done.stderr.strip()[-300:]}")
    return done.stdout


def movers(bench, figures):
    """Best of five interleaved rounds, as the program prints them; single
    lines go to movers.txt."""
    text = run(["taskset", "-c", "0", bench.program("tests/bench/bench_move"),
                "16" if bench.quick else "256"])
    with open(bench.result("movers.txt"), "w") as out:
        out.write(text)
    kinds = {}
    for line in map(MOVE_LINE.search, text.splitlines()):
        if line:
            kinds.setdefault(kind_of(line), []).append(line)
    if not kinds:
        raise Failed("bench_move printed no line that is understood")
    for (kind, goal), lines in sorted(kinds.items(), key=lambda k: -k[0][1]):
        for mover in ("swap", "copy"):
            worst = min(lines, key=lambda line: float(line[mover]))
            ratio = float(worst[mover])
            mean = geometric_mean(
                [max(0.01, float(line[mover])) for line in lines])
            memcpy = float(worst["memcpy"])
            figures.add(
                "Movers, worst of each kind", f"{mover}, {kind}",
                ratio * memcpy, "GB/s", "memcpy", memcpy, ratio,
                f">= {goal}",
                f"at {worst['what']} row {worst['row']} x {worst['bits']} bit, "
                f"{worst['kib']} KiB; mean {mean:.2f} of {len(lines)}")


TEXT_LINE = re.compile(
    r"rows of (?P<row>\d+)\s+(?P<bytes>\d+) bytes\s+flipd\s+(?P<flipd>\S+) ms"
    r"\s+jansson\s+(?P<jansson>\S+) ms\s+simdjson\s+(?P<simdjson>\S+) ms")


def json_path(bench, figures):
    """Returns milliseconds of jansson for rows of 100 and of 1."""
    text = run(["taskset", "-c", "0", bench.program("tests/bench/bench_text"),
                str(3 if bench.quick else 11)])
    jansson = {}
    for line in filter(None, map(TEXT_LINE.search, text.splitlines())):
        flipd = float(line["flipd"])
        case = f"1,000,000 FP32 in and out, rows of {line['row']}"
        jansson[int(line["row"])] = float(line["jansson"])
        for beside, what in (("jansson", "jansson parse + dump"),
                             ("simdjson", "simdjson DOM parse alone")):
            theirs = float(line[beside])
            if theirs != theirs:
                figures.miss(what, "libsimdjson-dev was not there to build "
                                   "with")
                continue
            figures.add("JSON in process (api_answer)", case, flipd, "ms",
                        what, theirs, theirs / flipd,
                        note=f"{int(line['bytes']) / flipd / 1e6:.2f} GB/s")
    return jansson
