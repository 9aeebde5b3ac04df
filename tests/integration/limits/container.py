"""One attack on the memory from one address, while a client with another address
sends small requests: all of these are answered.

Usage: container.py ADDRESS PID unread|bombs|headers|both"""

import gzip
import itertools
import os
import socket
import sys
import threading
import time

from question import Question
from wire import SCALE, Closed, Wire, address, fail, finish, true

SECONDS = 4  # of an attack
PATIENCE = 60 * SCALE  # seconds that a connection may wait to be accepted
# With short I/O the small requests arrive so slowly that a crowded port answers
# 408: then there are fewer attackers than connections.
FEWER = 20 if "SHORT_IO" in os.environ else 1
host, port = address.rsplit(":", 1)
head = "POST /v2/models/onnx.ReverseSequence/infer HTTP/1.1\r\nHost: a\r\n"


def bomb():
    """Some 18 KB that become 17 MB: a document with blanks behind it."""
    body = gzip.compress(Question(1).request().partition(b"\r\n\r\n")[2] +
                         b" " * (17 << 20), 9)
    return (head + f"Content-Encoding: gzip\r\nContent-Length: {len(body)}"
            "\r\n\r\n").encode() + body


def announcement():
    return (head + "Content-Length: 60000\r\n\r\n{").encode()


class Crowd:
    """Connections that send one request each, and read nothing; those that are
    closed come again."""

    def __init__(self, requests):
        self.requests = requests
        self.ended = False
        self.sockets = []
        self.connected = 0
        self.thread = threading.Thread(target=self.run)

    def open(self, request):
        attacker = socket.socket()
        attacker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        attacker.settimeout(0.2)
        try:
            attacker.connect((host, int(port)))
            self.connected += 1
            attacker.setblocking(False)
            attacker.send(request)
        except OSError:
            pass
        self.sockets.append(attacker)

    def run(self):
        for request in self.requests:
            if self.ended:
                break
            self.open(request)
        while not self.ended:
            time.sleep(0.1)
        for attacker in self.sockets:
            attacker.close()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *unused):
        self.ended = True
        self.thread.join()


class Other(Wire):
    """A client with another address of the same machine."""

    def __init__(self):
        super().__init__(source="127.0.0.2", limit=PATIENCE)


# 4 KiB of values.
small = Question(3, time=64, batch=4, width=4, binary=True)


def ask_often(seconds):
    """Asks over a connection that stays and over new ones, at least five times.
    Returns how long each answer took."""
    times, end = [], time.monotonic() + seconds * SCALE
    kept = Other()
    for new in itertools.cycle((False, False, False, True)):
        began = time.monotonic()
        if began > end and len(times) >= 5:
            kept.socket.close()
            return times
        wire = Other() if new else kept
        try:
            wire.send(small.request())
            reply = wire.reply()
        except (Closed, OSError):
            true(f"a new connection was closed", not new)
            kept = wire = Other()  # an idle connection may be closed
            wire.send(small.request())
            reply = wire.reply()
        small.check(reply, "a small request, question")
        times.append(time.monotonic() - began)
        if new:
            wire.socket.close()
        time.sleep(0.005)


def attacks(kind):
    sixty_four = Question(5, time=1024, batch=4, width=4, binary=True).request()
    if kind == "unread":
        return [sixty_four] * (3990 // FEWER)
    if kind == "bombs":
        return [bomb()] * 3
    if kind == "headers":
        return [announcement()] * (1114 // FEWER)
    return ([bomb()] * 3 + [announcement()] * (141 // FEWER) +
            [sixty_four] * (500 // FEWER))


kind = sys.argv[3]
with Crowd(attacks(kind)) as crowd:
    try:
        times = sorted(ask_often(SECONDS))
    except Exception as error:
        fail(f"{kind}: a small request: {error!r}")
        times = []
if times:
    print(f"  {kind}: {crowd.connected} attackers connected, {len(times)} small "
          f"requests, p50 {times[len(times) // 2] * 1000:.1f} ms, p99 "
          f"{times[len(times) * 99 // 100] * 1000:.1f} ms, most "
          f"{times[-1] * 1000:.0f} ms")
    true(f"{kind}: no attacker connected", crowd.connected > 0)
finish()
