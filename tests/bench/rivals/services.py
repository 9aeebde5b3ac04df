"""Model servers beside flipd: the same client, the same requests, server on
one core and client on the other."""

import http.client
import json
import struct

import load
import start
import servers
import sweep
from over_http import (SERVER_CORE, interleave, processor_note,
                       size_name)

MIB = 1 << 20
CASES = (("binary", 4096, 8, 10), ("JSON", 4096, 8, 10),
         ("binary", MIB, 4, 3), ("JSON", MIB, 4, 10))
SECTION = "Services, one core each"
# Its operator is flipd's own, so only the servers differ: no goal was set.
WITHOUT_GOAL = ("Triton (C backend)",)


def path_of(server):
    return load.FLIPD if server.name == "flipd" else start.PATH


def answer_of(server, request):
    """Returns head and body of one answer, by http.client."""
    return ask_once(server, path_of(server), request)


def ask_once(server, path, request):
    head, body = request.split(b"\r\n\r\n", 1)
    headers = dict(line.split(": ", 1)
                   for line in head.decode().split("\r\n")[1:])
    connection = http.client.HTTPConnection("127.0.0.1", server.port,
                                            timeout=30)
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise servers.Failed(f"status {answer.status} "
                             f"{body[:120].decode(errors='replace')}")
    return answer.getheader("Inference-Header-Content-Length"), body


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def flat(data):
    while data and isinstance(data[0], list):
        data = [one for part in data for one in part]
    return data


def data_of(header, body):
    """The first output's FP32 data."""
    if header is None:
        return floats(flat(json.loads(body)["outputs"][0]["data"]))
    return body[int(header):]


def check(server, form):
    """A server is measured only if its answer equals flipd's, in the requested
    form."""
    request = load.BUILDERS[form](4096, path_of(server))
    header, body = answer_of(server, request)
    if (header is not None) != (form == "binary"):
        raise servers.Failed(f"it answers {form} in the other form")
    return data_of(header, body)


def checked(figures, ours, rivals, form):
    wanted = check(ours, form)
    good = []
    for rival in rivals:
        lacks = start.LACKS.get((rival.name, form))
        if lacks:
            figures.miss(f"{rival.name}, {form}", lacks, failed=False)
            continue
        try:
            if check(rival, form) != wanted:
                raise servers.Failed("its answer is not the right one")
            good.append(rival)
        except (servers.Failed, OSError, ValueError, KeyError,
                http.client.HTTPException) as e:
            figures.miss(f"{rival.name}, {form}", str(e))
    return good


def compare(bench, figures, ours, rivals):
    for form, size, connections, goal in CASES:
        medians = interleave(bench.rounds, {
            server.name: sweep.asker(bench, server, form, path_of(server),
                                     connections, bench.seconds)(size)
            for server in (ours, *rivals[form])})
        mine = medians[ours.name]
        for rival in rivals[form]:
            theirs = medians[rival.name]
            figures.add(SECTION, f"{size_name(size)} {form}, "
                        f"{connections} connections", mine["rate"], "req/s",
                        rival.name, theirs["rate"],
                        mine["rate"] / theirs["rate"],
                        "" if rival.name in WITHOUT_GOAL else f">= {goal}",
                        f"p99 {mine['p99_us'] / 1e3:.2f} / "
                        f"{theirs['p99_us'] / 1e3:.2f} ms; "
                        f"{processor_note(mine, theirs)}")


def picture(bench, figures, head, ours, rivals):
    askers = {}
    for form in load.BUILDERS:
        for server in (ours, *rivals[form]):
            askers[f"{server.name} {form}"] = sweep.asker(
                bench, server, form, path_of(server))
    sweep.draw(bench, figures, "rivals_throughput",
               sweep.lines(bench, figures, askers), head,
               "flipd beside model servers")


def start_all(bench, figures, venvs):
    started = []
    for starter, venv in start.STARTERS:
        if venv not in venvs:
            continue
        try:
            started.append(starter(bench, venvs[venv], SERVER_CORE))
        except (servers.Failed, OSError) as e:
            figures.miss(starter.__name__, str(e))
    return started


def measure(bench, figures, venvs, head):
    rivals = start_all(bench, figures, venvs)
    try:
        with servers.flipd(bench, SERVER_CORE) as ours:
            good = {form: checked(figures, ours, rivals, form)
                    for form in load.BUILDERS}
            compare(bench, figures, ours, good)
            picture(bench, figures, head, ours, good)
    finally:
        for rival in rivals:
            rival.stop()
