"""flipd's client in Python beside tritonclient, and beside http.client with json: one
connection, the same requests to flipd, Triton and MLServer, server on one core and client on the
other."""

import json
import os
import subprocess

import servers
import start
from over_http import CLIENT_CORE, SERVER_CORE, size_name

MIB = 1 << 20
SECTION = "Clients in Python, one call at a time"
OURS, TRITON = "flipd.Client", "tritonclient"
# Form, bytes, calls of a round, goal beside tritonclient: 0.6 of its time.
CASES = (("binary", 4096, 50, ">= 1.67"), ("JSON", 4096, 20, ""), ("binary", 16 * MIB, 1, ""),
         ("shared", 16 * MIB, 5, ""))


def ask(bench, venv, server, model, form, size, calls):
    done = subprocess.run(
        ["taskset", "-c", str(CLIENT_CORE), f"{venv}/bin/python",
         os.path.join(start.HERE, "client_calls.py"), str(server.port), model, form, str(size),
         str(2 * bench.rounds), str(calls)],
        capture_output=True, text=True, timeout=600, env=start.environment(venv))
    if done.returncode != 0:
        raise servers.Failed(f"client_calls.py: {done.stderr.strip()[-400:]}")
    return json.loads(done.stdout)


def beside(bench, figures, venv, server, model):
    for form, size, calls, goal in CASES:
        case = f"{size_name(size)} {form}, {server.name}"
        lacks = start.LACKS.get((server.name, form))
        if lacks:
            figures.miss(case, lacks, failed=False)
            continue
        try:
            times = ask(bench, venv, server, model, form, size, calls)
        except (servers.Failed, subprocess.TimeoutExpired) as e:
            figures.miss(case, str(e))
            continue
        ours = times.pop(OURS)
        for name, theirs in times.items():
            figures.add(SECTION, case, ours["p50"], "us", name, theirs["p50"],
                        theirs["p50"] / ours["p50"], goal if name == TRITON else "",
                        f"p10 {ours['p10']:.0f} / {theirs['p10']:.0f} us; "
                        f"client's core {ours['core']:.0f} / {theirs['core']:.0f} us")


def measure(bench, figures, venvs):
    venv = venvs["client"]
    with servers.flipd(bench, SERVER_CORE, more=("--allow-client-shm",)) as ours:
        beside(bench, figures, venv, ours, "onnx.ReverseSequence")
    for starter, name in ((start.triton, "triton"), (start.mlserver, "mlserver")):
        if name not in venvs:
            continue
        with starter(bench, venvs[name], SERVER_CORE) as rival:
            beside(bench, figures, venv, rival, start.MODEL)
