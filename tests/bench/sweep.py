"""Throughput against payload size: the picture of the README."""

import contextlib
import csv

import load
import plot
import servers
from over_http import CLIENT_CORE, SERVER_CORE, interleave, size_name

NGINX_LIMIT = 64 << 10  # it answers with no body: past this no comparison


def sizes(quick):
    return [256 << 2 * i for i in range(9 if quick else 11)]


def _series(bench, size, ours, others):
    binary = load.save(bench, "sweep.binary", load.binary_request(size))
    text = load.save(bench, "sweep.json", load.json_request(size))

    def asker(server, request):
        return lambda: load.ask(bench, server, request, 4,
                                bench.sweep_seconds, CLIENT_CORE)

    runs = {"flipd binary": asker(ours, binary),
            "flipd JSON": asker(ours, text)}
    for server in others:
        if "nginx" not in server.name or size <= NGINX_LIMIT:
            runs[server.name] = asker(server, binary)
    return interleave(bench.sweep_rounds, runs)


def _start_all(bench, figures, stack):
    """Who cannot be started is missing in the picture, no more."""
    started = []
    for start in (servers.mhd_echo, servers.tcp_echo, servers.nginx):
        try:
            started.append(stack.enter_context(start(bench, SERVER_CORE)))
        except servers.Failed as e:
            figures.miss("picture", str(e))
    return started


def picture(bench, figures, head):
    points = {}
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(servers.flipd(bench, SERVER_CORE))
        others = _start_all(bench, figures, stack)
        for size in sizes(bench.quick):
            medians = _series(bench, size, ours, others)
            for name, one in medians.items():
                points.setdefault(name, []).append((size, one["rate"] * size))
    with open(bench.result("throughput.csv"), "w", newline="") as out:
        for line in head:
            out.write(f"# {line}\n")
        sheet = csv.writer(out)
        sheet.writerow(("series", "payload_bytes", "bytes_per_second"))
        for name, series in points.items():
            sheet.writerows((name, *point) for point in series)
    plot.write(
        bench.result("throughput.svg"), points,
        title="Throughput by payload size",
        subtitle="one server core, one client core, 4 connections",
        x_label="payload of a request", y_label="payload a second, each way",
        x_name=size_name)
    figures.add("Picture", "throughput.svg, throughput.csv",
                note="payload 256 B to " + size_name(sizes(bench.quick)[-1]))
