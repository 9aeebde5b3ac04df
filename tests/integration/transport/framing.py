"""Bytes in, answers out. Each row of CASES is sent on a connection of its own;
HIDDEN is a smuggled request, which must never be answered."""

from wire import (Closed, SCALE, Wire, cpu_seconds, equal, fail, finish, true)

GET = "GET /v2/health/live HTTP/1.1\r\n"
POST = "POST /v2/models/onnx.ReverseSequence/infer HTTP/1.1\r\n"
HOST = "Host: a\r\n"
END = "\r\n"
HIDDEN = "GET /v2/nothing HTTP/1.1\r\nHost: a\r\n\r\n"  # answered with 404
CHUNKED = POST + HOST + "Transfer-Encoding: chunked\r\n"
EMPTY_CHUNKS = "0\r\n\r\n"
LENGTH = f"Content-Length: {len(HIDDEN)}\r\n"

OPEN, CLOSED, EITHER = "stays open", "closes", "closes or stays open"
NONE = 0  # the connection ends without an answer
BAD = {400}
HEAD_TOO_LARGE = {413, 414, 431}

# name, bytes, statuses of the answers (a set: any of these), state afterwards
CASES = [
    ("plain", GET + HOST + END, [200], OPEN),
    ("two at once", (GET + HOST + END) * 2, [200, 200], OPEN),
    ("Connection: close", GET + HOST + "Connection: close\r\n\r\n", [200],
     CLOSED),
    ("HTTP/1.0", "GET /v2/health/live HTTP/1.0\r\n\r\n", [200], CLOSED),
    ("HTTP/1.0 keep-alive", "GET /v2/health/live HTTP/1.0\r\n" + HOST +
     "Connection: Keep-Alive\r\n\r\n", [200], OPEN),
    ("empty line first", "\r\n" + GET + HOST + END, [200], OPEN),
    ("absolute form", "GET http://b/v2/health/live HTTP/1.1\r\n" + HOST + END,
     [200], OPEN),
    ("names in any case", GET + "hOST: a\r\ncOntent-lEngth: 0\r\n\r\n", [200],
     OPEN),
    ("body of a GET", GET + HOST + LENGTH + END + HIDDEN, [200], OPEN),

    # H1: both lengths
    ("length and chunked", CHUNKED + "Content-Length: 5\r\n\r\n" +
     EMPTY_CHUNKS + HIDDEN, [BAD], CLOSED),
    ("chunked and length", POST + HOST + LENGTH +
     "Transfer-Encoding: chunked\r\n\r\n" + EMPTY_CHUNKS + HIDDEN, [BAD],
     CLOSED),
    # H2: two lengths
    ("two lengths", POST + HOST + "Content-Length: 0\r\n" + LENGTH + END +
     HIDDEN, [BAD], CLOSED),
    ("two lengths, turned", POST + HOST + LENGTH + "Content-Length: 0\r\n" +
     END + HIDDEN, [BAD], CLOSED),
    ("the same length twice", POST + HOST + LENGTH * 2 + END + HIDDEN, [BAD],
     EITHER),
    # H3: invalid lengths
    *[(f"length {value!r}", POST + HOST + f"Content-Length: {value}\r\n\r\n" +
       HIDDEN, [BAD], CLOSED)
      for value in ("5, 5", "+5", "-1", "0x5", "", "5 5", "5,", "1e1", "5_0")],
    *[(f"length {value}", POST + HOST + f"Content-Length: {value}\r\n\r\n" +
       HIDDEN, [{400, 413}], CLOSED)
      for value in (2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1, 2 ** 64, 10 ** 40)],
    ("space around a length", POST + HOST +
     f"Content-Length: \t{len(HIDDEN)} \r\n\r\n" + HIDDEN, [BAD], EITHER),
    # H4: codings
    *[(f"coding {value!r}", POST + HOST + f"Transfer-Encoding: {value}\r\n" +
       END + EMPTY_CHUNKS + HIDDEN, [501], CLOSED)
      for value in ("gzip, chunked", "identity", "xchunked", "\x0bchunked",
                    "chunked, identity", "chunked, chunked", "gzip", "",
                    "chunked;a=b")],
    ("coding in capitals", POST + HOST + "Transfer-Encoding: CHUNKED\r\n\r\n" +
     EMPTY_CHUNKS, [BAD], OPEN),
    ("two codings", CHUNKED + "Transfer-Encoding: chunked\r\n\r\n" +
     EMPTY_CHUNKS + HIDDEN, [{400, 501}], CLOSED),
    # H5: space before the colon
    ("Transfer-Encoding :", POST + HOST + "Transfer-Encoding : chunked\r\n" +
     LENGTH + END + HIDDEN, [BAD], CLOSED),
    ("Content-Length :", POST + HOST + f"Content-Length : {len(HIDDEN)}\r\n" +
     END + HIDDEN, [BAD], CLOSED),
    # H6: folded lines
    ("fold that spells a length", GET + HOST + "A: b\r\n " + LENGTH + END +
     HIDDEN, [BAD], CLOSED),
    ("fold that spells a coding", GET + HOST +
     "A: b\r\n\tTransfer-Encoding: chunked\r\n\r\n" + EMPTY_CHUNKS + HIDDEN,
     [BAD], CLOSED),
    ("folded first header", GET + " " + HOST + END + HIDDEN, [BAD], CLOSED),
    # H7: CR, LF, NUL
    ("bare CR in a value", GET + HOST + "A: b\rContent-Length: 9\r\n\r\n",
     [BAD], CLOSED),
    ("bare LF at the ends", GET.replace("\r", "") + "Host: a\n\n", [{200, 400}],
     EITHER),
    ("NUL in a value", GET + HOST + "A: b\0c\r\n\r\n", [BAD], CLOSED),
    ("NUL in a name", GET + HOST + "A\0B: c\r\n\r\n", [BAD], CLOSED),
    ("NUL in the path", "GET /v2\0 HTTP/1.1\r\n" + HOST + END, [{400, 404, NONE}],
     EITHER),
    ("a name that is none", GET + HOST + "A B: c\r\n\r\n", [BAD], CLOSED),
    ("an empty name", GET + HOST + ": c\r\n\r\n", [BAD], CLOSED),
    ("no colon", GET + HOST + "Nothing\r\n\r\n", [BAD], CLOSED),
    # H8: Host
    ("no Host", GET + END, [BAD], CLOSED),
    ("two Hosts", GET + HOST + "Host: b\r\n\r\n", [BAD], CLOSED),
    # H9: HTTP/1.0 has no chunks
    ("HTTP/1.0 and chunked", CHUNKED.replace("1.1", "1.0") +
     "Connection: keep-alive\r\n\r\n" + EMPTY_CHUNKS + HIDDEN, [{400, 505}],
     CLOSED),
    # H10: chunks
    *[(f"chunk size {size!r}", CHUNKED + END + size + "\r\n{}\r\n" +
       EMPTY_CHUNKS + HIDDEN, [{400, 413}], CLOSED)
      for size in ("g", "-2", "+2", "0x2", "", "f" * 18, "2 2", " 2", "2;\n")],
    ("chunk without its CRLF", CHUNKED + END + "2\r\n{}" + EMPTY_CHUNKS +
     HIDDEN, [BAD], CLOSED),
    ("chunk longer than its size", CHUNKED + END + "1\r\n{}\r\n" +
     EMPTY_CHUNKS + HIDDEN, [BAD], CLOSED),
    ("chunk extension", CHUNKED + END + '2;a="b"\r\n{}\r\n' + EMPTY_CHUNKS,
     [BAD], OPEN),
    ("trailers", CHUNKED + END + "2\r\n{}\r\n0\r\nA: b\r\nC: d\r\n\r\n", [BAD],
     OPEN),
    ("trailers that spell a length", CHUNKED + END + "2\r\n{}\r\n0\r\n" +
     LENGTH + END + HIDDEN, [BAD, 404], OPEN),
    ("trailers of 100 KB", CHUNKED + END + "0\r\n" + "A: b\r\n" * 17000 + END,
     [HEAD_TOO_LARGE], CLOSED),
    ("a chunk line of 100 KB", CHUNKED + END + "2;" + "a" * 100000 +
     "\r\n{}\r\n" + EMPTY_CHUNKS, [HEAD_TOO_LARGE], CLOSED),
    ("a chunk size of 100 KB", CHUNKED + END + "0" * 100000 + "\r\n\r\n",
     [HEAD_TOO_LARGE], CLOSED),
    # H11: sizes
    ("a header of 4 KB", GET + HOST + "A: " + "b" * 4096 + "\r\n\r\n", [200],
     OPEN),
    ("a header of 100 KB", GET + HOST + "A: " + "b" * 100000 + "\r\n\r\n",
     [HEAD_TOO_LARGE], CLOSED),
    ("10 000 headers", GET + HOST + "A: b\r\n" * 10000 + END,
     [HEAD_TOO_LARGE], CLOSED),
    ("a URL of 4 KB", "GET /" + "a" * 4096 + " HTTP/1.1\r\n" + HOST + END,
     [404], OPEN),
    ("a URL of 100 KB", "GET /" + "a" * 100000 + " HTTP/1.1\r\n" + HOST + END,
     [HEAD_TOO_LARGE], CLOSED),
    ("10 000 query arguments", "GET /v2?" + "a=b&" * 10000 + " HTTP/1.1\r\n" +
     HOST + END, [HEAD_TOO_LARGE], CLOSED),
    # H12: expectations
    ("Expect: 100-continue", POST + HOST + "Expect: 100-continue\r\n" +
     "Content-Length: 2\r\n\r\n{}", [BAD], OPEN),
    ("Expect: nothing known", POST + HOST + "Expect: 200-ok\r\n" +
     LENGTH + END + HIDDEN, [417], CLOSED),
    # H13: not HTTP
    ("garbage", "\x01\x02\x03\x04" * 30 + "\r\n\r\n", [{400, NONE}], CLOSED),
    ("a word", "hello\r\n\r\n", [{400, NONE}], CLOSED),
    ("TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "a" * 500 +
     "\r\n\r\n", [{400, NONE}], CLOSED),
    ("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [{400, 505, NONE}],
     CLOSED),
    ("HTTP/2.0", GET.replace("1.1", "2.0") + HOST + END, [505], CLOSED),
    ("HTTP/0.9", "GET /v2/health/live\r\n\r\n", [{400, 505, NONE}], CLOSED),
    ("HTTP/1.1x", GET.replace("1.1", "1.1x") + HOST + END, [{400, 505}],
     CLOSED),
    ("lower-case http", GET.replace("HTTP", "http") + HOST + END, [{400, 505}],
     CLOSED),
    ("two spaces", GET.replace(" /", "  /") + HOST + END, [{400, 404, 505}],
     EITHER),
    # H14: the bytes after a body are the next request
    ("body longer than its length", POST + HOST + "Content-Length: 2\r\n\r\n" +
     "{}" + HIDDEN, [BAD, 404], OPEN),
    ("garbage after requests", (GET + HOST + END) * 2 + "?\r\n\r\n",
     [200, 200, {400, NONE}], CLOSED),
    # H15: methods and targets
    ("unknown method", "FOO /v2 HTTP/1.1\r\n" + HOST + END, [405], OPEN),
    ("lower-case method", "get /v2 HTTP/1.1\r\n" + HOST + END, [405], OPEN),
    ("OPTIONS *", "OPTIONS * HTTP/1.1\r\n" + HOST + END, [{400, 404, 405}],
     EITHER),
    ("CONNECT", "CONNECT a:1 HTTP/1.1\r\n" + HOST + END, [{400, 404, 405, 501}],
     EITHER),
    ("NUL escaped", "GET /v2/models/a%00b HTTP/1.1\r\n" + HOST + END, [404],
     OPEN),
]


