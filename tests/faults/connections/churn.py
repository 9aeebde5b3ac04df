"""C13: connections for one request each, then many requests on few."""

import json
import os
import re
import subprocess

from fault import EXAMPLE, PATH, Fault, pick, wire

SECONDS = pick(1, 20)
SCRIPT = """
wrk.method = "POST"
wrk.body = %s
function response(status, headers, body)
    if status ~= 200 then wrk.thread:stop() end
end
"""


def load(folder, connections, *headers):
    """Returns the requests that were answered; all must be."""
    script = os.path.join(folder, "churn.lua")
    with open(script, "w") as file:
        file.write(SCRIPT % json.dumps(EXAMPLE.decode()))
    said = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--timeout=60s",
         *[part for header in headers for part in ("-H", header)],
         "-s", script, f"http://{wire.address}{PATH}"],
        capture_output=True, text=True).stdout
    wire.true(f"wrk: {said}", "Non-2xx" not in said and
              "Socket errors" not in said)
    return int(re.search(r"(\d+) requests in", said)[1])


def attack(daemon):
    files = wire.open_files()
    fresh = load(daemon.folder.name, 20, "Connection: close")
    kept = load(daemon.folder.name, 200)
    wire.true("descriptors stay open", wire.within(
        5, lambda: wire.open_files() <= files))
    return (f"{fresh} connections of one request, {kept} requests on 200 "
            f"connections, 0 errors")


Fault("C13", "churn").run(attack)
