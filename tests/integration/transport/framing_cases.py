"""Bytes that are no HTTP, or unusual HTTP, and the answers: by the rows of the
catalogue in tests/faults. HIDDEN is a smuggled request, which must never be
answered."""

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

# By row: name, bytes, statuses of the answers (a set: any of these), state afterwards
CASES = {}
CASES["plain"] = [
    ("plain", GET + HOST + END, [200], OPEN),
    ("two at once", (GET + HOST + END) * 2, [200, 200], OPEN),
    ("Connection: close", GET + HOST + "Connection: close\r\n\r\n", [200],
     CLOSED),
    ("HTTP/1.0", "GET /v2/health/live HTTP/1.0\r\n\r\n", [200], CLOSED),
    ("HTTP/1.0 keep-alive", "GET /v2/health/live HTTP/1.0\r\n" + HOST +
     "Connection: Keep-Alive\r\n\r\n", [200], OPEN),
    ("empty line first", "\r\n" + GET + HOST + END, [200], OPEN),
    ("empty lines first", "\r\n\r\n" + GET + HOST + END, [{400, NONE}],
     CLOSED),
    ("absolute form", "GET http://b/v2/health/live HTTP/1.1\r\n" + HOST + END,
     [200], OPEN),
    ("names in any case", GET + "hOST: a\r\ncOntent-lEngth: 0\r\n\r\n", [200],
     OPEN),
    ("body of a GET", GET + HOST + LENGTH + END + HIDDEN, [200], OPEN),
]

# Both lengths
CASES["H1"] = [
    ("length and chunked", CHUNKED + "Content-Length: 5\r\n\r\n" +
     EMPTY_CHUNKS + HIDDEN, [BAD], CLOSED),
    ("chunked and length", POST + HOST + LENGTH +
     "Transfer-Encoding: chunked\r\n\r\n" + EMPTY_CHUNKS + HIDDEN, [BAD],
     CLOSED),
]

# Two lengths
CASES["H2"] = [
    ("two lengths", POST + HOST + "Content-Length: 0\r\n" + LENGTH + END +
     HIDDEN, [BAD], CLOSED),
    ("two lengths, turned", POST + HOST + LENGTH + "Content-Length: 0\r\n" +
     END + HIDDEN, [BAD], CLOSED),
    ("the same length twice", POST + HOST + LENGTH * 2 + END + HIDDEN, [BAD],
     EITHER),
]

# Invalid lengths
CASES["H3"] = [
    *[(f"length {value!r}", POST + HOST + f"Content-Length: {value}\r\n\r\n" +
       HIDDEN, [BAD], CLOSED)
      for value in ("5, 5", "+5", "-1", "0x5", "", "5 5", "5,", "1e1", "5_0")],
    *[(f"length {value}", POST + HOST + f"Content-Length: {value}\r\n\r\n" +
       HIDDEN, [{400, 413}], CLOSED)
      for value in (2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1, 2 ** 64, 10 ** 40)],
    ("space around a length", POST + HOST +
     f"Content-Length: \t{len(HIDDEN)} \r\n\r\n" + HIDDEN, [BAD], EITHER),
]

# Codings
CASES["H4"] = [
    *[(f"coding {value!r}", POST + HOST + f"Transfer-Encoding: {value}\r\n" +
       END + EMPTY_CHUNKS + HIDDEN, [501], CLOSED)
      for value in ("gzip, chunked", "identity", "xchunked", "\x0bchunked",
                    "chunked, identity", "chunked, chunked", "gzip", "",
                    "chunked;a=b")],
    ("coding in capitals", POST + HOST + "Transfer-Encoding: CHUNKED\r\n\r\n" +
     EMPTY_CHUNKS, [BAD], OPEN),
    ("two codings", CHUNKED + "Transfer-Encoding: chunked\r\n\r\n" +
     EMPTY_CHUNKS + HIDDEN, [{400, 501}], CLOSED),
]

# Space before the colon
CASES["H5"] = [
    ("Transfer-Encoding :", POST + HOST + "Transfer-Encoding : chunked\r\n" +
     LENGTH + END + HIDDEN, [BAD], CLOSED),
    ("Content-Length :", POST + HOST + f"Content-Length : {len(HIDDEN)}\r\n" +
     END + HIDDEN, [BAD], CLOSED),
]