def answers(what, wire, count):
    """Returns the statuses of the answers, NONE for an end without one."""
    got = []
    try:
        for _ in range(count):
            reply = wire.reply()
            got.append(reply.status)
            if reply.header("content-type") == "application/json" and \
                    reply.status >= 400:
                equal(f"{what}: keys", ["error"], list(reply.json()))
    except Closed as closed:
        got.append(NONE)
        if wire.buffer or "nothing came" in str(closed):
            fail(f"{what}: {closed}")
    return got


def afterwards(what, wire, state):
    """Checks that the connection closes or answers the next request, never the
    hidden one."""
    if state == CLOSED:
        return true(f"{what}: is not closed, or more came: {wire.buffer}",
                    wire.ends(3))
    if state == EITHER and wire.ends(0.3 / SCALE):
        return True
    try:
        wire.send((GET + HOST + END).encode())
        return equal(f"{what}: the next answer", 200, wire.reply().status)
    except (Closed, OSError) as error:
        return state == EITHER or true(f"{what}: not kept open: {error}", False)


def check(what, data, expected, state):
    with Wire() as wire:
        wire.send_if_open(data.encode("latin-1", "replace"))
        got = answers(what, wire, len(expected))
        for want, status in zip(expected, got):
            want = want if isinstance(want, set) else {want}
            true(f"{what}: expected {want}, got {status}", status in want)
        if not equal(f"{what}: answers", len(expected), len(got)):
            return
        if got[-1] != NONE:
            afterwards(what, wire, state)


