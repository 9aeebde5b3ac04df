"""Requests that libmicrohttpd refuses by itself: each is answered in the form of
all errors, and its status is logged and counted. refused.py is given the
daemon's log; --cors-allow-origin is ORIGIN."""

import sys
import time

from wire import Wire, equal, finish, request, true, within

ORIGIN = "http://a.example"
HOST = "Host: x\r\n"
GET = f"GET /v2 HTTP/1.1\r\n{HOST}"
POST = f"POST /v2/models/onnx.ReverseSequence/infer HTTP/1.1\r\n{HOST}" \
       f"Origin: {ORIGIN}\r\nContent-Type: application/json\r\n"
CHUNKS = f"{POST}Transfer-Encoding: chunked\r\n\r\n"
GOOD = f"{GET}\r\n"  # in the same packet
UNREADABLE = "cannot be read"
LIMIT = "line and headers may take "

# Name, status, a part of the text, the request
CASES = [
    # The request line
    ("a version", 505, "HTTP/1.1 and 1.0", f"GET /v2 HTTP/3.0\r\n{HOST}\r\n"),
    ("version 0.9", 505, "HTTP/1.1 and 1.0", f"GET /v2 HTTP/0.9\r\n{HOST}\r\n"),
    ("no version", 400, UNREADABLE, "GET /v2 HTTP/1.1x\r\n\r\n"),
    ("two words", 400, UNREADABLE, f"GET /v2\r\n{HOST}\r\n"),
    ("four words", 400, "three words", f"GET /v2 x HTTP/1.1\r\n{HOST}\r\n"),
    ("a bare LF", 400, "an LF", f"GET /v2 HTTP/1.1\n{HOST}\r\n"),
    ("a bare CR", 400, "a CR", f"GET /v2\r HTTP/1.1\r\n{HOST}\r\n"),
    ("a long path", 414, LIMIT, f"GET /{'a' * 40000} HTTP/1.1\r\n{HOST}\r\n"),
    ("a long path, another method", 414, LIMIT,
     f"FOO /{'a' * 40000} HTTP/1.1\r\n{HOST}\r\n"),
    ("a long query", 431, LIMIT,
     f"GET /v2?{'a=b&' * 5000} HTTP/1.1\r\n{HOST}\r\n"),
    ("a long method", 414, LIMIT, f"{'A' * 40000} /v2 HTTP/1.1\r\n{HOST}\r\n"),
    ("a long method and headers", 501, LIMIT,
     f"{'A' * 20000} /v2 HTTP/1.1\r\n{HOST}A: {'a' * 20000}\r\n\r\n"),
    # The headers
    ("a long header", 431, LIMIT, f"{GET}A: {'a' * 40000}\r\n\r\n"),
    ("a long token", 431, LIMIT,
     f"{GET}Authorization: Bearer {'a' * 40000}\r\n\r\n"),
    ("a long header of HEAD", 431, "",
     f"HEAD /v2 HTTP/1.1\r\n{HOST}A: {'a' * 40000}\r\n\r\n"),
    ("many headers", 431, LIMIT, GET + "A: b\r\n" * 5000 + "\r\n"),
    ("long cookies", 431, LIMIT, f"{GET}Cookie: {'a=b; ' * 5000}\r\n\r\n"),
    ("no colon", 400, "no colon", f"{GET}x\r\n\r\n"),
    ("no name", 400, "no name", f"{GET}: x\r\n\r\n"),
    ("a space in a name", 400, "no colon, or a space before it", f"{GET}A B: c\r\n\r\n"),
    ("a space first", 400, "begins with a space",
     f"GET /v2 HTTP/1.1\r\n {HOST}\r\n"),
    ("a fold", 400, "folded", f"{GET}A: b\r\n c\r\n\r\n"),
    ("a bare CR in a header", 400, "a CR", f"{GET}A: b\rc\r\n\r\n"),
    ("a bare LF in a header", 400, "an LF", f"{GET}A: b\nC: d\r\n\r\n"),
    ("a NUL in a header", 400, "NUL", f"{GET}A: b\0c\r\n\r\n"),
    ("a character in a name", 400, "character that no name",
     f"{GET}A\1: b\r\n\r\n"),
    ("no host", 400, "Host, which is absent", "GET /v2 HTTP/1.1\r\n\r\n"),
    ("two hosts", 400, "Host was given twice", f"{GET}{HOST}\r\n"),
    ("no host of HEAD", 400, "", "HEAD /v2 HTTP/1.1\r\n\r\n"),
    # The length of the body
    ("a coding", 501, "only Transfer-Encoding",
     f"{POST}Transfer-Encoding: x\r\n\r\n"),
    ("two codings", 400, "only Transfer-Encoding",
     POST + "Transfer-Encoding: chunked\r\n" * 2 + "\r\n"),
    ("a coding of HTTP/1.0", 400, "HTTP/1.0",
     f"{POST.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n"),
    ("a coding and a length", 400, "exclude each other",
     f"{POST}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"),
    ("a length", 400, "Content-Length is no integer",
     f"{POST}Content-Length: x\r\n\r\n"),
    ("a length of 2^64", 400, "at most 18446744073709551614",
     f"{POST}Content-Length: {2 ** 64}\r\n\r\n"),
    ("a length of 2^64 - 1", 413, "above 18446744073709551614",
     f"{POST}Content-Length: {2 ** 64 - 1}\r\n\r\n"),
    ("two lengths", 400, "Content-Length was given twice",
     POST + "Content-Length: 2\r\n" * 2 + "\r\n"),
    # Chunks and what follows them
    ("a chunk", 400, "chunked body is malformed", f"{CHUNKS}x\r\n"),
    ("a chunk without its end", 400, "chunked body is malformed",
     f"{CHUNKS}2\r\n{{}}2\r\n"),
    ("a large chunk", 413, "size of a chunk", f"{CHUNKS}{'f' * 300}\r\n"),
    ("a long size", 413, LIMIT, f"{CHUNKS}{'0' * 40000}\r\n"),
    ("a long extension", 413, LIMIT, f"{CHUNKS}2;{'a' * 40000}\r\n"),
    ("long trailers", 431, LIMIT, CHUNKS + "0\r\n" + "A: b\r\n" * 5000 + "\r\n"),
    # libmicrohttpd drops the headers, for its answer finds no space.
    ("trailers that fill the memory", 431, LIMIT,
     f"{CHUNKS}0\r\n" + f"A: {'b' * 100}\r\n" * 400 + "\r\n"),
    *[(f"trailer {line!r}", 400, part, f"{CHUNKS}0\r\n{line}\r\n\r\n")
      for line, part in (("x", "a trailer has no colon"),
                         (": x", "a trailer has no name"),
                         (" A: b", "trailer begins with a space"),
                         ("A : b", "no colon, or a space before it"),
                         ("A: b\r\n c", "folded"), ("A: b\rc", "a CR"),
                         ("A: b\nC: d", "an LF"), ("A: \0", "a NUL"))],
    # libmicrohttpd closes without an answer on these.
    ("a NUL in the path", 400, UNREADABLE, f"GET /v2\0 HTTP/1.1\r\n{HOST}\r\n"),
    ("a NUL in the method", 400, UNREADABLE, f"G\0T /v2 HTTP/1.1\r\n{HOST}\r\n"),
    ("two empty lines", 400, UNREADABLE,
     f"\r\n\r\nGET /v2 HTTP/1.1\r\n{HOST}\r\n"),
    ("no words", 400, UNREADABLE, "\1\2\3\r\n\r\n"),
]


