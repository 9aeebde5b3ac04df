"""`sent` in the log is what went out of a reply's body, whole or not, and the
metric is the sum.

Argument after those of wire.py: the log, in JSON."""

import sys

from question import PATH, column
from wire import (Wire, ask, equal, finish, log_lines, logged, metric, request,
                  true)

log = sys.argv[3]
ROWS = 1 << 23
TOTAL = 'flipd_bytes_total{direction="sent"}'


def line_of(name):
    """The line of the request whose id or status is `name`."""
    field = {"status" if isinstance(name, int) else "id": name}
    return (logged(log, message="request", **field) or [{}])[-1]


def plain(name, method, path, body=None, headers=()):
    reply = ask(method, path, body, [f"X-Request-Id: {name}", *headers])
    equal(f"{name}: sent", len(reply.body), line_of(name).get("sent"))
    return reply


def refused_early(name, text, status):
    """The request never comes whole; only its status names it if its line was
    refused."""
    with Wire() as wire:
        wire.send(text)
        reply = wire.reply()
    equal(name, status, reply.status)
    true(f"{name}: an empty body", reply.body)
    line = line_of(name)
    equal(f"{name}: logged", (status, len(reply.body)),
          (line.get("status"), line.get("sent")))


def leaves():
    """Asks for 32 MiB, takes a few bytes and resets."""
    with Wire(receive_buffer=4096) as wire:
        wire.send(column("FP32", ROWS, bytes(4 * ROWS),
                         ["X-Request-Id: leaves"]))
        wire.take(1000)
        wire.reset()
    line = line_of("leaves")
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
total = sum(line["sent"] for line in log_lines(log, message="request"))
equal("the metric", total, metric(TOTAL))
finish()
