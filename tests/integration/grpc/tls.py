"""gRPC over TLS: ALPN must agree on h2. Argument 3: the address of gRPC."""

import os
import signal
import socket
import ssl
import sys
import time

import protobuf
import wire
from grpc_wire import SERVICE, Http2
from question import Question

ADDRESS = sys.argv[3]


def offering(*names):
    trust = wire.trust()
    trust.set_alpn_protocols(list(names))
    return trust


for names in (["h2"], ["http/1.1", "h2"]):
    with Http2(ADDRESS, tls=offering(*names)) as one:
        wire.equal(f"{names}: agreed", "h2",
                   one.socket.selected_alpn_protocol())
        for size in (1, 100, 10000):
            question = Question(size, 8, 4, size)
            protobuf.check_call(question, one.call(
                SERVICE + "ModelInfer", protobuf.infer(question)), "TLS")
try:
    with Http2(ADDRESS, tls=offering("http/1.1")) as one:
        wire.true("HTTP/1.1 alone is not agreed upon",
                  one.socket.selected_alpn_protocol() is None and one.closed())
except (ssl.SSLError, ConnectionError):
    pass
with Http2(ADDRESS) as one:
    wire.true("without TLS the connection ends", one.closed())

# Ones that send nothing do not hold up the end, nor one without a handshake.
silent = [offering("h2").wrap_socket(
    socket.create_connection(tuple(ADDRESS.rsplit(":", 1))),
    server_hostname="localhost")]
silent += [socket.create_connection(tuple(to.rsplit(":", 1)))
           for to in (ADDRESS, wire.address)]
time.sleep(0.6)
os.kill(wire.pid, signal.SIGTERM)
began = time.monotonic()
for each in silent:
    each.settimeout(wire.LIMIT)
    wire.true("a silent connection ends", not each.recv(1))
wire.true(f"after {time.monotonic() - began:.1f} s",
          time.monotonic() - began < 5 * wire.SCALE)
wire.finish()
