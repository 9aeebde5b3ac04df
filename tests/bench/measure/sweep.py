"""Throughput by payload size: the pictures of docs/performance.md."""

import contextlib
import csv
import ctypes
import math
import time

import load
import plot
import servers
from over_http import (CLIENT_CORE, MIB, SERVER_CORE, interleave,
                       size_name)


def sizes(quick):
    """256 B to 256 MiB."""
    return [256 << 4 * i for i in range(6)] if quick else \
        [256 << 2 * i for i in range(11)]


def asker(bench, server, form, path=load.FLIPD, connections=4, seconds=None):
    """Returns a function of a size, which returns a function that sends
    once."""
    def at(size):
        request = load.save(bench, f"sweep.{server.name}.{form}",
                            load.BUILDERS[form](size, path))
        return lambda: load.ask(bench, server, request, connections,
                                seconds or bench.sweep_seconds, CLIENT_CORE)

    return at


def memcpy(bench):
    """memcpy in this process: the time to move the payload alone."""
    library = ctypes.CDLL(bench.program("tests/bench/libbench_operators.so"))
    library.bench_memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p,
                                     ctypes.c_size_t, ctypes.c_size_t]

    def at(size):
        source, to = (ctypes.create_string_buffer(size) for _ in range(2))
        runs = max(2, 256 * MIB // size)

        def once():
            start = time.process_time()
            library.bench_memcpy(to, source, size, runs)
            return {"rate": runs / (time.process_time() - start)}

        return once

    return at


def _guarded(figures, name, size, once):
    def guarded():
        try:
            return {"rate": once()["rate"]}
        except servers.Failed as e:
            figures.miss(f"picture, {name}, {size_name(size)}", str(e))
            return {"rate": 0}

    return guarded


def lines(bench, figures, askers):
    """{name: asker} to {name: [(payload, bytes a second)]}. A line ends at
    the first size without an answer, or with one of more than two seconds."""
    points = {name: [] for name in askers}
    last = dict.fromkeys(askers, math.inf)  # bytes a second
    for size in sizes(bench.quick):
        medians = interleave(bench.sweep_rounds, {
            name: _guarded(figures, name, size, asker(size))
            for name, asker in askers.items() if last[name] * 2 >= size})
        for name, one in medians.items():
            last[name] = one["rate"] * size
            if last[name] > 0:
                points[name].append((size, last[name]))
    return points


def draw(bench, figures, stem, points, head, title):
    """Writes STEM.csv and STEM.svg."""
    with open(bench.result(f"{stem}.csv"), "w", newline="") as out:
        for line in head:
            out.write(f"# {line}\n")
        sheet = csv.writer(out)
        sheet.writerow(("series", "payload_bytes", "bytes_per_second"))
        for name, series in points.items():
            sheet.writerows((name, size, f"{rate:.0f}")
                            for size, rate in series)
    plot.write(bench.result(f"{stem}.svg"), points, title=title,
               subtitle="payload a second each way, logarithmic; one server "
                        "core, one client core, 4 connections",
               x_label="payload of a request", x_name=size_name)
    figures.add("Picture", f"{stem}.svg, {stem}.csv",
                note="payload 256 B to " + size_name(sizes(bench.quick)[-1]))


def picture(bench, figures, head):
    """Beside programs that do less; the picture shows those that started."""
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(servers.flipd(bench, SERVER_CORE))
        askers = {"memcpy": memcpy(bench)}
        for start in (servers.tcp_echo, servers.mhd_echo):
            try:
                other = stack.enter_context(start(bench, SERVER_CORE))
                askers[other.name] = asker(bench, other, "binary")
            except servers.Failed as e:
                figures.miss("picture", str(e))
        askers["flipd binary"] = asker(bench, ours, "binary")
        askers["flipd JSON"] = asker(bench, ours, "JSON")
        draw(bench, figures, "throughput",
             lines(bench, figures, askers), head,
             "flipd beside what only moves the bytes")