def shorter_body():
    """The body ends before its announced length: no success, and no wait for
    the rest."""
    with Wire() as wire:
        wire.send((POST + HOST + "Content-Length: 9\r\n\r\n{}").encode())
        wire.half_close()
        rest = wire.rest()
        true(f"shorter body: {rest!r}",
             not rest or rest.startswith(b"HTTP/1.1 400"))


def half_close():
    """The client closes its sending side after a complete request: answered."""
    wires = [Wire() for _ in range(20)]
    for wire in wires:
        wire.send((GET + HOST + END).encode())
        wire.half_close()
        equal("half-closed", 200, wire.reply().status)
    for wire in wires:
        true("half-closed, but kept open", wire.ends(3))
        wire.socket.close()


def expectation():
    """100 arrives before the body is sent, and only after Expect."""
    with Wire() as wire:
        wire.send((POST + HOST + "Expect: 100-continue\r\n"
                   "Content-Length: 2\r\n\r\n").encode())
        equal("interim answer", 100, wire.head()[0])
        wire.send(b"{}")
        equal("after the interim answer", 400, wire.reply().status)
        wire.send(("POST /v2/nothing HTTP/1.1\r\n" + HOST +
                   "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n").encode())
        reply = wire.reply()
        equal("refused instead of 100", (404, []),
              (reply.status, reply.interim))
        true("refused before the body, but open", wire.ends(2))


def many_chunks():
    """65 537 one-byte chunks cost little processor time."""
    before = cpu_seconds()
    with Wire() as wire:
        wire.send((CHUNKED + END).encode() + b"1\r\n{\r\n" +
                  b"1\r\n \r\n" * 65535 + b"1\r\n}\r\n0\r\n\r\n")
        equal("65 537 chunks", 400, wire.reply().status)
    spent = cpu_seconds() - before
    true(f"65 537 chunks took {spent} s of CPU", spent < 0.5 * SCALE)


def idle_cost():
    """An unfinished header line costs no processor time."""
    with Wire() as first, Wire() as second:
        first.send_if_open((CHUNKED + END).encode() + b"2;" + b"a" * 100000)
        second.send_if_open(GET.encode() + b"A: " + b"b" * 8000)
        before = cpu_seconds()
        second.silent(1)
        spent = cpu_seconds() - before
        true(f"waiting took {spent} s of CPU in 1 s", spent < 0.2 * SCALE)


for case in CASES:
    check(*case)
shorter_body()
half_close()
expectation()
many_chunks()
idle_cost()
finish()
