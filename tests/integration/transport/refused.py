"""Requests that libmicrohttpd refuses by itself: each is answered, and its
status is logged and counted. refused.py is given the daemon's log."""

import sys
import time

from wire import Wire, equal, finish, request, true, within

HOST = "Host: x\r\n"
POST = f"POST /v2/models/onnx.ReverseSequence/infer HTTP/1.1\r\n{HOST}"
GOOD = f"GET /v2 HTTP/1.1\r\n{HOST}\r\n"  # in the same packet
UNREADABLE = "cannot be read"
CASES = [
    ("a header without a colon", f"GET /v2 HTTP/1.1\r\n{HOST}x\r\n\r\n", 400, ""),
    ("no host", "GET /v2 HTTP/1.1\r\n\r\n", 400, ""),
    ("a version", f"GET /v2 HTTP/3.0\r\n{HOST}\r\n", 505, ""),
    ("a long path", f"GET /{'a' * 40000} HTTP/1.1\r\n{HOST}\r\n", 414, ""),
    ("a long header", f"GET /v2 HTTP/1.1\r\n{HOST}A: {'a' * 40000}\r\n\r\n",
     431, ""),
    ("a coding", f"{POST}Transfer-Encoding: x\r\n\r\n", 501, ""),
    ("a length", f"{POST}Content-Length: x\r\n\r\n", 400, ""),
    ("a chunk", f"{POST}Transfer-Encoding: chunked\r\n\r\nx\r\n", 400, ""),
    ("a large chunk",
     f"{POST}Transfer-Encoding: chunked\r\n\r\n{'f' * 300}\r\n", 413, ""),
    # libmicrohttpd closes without an answer on these.
    ("a NUL in the path", f"GET /v2\0 HTTP/1.1\r\n{HOST}\r\n", 400, UNREADABLE),
    ("a NUL in the method", f"G\0T /v2 HTTP/1.1\r\n{HOST}\r\n", 400, UNREADABLE),
    ("two empty lines", f"\r\n\r\nGET /v2 HTTP/1.1\r\n{HOST}\r\n", 400,
     UNREADABLE),
    ("no words", "\1\2\3\r\n\r\n", 400, UNREADABLE),
]


def late_sender():
    """A client that sends on after the answer is not reset: it would lose the
    answer, or stop at the failed send and not look for one."""
    with Wire() as wire:
        wire.send(f"{POST}Transfer-Encoding: chunked\r\n\r\nx\r\n".encode())
        equal("a late sender: status", 400, wire.reply().status)
        true("a late sender: is not closed", wire.ends(3))
        try:
            for _ in range(3):
                time.sleep(0.05)
                wire.send(b"a" * 1000)
        except OSError as error:
            true(f"a late sender: {error}", False)


def counted(status):
    with Wire() as wire:
        wire.send(request("GET", "/metrics"))
        text = wire.reply().body.decode()
    return sum(int(line.split()[-1]) for line in text.splitlines()
               if line.startswith("flipd_http_requests_total") and
               f'code="{status}"' in line)


def logged(status):
    with open(sys.argv[3]) as log:
        return sum(f" status={status} " in line for line in log)


def grew(status, before):
    """By one; a line may follow the answer."""
    return (counted(status), logged(status)) == (before[0] + 1, before[1] + 1)


def check(what, text, status, part, good=""):
    before = counted(status), logged(status)
    with Wire() as wire:
        wire.send_if_open((good + text).encode())
        if good:
            equal(f"{what}: before it", 200, wire.reply().status)
        reply = wire.reply()
        equal(f"{what}: status", status, reply.status)
        if part:
            true(f"{what}: {reply.body}", part in reply.json()["error"])
            equal(f"{what}: type", "application/json",
                  reply.header("Content-Type"))
        true(f"{what}: open", wire.ends(3))
    true(f"{what}: not counted and logged once as {status}",
         within(3, lambda: grew(status, before)))


def silent():
    """Connections that end by themselves are no refused requests."""
    before = counted(400), logged(400), logged(0)
    for text in b"", b"GET /v", b"\r\n":
        with Wire() as wire:
            wire.send(text)
            wire.half_close()
            equal(f"{text} and the end: an answer", b"", wire.rest())
    with Wire() as wire:
        wire.send(request("GET", "/v2"))
        equal("before the end", 200, wire.reply().status)
    equal("after connections that ended", before,
          (counted(400), logged(400), logged(0)))


for case in CASES:
    check(*case)
    check(f"{case[0]}, behind a request", *case[1:], GOOD)
silent()
late_sender()
equal("lines without a status", 0, logged(0))
finish()