def trailers_after_an_answer():
    """libmicrohttpd drops the headers of a request that was answered before its
    body: the log does not show what lies there then."""
    with Wire() as wire:
        wire.send(f"POST /v2/nothing HTTP/1.1\r\n{HOST}X-Request-Id: early\r\n"
                  f"User-Agent: a\r\nTraceparent: 00-{'1' * 32}-{'2' * 16}-01"
                  "\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        reply = wire.reply()
        equal("an answer before the trailers", 404, reply.status)
        equal("its id", "early", reply.header("X-Request-Id"))
        wire.send_if_open(b"0\r\n" + f"A: {'b' * 100}\r\n".encode() * 400 +
                          b"\r\n")
        wire.rest()
    true("it is not logged once", within(3, lambda: logged(404, " id=early ") == 1))
    with open(sys.argv[3]) as log:
        for line in log:
            if "HTTP/1.1 431" in line:
                true(f"logged: {line}", False)


def late_sender():
    """A client that sends on after the answer is not reset: it would lose the
    answer, or stop at the failed send and not look for one."""
    with Wire() as wire:
        wire.send(f"{CHUNKS}x\r\n".encode())
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


def logged(status, text=""):
    with open(sys.argv[3]) as log:
        return sum(f" status={status} " in line and text in line for line in log)


def grew(status, before):
    """By one; a line may follow the answer."""
    return (counted(status), logged(status)) == (before[0] + 1, before[1] + 1)


def answer(what, wire, text, status, part):
    head_only = text.startswith("HEAD")
    reply = wire.reply("HEAD" if head_only else "GET")
    equal(f"{what}: status", status, reply.status)
    equal(f"{what}: type", "application/json", reply.header("Content-Type"))
    equal(f"{what}: connection", "close", reply.header("Connection"))
    equal(f"{what}: origin", ORIGIN,
          reply.header("Access-Control-Allow-Origin"))
    true(f"{what}: length", int(reply.header("Content-Length")) > 10)
    if not head_only:
        equal(f"{what}: keys", ["error"], list(reply.json()))
        true(f"{what}: {reply.body}", part in reply.json()["error"])
    true(f"{what}: open", wire.ends(3))


def check(what, status, part, text):
    for before in "", "in one packet", "kept":
        counts = counted(status), logged(status)
        where = f"{what}, {before}"
        with Wire() as wire:
            if before == "kept":
                wire.send(GOOD.encode())
                equal(f"{where}: before it", 200, wire.reply().status)
            good = GOOD if before == "in one packet" else ""
            wire.send_if_open((good + text).encode("latin-1"))
            if good:
                equal(f"{where}: before it", 200, wire.reply().status)
            answer(where, wire, text, status, part)
        true(f"{where}: not counted and logged once as {status}",
             within(3, lambda: grew(status, counts)))


def long_header(length, method="GET"):
    return f"{method} /v2/health/live HTTP/1.1\r\n{HOST}Origin: {ORIGIN}\r\n" \
           f"A: {'a' * length}\r\n\r\n"


def fits(length):
    with Wire() as wire:
        wire.send_if_open(long_header(length).encode())
        return wire.reply().status == 200


def at_the_limit():
    """The first requests that do not fit leave no memory for the head of a
    reply."""
    low, high = 16 << 10, 40000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    true(f"only {low} bytes of a header fit", low > 28000)
    for method in "GET", "HEAD":
        for length in range(high, high + 400, 7):
            text = long_header(length, method)
            with Wire() as wire:
                wire.send_if_open(text.encode())
                answer(f"a header of {length} bytes", wire, text, 431, LIMIT)
    # The first have headers that were read before.
    with open(sys.argv[3]) as log:
        true("no line has the path", any(
            "path=/v2/health/live status=431" in line for line in log))


def head(query="", lines=""):
    return f"GET /v2/health/live{query} HTTP/1.1\r\n{HOST}" \
           f"Connection: close\r\n{lines}\r\n"


# What docs/protocol.md counts, a number of them that fits, and one that it says does not
DOCUMENTED = [
    ("bytes of a path", lambda n: head().replace("live", "a" * (n - 11)),
     30300, 30500),
    ("bytes of a query", lambda n: head("?" + "a" * n), 30200, 30400),
    ("bytes of a header", lambda n: head(lines=f"A: {'a' * (n - 5)}\r\n"),
     30200, 30400),
    ("headers of 64 bytes", lambda n: head(lines=f"A: {'a' * 59}\r\n" * n),
     230, 240),
    ("headers of 4 bytes", lambda n: head(lines="A:\r\n" * n), 440, 450),
    ("arguments a=1", lambda n: head("?" + "&".join(["a=1"] * n)), 440, 450),
    ("arguments a", lambda n: head("?" + "&".join(["a"] * n)), 450, 470),
    ("arguments without a name", lambda n: head("?" + "&" * n), 460, 470),
]


def documented():
    for what, text, fitting, refused in DOCUMENTED:
        for number, statuses in (fitting, (200, 404)), (refused, (414, 431)):
            with Wire() as wire:
                wire.send_if_open(text(number).encode())
                status = wire.reply().status
            true(f"{number} {what}: {status}", status in statuses)


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
at_the_limit()
documented()
trailers_after_an_answer()
silent()
late_sender()
equal("lines without a status", 0, logged(0))
finish()
