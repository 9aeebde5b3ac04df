"""`sent` in the log is what went out of a reply's body, whole or not, and the
metric is the sum.

Argument after those of wire.py: the log, in JSON."""

import json
import sys

from question import PATH, column
from wire import Wire, ask, equal, finish, metric, request, true, within

log = sys.argv[3]
ROWS = 1 << 23
TOTAL = 'flipd_bytes_total{direction="sent"}'


def lines():
    with open(log, encoding="utf-8") as file:
        return [line for line in map(json.loads, file)
                if line["message"] == "request"]


def logged(name):
    """The line of the request whose id or status is `name`."""
    found = []

    def look():
        found[:] = [line for line in lines()
                    if name in (line["id"], line["status"])]
        return found
    true(f"no line for {name}", within(5, look))
    return found[-1] if found else {}


def plain(name, method, path, body=None, headers=()):
    reply = ask(method, path, body, [f"X-Request-Id: {name}", *headers])
    equal(f"{name}: sent", len(reply.body), logged(name).get("sent"))
    return reply


def refused_early(name, text, status):
    """The request never comes whole; only its status names it if its line was
    refused."""
    with Wire() as wire:
        wire.send(text)
        reply = wire.reply()
    equal(name, status, reply.status)
    true(f"{name}: an empty body", reply.body)
    line = logged(name)
    equal(f"{name}: logged", (status, len(reply.body)),
          (line.get("status"), line.get("sent")))


def leaves():
    """Asks for 32 MiB, takes a few bytes and resets."""
    with Wire(receive_buffer=4096) as wire:
        wire.send(column("FP32", ROWS, bytes(4 * ROWS),
                         ["X-Request-Id: leaves"]))
        wire.take(1000)
        wire.reset()
    line = logged("leaves")
    equal("leaves: status", 499, line.get("status"))
    true(f"leaves: sent is {line.get('sent')}",
         0 < line.get("sent", 0) < 4 * ROWS)


plain("get", "GET", "/v2")
head = plain("head", "HEAD", "/v2")
true("HEAD: no length", int(head.header("content-length")) > 0)
plain("coded", "GET", "/metrics", headers=["Accept-Encoding: gzip"])
plain("missing", "GET", "/v2/nothing")
refused_early("too-large", request("POST", PATH, None, [
    "X-Request-Id: too-large", "Content-Length: 1000000000"]), 413)
refused_early(505, b"GET /old HTTP/3.0\r\n\r\n", 505)
leaves()
refused_early(400, b"\0\r\n\r\n", 400)
total = sum(line["sent"] for line in lines())
equal("the metric", total, metric(TOTAL))
finish()
