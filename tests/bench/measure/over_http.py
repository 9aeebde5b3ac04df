"""Measurements over a socket: the server on core 0, the client on core 1,
beside a server that does less."""

import contextlib
import threading
import time

import load
import servers
from figures import median

SERVER_CORE, CLIENT_CORE = 0, 1
MIB = 1 << 20


def size_name(size):
    for unit, name in ((MIB, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def interleave(rounds, runs):
    """Runs each function of {name: function} once a round, `rounds` times.
    Returns the median of each figure."""
    seen = {name: [] for name in runs}
    for _ in range(rounds):
        for name, once in runs.items():
            seen[name].append(once())
    return {name: {key: median([one[key] for one in all]) for key in all[0]}
            for name, all in seen.items()}


def ask_each(bench, started, request, connections):
    """The medians of each server, by its name."""
    return interleave(bench.rounds, {
        server.name: lambda s=server: load.ask(
            bench, s, request, connections, bench.seconds, CLIENT_CORE)
        for server in started})


def processor_note(ours, theirs):
    """Core time stays comparable when other programs use the machine."""
    return (f"core time {ours['cpu_us']:.1f} / {theirs['cpu_us']:.1f} us: "
            f"{theirs['cpu_us'] / ours['cpu_us']:.2f} x")


def small(bench, figures):
    """wrk, 32 connections, one loop."""
    with servers.flipd(bench, SERVER_CORE) as ours, \
            servers.nginx(bench, SERVER_CORE) as nginx:
        for form, size, goal in (("binary", 4096, 0.5), ("JSON", 256, 0.4)):
            medians = interleave(bench.rounds, {
                server.name: lambda s=server: load.wrk(
                    bench, s, form.lower(), size, 32, bench.wrk_seconds,
                    CLIENT_CORE)
                for server in (ours, nginx)})
            mine, other = medians[ours.name], medians[nginx.name]
            figures.add(
                "HTTP, small, 32 connections (wrk)",
                f"{size_name(size)} {form} infer", mine["rate"] / 1e3,
                "k req/s", nginx.name, other["rate"] / 1e3,
                mine["rate"] / other["rate"], f">= {goal}",
                processor_note(mine, other))


def large(bench, figures):
    goals = {64 << 10: 0.65, MIB: 0.55, 16 * MIB: 0.65}
    with servers.flipd(bench, SERVER_CORE) as ours, \
            servers.mhd_echo(bench, SERVER_CORE) as mhd, \
            servers.mhd_echo(bench, SERVER_CORE, 128) as mhd_best, \
            servers.tcp_echo(bench, SERVER_CORE) as tcp:
        for size, tcp_goal in goals.items():
            request = load.save(bench, "large", load.binary_request(size))
            medians = ask_each(bench, (ours, mhd, mhd_best, tcp), request, 4)
            mine = medians[ours.name]
            for other, goal in ((mhd, 0.95), (mhd_best, 0.95),
                                (tcp, tcp_goal)):
                theirs = medians[other.name]
                figures.add(
                    "HTTP, large, 4 connections",
                    f"{size_name(size)} binary infer",
                    mine["rate"] * size / 1e9, "GB/s each way", other.name,
                    theirs["rate"] * size / 1e9,
                    mine["rate"] / theirs["rate"], f">= {goal}",
                    processor_note(mine, theirs))


def million(bench, figures, jansson_ms):
    """One connection: the time of one answer. Plain C and the raw echo beside
    the first two cases only: the others are like these for them."""
    for case in jansson_ms:
        document = bench.run("tests/bench/bench_text", "--document", case)
        request = load.save(bench, "million", load.http(load.FLIPD, document))
        starters = [servers.flipd]
        if "," not in case:
            starters += [servers.flipd_plain, servers.tcp_echo]
        with contextlib.ExitStack() as stack:
            started = [stack.enter_context(start(bench, SERVER_CORE))
                       for start in starters]
            medians = ask_each(bench, started, request, 1)
        _million(figures, case, medians, jansson_ms[case])


def _million(figures, case, medians, jansson_ms):
    section = "End to end, 1,000,000 FP32 of JSON, 1 connection"
    goals = {"flipd": 45 if "rows of 1," in f"{case}," else 50,
             "flipd, plain C": 25}
    tcp = medians.get("raw TCP echo")
    for name, goal in goals.items():
        if name not in medians:
            continue
        mine = medians[name]["p50_us"] / 1e3
        figures.add(section, f"{name}, {case}", mine, "ms",
                    "jansson parse + dump", jansson_ms, jansson_ms / mine,
                    f">= {goal}")
        if tcp:
            theirs = tcp["p50_us"] / 1e3
            figures.add(section, f"{name}, {case}", mine, "ms", "raw TCP echo",
                        theirs, theirs / mine, ">= 0.33",
                        processor_note(medians[name], tcp))


def _paced(bench, server, request, rate):
    return load.ask(bench, server, request, 16, bench.fair_seconds, rate=rate)


def while_streaming(bench, target, request, once):
    """Runs `once` while 4 clients stream to `target`."""
    seconds = bench.fair_seconds * 1.3 + 1
    stream = threading.Thread(
        target=lambda: load.ask(bench, target, request, 4, seconds))
    stream.start()
    time.sleep(0.5)
    try:
        return once()
    finally:
        stream.join()


def fairness(bench, figures):
    """The daemon with its defaults, not pinned. The control streams to another
    server, so its p99 shows the cost of shared cores alone."""
    little = load.save(bench, "little", load.binary_request(4096))
    big = load.save(bench, "big", load.binary_request(64 * MIB))
    # So few that an answer of 40 ms makes no queue.
    rate = 400
    with servers.flipd(bench) as ours, servers.tcp_echo(bench, None) as tcp:
        once = lambda: _paced(bench, ours, little, rate)
        medians = interleave(bench.rounds, {
            "alone": once,
            "with": lambda: while_streaming(bench, ours, big, once),
            "control": lambda: while_streaming(bench, tcp, big, once)})
    section = f"p99 of 4 KiB at {rate} req/s, 4 clients streaming 64 MiB"
    mine = medians["with"]["p99_us"]
    alone, control = medians["alone"]["p99_us"], medians["control"]["p99_us"]
    figures.add(section, "beside flipd without them", mine, "us", "alone",
                alone, alone / mine, ">= 0.33")
    figures.add(section, "beside flipd, they stream to a raw echo", mine, "us",
                "control", control, control / mine,
                note="what two shared cores alone do")
    figures.add(section, "median instead of p99", medians["with"]["p50_us"],
                "us", "alone", medians["alone"]["p50_us"],
                medians["alone"]["p50_us"] / medians["with"]["p50_us"])


def linear(bench, figures):
    """One connection: time per byte by size of the body; the raw echo shows the
    share of the memory hierarchy and the kernel."""
    sizes = [MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB]
    first = {}
    with servers.flipd(bench, SERVER_CORE) as ours, \
            servers.tcp_echo(bench, SERVER_CORE) as tcp:
        for size in sizes:
            request = load.save(bench, "linear", load.binary_request(size))
            medians = ask_each(bench, (ours, tcp), request, 1)
            wall = {name: m["p50_us"] * 1e3 / size
                    for name, m in medians.items()}
            core = medians[ours.name]["cpu_us"] * 1e3 / size
            first = first or {**wall, "core": core, "size": size_name(size)}
            figures.add(
                "Time per byte, 1 connection", size_name(size),
                wall[ours.name], "ns/byte", tcp.name, wall[tcp.name],
                wall[tcp.name] / wall[ours.name], "<= 1.3 x that of 1 MiB",
                f"{wall[ours.name] / first[ours.name]:.2f} x 1 MiB's, core "
                f"time {core / first['core']:.2f} x; raw echo "
                f"{wall[tcp.name] / first[tcp.name]:.2f} x")
    figures.add("Time per byte, 1 connection",
                f"{size_name(sizes[-1])} beside {first['size']}",
                wall[ours.name], "ns/byte", first["size"], first[ours.name],
                first[ours.name] / wall[ours.name], ">= 0.77",
                "grows by 1.3 x at most")


def memory(bench, figures):
    """The memory of an idle daemon after large bodies."""
    for size, connections in ((64 * MIB, 4), (256 * MIB, 1)):
        request = load.save(bench, "memory", load.binary_request(size))
        with servers.flipd(bench) as ours:
            load.ask(bench, ours, request, connections, 0.5)
            at_once = ours.resident_mib()
            start = time.monotonic()
            while ours.resident_mib() >= 64 and time.monotonic() - start < 60:
                time.sleep(0.5)
            waited = time.monotonic() - start
            figures.add(
                "Memory at rest", f"after {size_name(size)} bodies, "
                f"{connections} connections", ours.resident_mib(), "MiB",
                goal="< 64 within 60 s",
                note=f"{at_once:.0f} MiB at once; after {waited:.0f} s")
