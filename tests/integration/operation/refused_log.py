"""What the log says of requests and calls that were refused: the text of the
answer, and no secret. Each text is that of the client's answer.

Arguments: those of wire.py, the address of gRPC, the log in JSON, the level of
its lines or "none"; the daemon has --http-restricted-api=statistics:X-Key=s3cret
and --http-max-input-size=100000."""

import sys
import time

import protobuf
import wire
from grpc_wire import SERVICE, Http2, message
from question import Question

GRPC, LOG, LEVEL = sys.argv[3:6]
INFER = "/v2/models/onnx.ReverseSequence/infer"
INPUTS = (b'{"inputs":[{"name":"input","datatype":"FP32","shape":[1,2],"data":'
          b'[1,2]},{"name":"sequence_lens","datatype":"INT64","shape":[1],'
          b'"data":[%s]}]}')
REFUSED = {  # id: head, body, status
    "malformed": (f"POST {INFER}", b'{"inputs": [', 400),
    "no-object": (f"POST {INFER}", b"7", 400),
    "too-long": (f"POST {INFER}", INPUTS % b"3", 400),
    "quoted": (f"POST {INFER}", INPUTS % b'"\\"a b=1 level=error\\""', 400),
    "odd-bytes": ("POST /v2/models/%22%0a%C3%A9%01/infer", INPUTS % b"1", 404),
    "long-name": (f"POST /v2/models/{'n' * 3000}/infer", INPUTS % b"1", 404),
    "no-route": ("GET /v2/nothing?token=s3cret", b"", 404),
    "no-method": ("DELETE /v2/health/live", b"", 405),
    "no-key": ("GET /v2/models/stats", b"", 403),
    "wrong-key": ("GET /v2/models/stats\nX-Key: s3cret-not", b"", 403),
    "coding": (f"POST {INFER}\nContent-Encoding: br", b"1", 415),
    "too-large": (f"POST {INFER}\nX-Length: 100001", b"1", 413),
    "unloadable": ("POST /v2/repository/models/x/load", b"", 501),
}


def logged(name):
    if LEVEL == "none":
        return wire.log_lines(LOG, id=name)
    return wire.logged(LOG, id=name)


def check(name, status, error):
    found = logged(name)
    if LEVEL == "none":
        return
    wire.equal(f"{name}: lines", 1, len(found))
    line = (found + [{}])[0]
    wire.equal(f"{name}: line", [LEVEL, "request", status],
               [line.get("level"), line.get("message"), line.get("status")])
    # Bytes of UTF-8 stand one by one in the log.
    said = line.get("error", "").encode("latin-1")
    wire.equal(f"{name}: error", error.encode(), said)
    wire.true(f"{name}: {len(said)} bytes", 0 < len(said) < 500)


def http():
    for name, (head, body, status) in REFUSED.items():
        first, *more = head.split("\n")
        length = len(body)
        if more and more[0].startswith("X-Length"):
            length = int(more.pop().split()[1])
        with wire.Wire() as client:
            client.send("\r\n".join([
                f"{first} HTTP/1.1", "Host: a", f"X-Request-Id: {name}",
                f"Content-Length: {length}", *more, "", ""]).encode() + body)
            reply = client.reply()
        wire.equal(f"{name}: status", status, reply.status)
        check(name, status, reply.json()["error"])
    with wire.Wire() as client:
        client.send(b"GET / HTTP/1.1\r\nHost : a\r\n\r\n")
        error = client.reply().json()["error"]
    if LEVEL != "none":
        wire.logged(LOG, error=error, level=LEVEL)


def grpc():
    wrong = message(b"\x0a\x04none")
    with Http2(GRPC) as one:
        for name, path, payload in (
                ("unknown-model", SERVICE + "ModelInfer", b"\x0a\x04none"),
                ("unknown-method", SERVICE + "Nothing", b""),
                ("unreadable", SERVICE + "ModelInfer", b"\xff\xff"),
                ("unknown-metadata", SERVICE + "ModelMetadata", b"\x0a\x01x"),
                ("restricted", SERVICE + "ModelStatistics", b"")):
            call = one.call(path, payload, [("x-request-id", name)])
            wire.true(f"{name}: {call.status}", call.status != 0)
            for line in logged(name):
                wire.equal(f"{name}: level", LEVEL, line["level"])
                wire.equal(f"{name}: error", call.text, line.get("error"))
        stream = one.begin(SERVICE + "ModelStreamInfer",
                           [("x-request-id", "a-stream")])
        one.data(stream, wrong, end=False)
        one.data(stream, message(protobuf.infer(Question(1, 4, 4, 4))))
        one.await_call(stream)
        error = one.calls[stream].messages()[0]
        found = [line["error"].encode() for line in logged("a-stream")
                 if "error" in line]
        if LEVEL != "none":
            wire.equal("errors of a stream's messages", 1, len(found))
            wire.true(f"a stream: {found} of {error}", found[0] in error[1])


http()
grpc()
question = Question(1, 16, 4, 16)
with wire.Wire() as client:
    client.send(question.request(["X-Request-Id: right"]))
    question.check(client.reply())
    client.send(b"GET /v2/models/stats HTTP/1.1\r\nHost: a\r\n"
                b"X-Key: s3cret\r\nX-Request-Id: allowed\r\n\r\n")
    wire.equal("with the key", 200, client.reply().status)
time.sleep(0.2)
with open(LOG, encoding="utf-8") as file:
    text = file.read()
wire.true("a secret is logged", "s3cret" not in text)
wire.equal("a request that was not refused", int(LEVEL == "info"),
           text.count('"right"'))
wire.equal("none is refused at the default level", LEVEL == "none",
           '"error":' not in text)
wire.finish()
