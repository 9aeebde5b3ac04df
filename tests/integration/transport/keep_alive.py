"""Requests on one connection are answered in order, for any split of the bytes
and any chunks of a body."""

import random
import time

from question import PATH, Question
from wire import (WOULD_BLOCK, Wire, equal, finish, open_files, request, true,
                  within)


class Get:
    """A request other than inference, with its expected status."""

    def __init__(self, method, path, status, body=None, text=b""):
        self.method, self.status, self.text = method, status, text
        self.data = request(method, path, body)

    def request(self):
        return self.data

    def check(self, reply, what):
        equal(f"{what}: status of {reply}", self.status, reply.status)
        true(f"{what}: {reply}", self.text in reply.body)


def mixed(count):
    """Every kind of request, each with a distinct answer."""
    kinds = [
        lambda n: Question(n),
        lambda n: Get("GET", "/v2/health/live", 200, None, b"live"),
        lambda n: Question(n, binary=True),
        lambda n: Get("POST", PATH, 400, b"{" * n, b"byte"),
        lambda n: Get("GET", f"/v2/models/model{n}", 404, None, b"model%d" % n),
        lambda n: Question(n, time=9, batch=3, width=n % 7 + 1),
        lambda n: Get("DELETE", "/v2/models", 405, None, b"DELETE"),
        lambda n: Get("HEAD", "/v2", 200),
        lambda n: Get("POST", PATH, 400, b"", b"byte 0"),
        lambda n: Question(n, time=50, batch=4, width=8, binary=n % 2 == 0),
        lambda n: Get("POST", "/v2/nothing", 404, b"x" * n, b"nothing"),
    ]
    return [kinds[n % len(kinds)](n) for n in range(count)]


def read_all(what, wire, questions):
    for number, question in enumerate(questions):
        reply = wire.reply(getattr(question, "method", "POST"))
        question.check(reply, f"{what}: {number}:")
        if reply.closes():
            return true(f"{what}: closes after {number}", False)


def one_write():
    questions = mixed(200)
    with Wire() as wire:
        wire.send(b"".join(q.request() for q in questions))
        read_all("200 in one write", wire, questions)


def odd_splits():
    random.seed(7)
    questions = mixed(200)
    data = b"".join(q.request() for q in questions)
    with Wire() as wire:
        at = 0
        while at < len(data):
            size = random.choice((1, 2, 3, 17, 1021, 4099))
            wire.send(data[at:at + size])
            at += size
            if size < 4:
                time.sleep(0.001)
        read_all("split at odd places", wire, questions)


def every_byte():
    questions = mixed(5)
    with Wire() as wire:
        for byte in b"".join(q.request() for q in questions):
            wire.send(bytes([byte]))
            time.sleep(0.0002)
        read_all("byte by byte", wire, questions)


def each_split():
    """Two requests, split in two at every seventh offset."""
    questions = [Question(1, binary=True), Question(2)]
    data = b"".join(q.request() for q in questions)
    with Wire() as wire:
        for at in range(1, len(data), 7):
            wire.send(data[:at])
            time.sleep(0.0005)
            wire.send(data[at:])
            read_all(f"cut at {at}", wire, questions)


def chunked(body, sizes):
    """A chunked body; extensions and trailers are ignored."""
    parts, at, number = [], 0, 0
    while at < len(body):
        size = min(sizes[number % len(sizes)], len(body) - at)
        extension = b";a=b" if number % 5 == 4 else b""
        parts.append(b"%x%s\r\n%s\r\n" % (size, extension, body[at:at + size]))
        at, number = at + size, number + 1
    return b"".join(parts) + b"0\r\nA-Trailer: x\r\n\r\n"


def chunks():
    with Wire() as wire:
        for sizes in [1], [2, 1, 3], [1000], [1, 5000], [1 << 20]:
            for binary in False, True:
                question = Question(len(sizes), 40, 3, 5, binary)
                length, body = question.body()
                headers = ["Transfer-Encoding: chunked"]
                if binary:
                    headers.append(
                        f"Inference-Header-Content-Length: {length}")
                wire.send(request("POST", PATH, None, headers) +
                          chunked(body, sizes))
                question.check(wire.reply(), f"chunks of {sizes}, question")


def surplus():
    """Requests, cut at a byte, then one that is no HTTP, which ends the connection,
    and bytes that the daemon never reads: all answers arrive."""
    questions, files = mixed(200), open_files()
    data = b"".join(q.request() for q in questions)
    live = request("GET", "/v2/health/live")
    for cut in range(1, len(data), len(data) // 30):
        with Wire() as wire:
            wire.send(data[:cut])
            time.sleep(0.001)
            wire.send(data[cut:] +
                      b"GET /v2 HTTP/1.1\r\nHost a\r\n\r\n" + live * 1000)
            read_all(f"before what is no HTTP, cut at {cut}", wire, questions)
            equal("what is no HTTP", 400, wire.reply().status)
            true("not closed after what is no HTTP", wire.ends(3))
    true(f"{open_files()} descriptors are open, {files} were",
         within(5, lambda: open_files() <= files))


def one_after_the_other():
    with Wire() as wire:
        for number in range(500):
            question = Question(number, binary=number % 2 == 1)
            wire.send(question.request())
            question.check(wire.reply(), "kept alive, question")


def pipelined_large():
    """Sends large and small requests together, reads the answers later."""
    questions = [Question(n, 1000, 8, n % 60 + 1, n % 3 > 0)
                 for n in range(12)]
    with Wire() as wire:
        data = b"".join(q.request() for q in questions)
        wire.socket.setblocking(False)
        sent = 0
        while sent < len(data):
            try:
                sent += wire.socket.send(data[sent:sent + 65536])
            except WOULD_BLOCK:
                try:
                    wire.buffer += wire.socket.recv(65536)
                except WOULD_BLOCK:
                    time.sleep(0.001)
        wire.socket.settimeout(20)
        read_all("large ones in one go", wire, questions)


def refused_bodies():
    """A body that nobody wants is dropped; what follows it is a request."""
    sizes = [1, 20_000, 70_000, 300_001, 1 << 20, 4 << 20]
    with Wire() as wire:
        for size in sizes:
            for how in "in one go", "in pieces":
                refused = Get("POST", "/v2/nothing", 404, b"x" * size)
                asked = Question(size)
                data = refused.request() + asked.request()
                step = len(data) if how == "in one go" else 99_999
                for at in range(0, len(data), step):
                    wire.send(data[at:at + step])
                read_all(f"{size} bytes {how}", wire, [refused, asked])
    with Wire() as wire:
        wire.send_if_open(request("POST", "/v2/nothing", b"x" * ((4 << 20) + 1)))
        reply = wire.reply()
        equal("a larger body: status", 404, reply.status)
        true("a larger body: open", reply.closes())


one_write()
odd_splits()
every_byte()
each_split()
chunks()
surplus()
one_after_the_other()
pipelined_large()
refused_bodies()
finish()
