"""What the log says of requests and calls that were refused: the text of the
answer, and no secret. Each text is that of the client's answer.

Arguments: those of wire.py, the address of gRPC, the log in JSON; the daemon has
--log-level=debug --http-restricted-api=statistics:X-Key=s3cret and
--http-max-input-size=100000."""

import sys

import protobuf
import wire
from grpc_wire import SERVICE, Http2, message
from question import PATH, Question

GRPC, LOG = sys.argv[3:5]
REFUSED = {  # id: head, body, status
    "malformed": (f"POST {PATH}", b'{"inputs": [', 400),
    "odd-bytes": ("POST /v2/models/%22%0a%C3%A9%01/infer", b"{}", 404),
    "long-name": (f"POST /v2/models/{'n' * 3000}/infer", b"{}", 404),
    "no-route": ("GET /v2/nothing?token=s3cret", b"", 404),
    "wrong-key": ("GET /v2/models/stats\nX-Key: s3cret-not", b"", 403),
    "too-large": (f"POST {PATH}\nContent-Length: 100001", None, 413),
}


def check(name, error, **fields):
    found = wire.logged(LOG, id=name, **fields)
    wire.equal(f"{name}: lines", 1, len(found))
    line = (found + [{}])[0]
    wire.equal(f"{name}: level", "debug", line.get("level"))
    # Bytes of UTF-8 stand one by one in the log.
    said = line.get("error", "").encode("latin-1")
    wire.equal(f"{name}: error", error.encode(), said)
    wire.true(f"{name}: {len(said)} bytes", 0 < len(said) < 500)


for name, (head, body, status) in REFUSED.items():
    first, *more = head.split("\n")
    method, path = first.split()
    with wire.Wire() as client:
        client.send(wire.request(
            method, path, body, [f"X-Request-Id: {name}", *more]))
        reply = client.reply()
    wire.equal(f"{name}: status", status, reply.status)
    check(name, reply.json()["error"], status=status)
with wire.Wire() as client:
    client.send(b"GET / HTTP/1.1\r\nHost : a\r\n\r\n")
    wire.logged(LOG, error=client.reply().json()["error"], level="debug")

with Http2(GRPC) as one:
    for name, path, payload in (
            ("unknown-model", SERVICE + "ModelInfer", b"\x0a\x04none"),
            ("restricted", SERVICE + "ModelStatistics", b"")):
        call = one.call(path, payload, [("x-request-id", name)])
        wire.true(f"{name}: {call.status}", call.status != 0)
        check(name, call.text)
    stream = one.begin(SERVICE + "ModelStreamInfer", [("x-request-id", "a-stream")])
    one.data(stream, message(b"\x0a\x04none"), end=False)
    one.data(stream, message(protobuf.infer(Question(1, 4, 4, 4))))
    one.await_call(stream)
    error = one.calls[stream].messages()[0]
    found = [line["error"].encode() for line in wire.logged(LOG, id="a-stream")
             if "error" in line]
    wire.equal("errors of a stream's messages", 1, len(found))
    wire.true(f"a stream: {found} of {error}", found[0] in error[1])

with wire.Wire() as client:
    client.send(b"GET /v2/models/stats HTTP/1.1\r\nHost: a\r\n"
                b"X-Key: s3cret\r\nX-Request-Id: allowed\r\n\r\n")
    wire.equal("with the key", 200, client.reply().status)
with open(LOG, encoding="utf-8") as file:
    wire.true("a secret is logged", "s3cret" not in file.read())
wire.finish()
