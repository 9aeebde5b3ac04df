"""Requests that are not gRPC's: answered, and never run. Argument 3: the address
of gRPC."""

import json
import socket
import sys

import wire
from grpc_wire import SERVICE, UNIMPLEMENTED, Http2

ADDRESS = sys.argv[3]
INFER = SERVICE + "ModelInfer"


def not_grpc():
    """Requests of HTTP/2 that are no calls: answered, and never run."""
    with Http2(ADDRESS) as one:
        for what, more, status in (
                ("a type", [("content-type", "application/json")], "415"),
                ("no POST", [(":method", "GET")], "405")):
            call = one.call(INFER, b"", more)
            wire.equal(what, status, call.field(":status", 0))
        for path in ("/", "/no.such/Method", SERVICE, SERVICE + "modelInfer",
                     SERVICE + "ModelInfer/", "/v2/health/live"):
            call = one.call(path)
            wire.equal(f"the path {path}", UNIMPLEMENTED, call.status)


def not_http2():
    """A request of HTTP/1.1 learns that it is at the wrong port; what is neither
    is closed without a word."""
    host, port = ADDRESS.rsplit(":", 1)
    for sent, wanted in (
            (b"GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n", b"HTTP/1.1 505 "),
            (b"POST /v2 HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n" +
             bytes(100000), b"HTTP/1.1 505 "),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(30), b"")):
        with socket.create_connection((host, int(port)), wire.LIMIT) as one:
            one.sendall(sent)
            got = b"".join(iter(lambda: one.recv(65536), b""))
        if wanted:
            wire.true(f"{sent[:20]}: {got}", got.startswith(wanted) and
                      "HTTP/1.1 is at --http-port" in json.loads(
                          got.split(b"\r\n\r\n")[1])["error"])
        else:
            wire.true(f"{sent[:20]}: {got}", b"HTTP/1" not in got)


not_grpc()
not_http2()
wire.finish()
