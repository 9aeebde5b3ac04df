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
    """Requests of HTTP/2 that are no calls: answered in HTTP when they have been
    sent, and never run."""
    with Http2(ADDRESS) as one:
        plain, get, head = [("content-type", "application/json")], \
            [(":method", "GET")], [(":method", "HEAD")]
        for what, data, more, status, text in (
                ("a type", b"", plain, "415", "HTTP has a port of its own"),
                ("a body", bytes(3 << 20), plain, "415", "speaks gRPC"),
                ("no POST", b"", get, "405", "gRPC's method is POST"),
                ("a GET", b"", get + plain, "415", "speaks gRPC"),
                ("a HEAD", b"", head + plain, "415", None)):
            call = one.call(INFER, data, more)
            wire.equal(what, status, call.field(":status", 0))
            wire.equal(f"{what}: type", "application/json",
                       call.field("content-type", 0))
            wire.equal(f"{what}: allow", "POST" if status == "405" else None,
                       call.field("allow", 0))
            wire.equal(f"{what}: grpc-status", None, call.field("grpc-status"))
            wire.true(f"{what}: {bytes(call.data)}",
                      text in json.loads(call.data)["error"] if text
                      else not call.data)
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
