"""An error has the same headers and text if none, little, much or an unknown
part of the body is still missing when it is sent."""

from wire import Wire, equal, finish, request

INFER = "/v2/models/onnx.ReverseSequence/infer"
ORIGIN = "Origin: http://a.example"
CASES = [
    ("no route", 404, "POST", "/v2/nothing", [], {}),
    ("method", 405, "POST", "/v2", [], {"allow": "GET, HEAD"}),
    ("method of a HEAD", 405, "HEAD", INFER, [], {"allow": "POST"}),
    ("coding", 415, "POST", INFER, ["Content-Encoding: br"],
     {"accept-encoding": "gzip, deflate"}),
    ("no token", 401, "POST", "/v2/logging", [],
     {"www-authenticate": "Bearer"}),
    ("wrong token", 403, "POST", "/v2/logging", ["Authorization: x"], {}),
    ("an id", 404, "POST", "/v2/nothing", ["X-Request-Id: mine"],
     {"x-request-id": "mine"}),
    ("an origin", 404, "POST", "/v2/nothing", [ORIGIN],
     {"access-control-allow-origin": "http://a.example", "vary": "Origin"}),
    ("a preflight", 204, "OPTIONS", INFER,
     [ORIGIN, "Access-Control-Request-Method: POST"],
     {"access-control-allow-methods": "POST"}),
]
LONG = 100000
FORMS = [
    ("no body", [], b""),
    ("a little", ["Content-Length: 3"], b"abc"),
    ("much", [f"Content-Length: {LONG}"], b"a" * LONG),
    ("chunks", ["Transfer-Encoding: chunked"], b"3\r\nabc\r\n0\r\n\r\n"),
    ("asked first", ["Content-Length: 3", "Expect: 100-continue"], b""),
]


def answer(what, method, path, headers, body):
    with Wire() as wire:
        wire.send_if_open(request(method, path, None, headers) + body)
        reply = wire.reply(method)
        equal(f"{what}: more than its head", b"", bytes(wire.buffer))
    return reply.status, reply.body, sorted(
        (name, value) for name, value in reply.headers
        if name not in ("date", "connection", "content-length"))


for what, status, method, path, headers, wanted in CASES:
    first = None
    for form, more, body in FORMS:
        name = f"{what}, {form}"
        got = answer(name, method, path, headers + more, body)
        equal(f"{name}: status", status, got[0])
        for key, value in wanted.items():
            equal(f"{name}: {key}", [value], [v for k, v in got[2] if k == key])
        equal(f"{name}: as with {FORMS[0][0]}", first or got, got)
        first = first or got
finish()
