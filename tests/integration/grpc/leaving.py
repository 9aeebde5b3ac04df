"""GOAWAY at a connection's age and at SIGTERM.

Argument 3: the address of gRPC; 4: age or drain."""

import array
import gzip
import os
import signal
import struct
import sys
import time

import protobuf
import wire
from grpc_wire import (DATA, END_STREAM, GOAWAY, INITIAL_WINDOW, NO_ERROR,
                       RST_STREAM, SERVICE, Http2, frame, message)
from question import Question

ADDRESS = sys.argv[3]
INFER = SERVICE + "ModelInfer"
SIZE = Question(1, 16, 4, 16)


def age():
    """Calls one after the other on connections of a second: each is answered,
    for GOAWAY comes before the end. HTTP/1.1 says it in the last reply."""
    for _ in range(3):
        with Http2(ADDRESS) as one:
            end = time.monotonic() + wire.LIMIT
            while not one.goaway:
                protobuf.check_call(SIZE, one.call(INFER, protobuf.infer(SIZE)))
                if not wire.true("no GOAWAY", time.monotonic() < end):
                    return
            wire.equal("GOAWAY", NO_ERROR, one.goaway[1])
            wire.true("then it is closed", one.closed())
    silent = Http2(ADDRESS)
    wire.true("a silent one is ended as well", silent.closed())
    silent.close()
    with wire.Wire() as http:
        closes, end = False, time.monotonic() + wire.LIMIT
        while not closes and time.monotonic() < end:
            http.send(SIZE.request())
            reply = http.reply()
            SIZE.check(reply)
            closes = reply.closes()
            time.sleep(0.02)
        wire.true("HTTP/1.1: Connection: close", closes)


def drain():
    """Readiness falls at once and a Watch hears of it; calls go on during the
    delay; a call under way is answered after GOAWAY."""
    watching, calling, idle = Http2(ADDRESS), Http2(ADDRESS), Http2(ADDRESS)
    watch = watching.ask("/grpc.health.v1.Health/Watch", b"")
    heard = watching.calls[watch]
    wire.true("SERVING", watching.until(lambda: len(heard.messages()) == 1))
    stream = calling.begin(INFER)
    half = message(protobuf.infer(SIZE))
    calling.data(stream, half[:20], end=False)
    wire.true("settings", idle.until(lambda: idle.theirs))
    calling.call(SERVICE + "ServerLive")
    os.kill(wire.pid, signal.SIGTERM)
    wire.true("NOT_SERVING", watching.until(
        lambda: len(heard.messages()) == 2))
    wire.equal("Watch", [protobuf.field(1, 1), protobuf.field(1, 2)],
               [payload for _, payload in heard.messages()])
    with Http2(ADDRESS) as late:
        for method, asked in (("ServerReady", b""), (
                "ModelReady", protobuf.field(1, "onnx.ReverseSequence"))):
            ready = late.call(SERVICE + method, asked)
            wire.equal(method, [(0, protobuf.field(1, 0))], ready.messages())
        protobuf.check_call(SIZE, late.call(INFER, protobuf.infer(SIZE)),
                            "during the delay")
    wire.true("GOAWAY", calling.until(lambda: calling.goaway))
    wire.equal("of no error", NO_ERROR, calling.goaway[1])
    calling.send(frame(DATA, END_STREAM, stream, half[20:]))
    protobuf.check_call(SIZE, calling.await_call(stream), "under way")
    for one in (calling, idle, watching):
        wire.true("closed", one.closed())
        wire.true("GOAWAY on each", one.goaway)


def cancel():
    """A client cancels its call, of which a worker has the job, and goes, while
    the daemon stops."""
    large = Question(1, 1, 1, 1)
    large.shape, large.lens = [500, 1000, 64], list(range(500)) * 2
    large.data = array.array("i", bytes(4 * 500 * 1000 * 64))
    body = gzip.compress(protobuf.infer(large), 1)
    one = Http2(ADDRESS)
    wire.true("a large window", one.until(
        lambda: one.theirs.get(INITIAL_WINDOW, 0) >= 1 << 20))
    os.kill(wire.pid, signal.SIGTERM)
    time.sleep(0.25)
    stream = one.begin(INFER, [("grpc-encoding", "gzip")])
    one.data(stream, b"\1" + struct.pack(">I", len(body)) + body)
    time.sleep(0.05)
    one.send(frame(RST_STREAM, 0, stream, bytes(3) + b"\x08") +
             frame(GOAWAY, 0, 0, bytes(8)))
    one.close()


{"age": age, "drain": drain, "cancel": cancel}[sys.argv[4]]()
wire.finish()