# Folded lines
CASES["H6"] = [
    ("fold that spells a length", GET + HOST + "A: b\r\n " + LENGTH + END +
     HIDDEN, [BAD], CLOSED),
    ("fold that spells a coding", GET + HOST +
     "A: b\r\n\tTransfer-Encoding: chunked\r\n\r\n" + EMPTY_CHUNKS + HIDDEN,
     [BAD], CLOSED),
    ("folded first header", GET + " " + HOST + END + HIDDEN, [BAD], CLOSED),
]

# CR, LF, NUL
CASES["H7"] = [
    ("bare CR in a value", GET + HOST + "A: b\rContent-Length: 9\r\n\r\n",
     [BAD], CLOSED),
    ("bare LF at the ends", GET.replace("\r", "") + "Host: a\n\n", [{200, 400}],
     EITHER),
    ("NUL in a value", GET + HOST + "A: b\0c\r\n\r\n", [BAD], CLOSED),
    ("NUL in a name", GET + HOST + "A\0B: c\r\n\r\n", [BAD], CLOSED),
    ("NUL in the path", "GET /v2\0 HTTP/1.1\r\n" + HOST + END, [{400, NONE}],
     CLOSED),
    ("a name that is none", GET + HOST + "A B: c\r\n\r\n", [BAD], CLOSED),
    ("an empty name", GET + HOST + ": c\r\n\r\n", [BAD], CLOSED),
    ("no colon", GET + HOST + "Nothing\r\n\r\n", [BAD], CLOSED),
]

# Host
CASES["H8"] = [
    ("no Host", GET + END, [BAD], CLOSED),
    ("two Hosts", GET + HOST + "Host: b\r\n\r\n", [BAD], CLOSED),
    *[(f"Host {host!r}", GET + f"Host: {host}\r\n\r\n", [BAD], OPEN)
      for host in ("a b", "a/b", "u@a", "a?b", "a#b", "a\\b", "a\x01")],
    *[(f"Host {host!r}", GET + f"Host: {host}\r\n\r\n", [200], OPEN)
      for host in ("", "a:8000", "[::1]:8000", "my_host.example", "a%20b")],
]

# HTTP/1.0 has no chunks
CASES["H9"] = [
    ("HTTP/1.0 and chunked", CHUNKED.replace("1.1", "1.0") +
     "Connection: keep-alive\r\n\r\n" + EMPTY_CHUNKS + HIDDEN, [{400, 505}],
     CLOSED),
]

# Chunks
CASES["H10"] = [
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
]

# Sizes
CASES["H11"] = [
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
]

# Expectations
CASES["H12"] = [
    ("Expect: 100-continue", POST + HOST + "Expect: 100-continue\r\n" +
     "Content-Length: 2\r\n\r\n{}", [BAD], OPEN),
    ("Expect: nothing known", POST + HOST + "Expect: 200-ok\r\n" +
     LENGTH + END + HIDDEN, [417], CLOSED),
]

# Not HTTP
CASES["H13"] = [
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
]

# The bytes after a body are the next request
CASES["H14"] = [
    ("body longer than its length", POST + HOST + "Content-Length: 2\r\n\r\n" +
     "{}" + HIDDEN, [BAD, 404], OPEN),
    ("garbage after requests", (GET + HOST + END) * 2 + "?\r\n\r\n",
     [200, 200, {400, NONE}], CLOSED),
]

# Methods and targets
CASES["H15"] = [
    ("unknown method", "FOO /v2 HTTP/1.1\r\n" + HOST + END, [405], OPEN),
    ("lower-case method", "get /v2 HTTP/1.1\r\n" + HOST + END, [405], OPEN),
    ("OPTIONS *", "OPTIONS * HTTP/1.1\r\n" + HOST + END, [{400, 404, 405}],
     EITHER),
    ("CONNECT", "CONNECT a:1 HTTP/1.1\r\n" + HOST + END, [{400, 404, 405, 501}],
     EITHER),
    ("NUL escaped", "GET /v2/models/a%00b HTTP/1.1\r\n" + HOST + END, [404],
     OPEN),
]
