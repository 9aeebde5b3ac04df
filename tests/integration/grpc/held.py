"""What calls hold, and that it comes back: leases, wide sockets, workers.

Argument 3: the address of gRPC."""

import os
import struct
import sys
import time

import protobuf
import wire
from grpc_wire import (CANCEL, DATA, END_STREAM, INITIAL_WINDOW, OK, PING,
                       RST_STREAM, SERVICE, WINDOW_UPDATE, Http2, frame,
                       message)
from question import Question

ADDRESS = sys.argv[3]
INFER = SERVICE + "ModelInfer"
LEASED = 'flipd_budget_bytes{use="leased"}'
SOCKETS = 'flipd_budget_bytes{use="sockets"}'
PENDING = ("nv_inference_pending_request_count"
           f'{{model="{protobuf.MODEL}",version="10"}}')


def come(one):
    """Waits until all that was sent has been read."""
    one.pongs.clear()
    one.send(frame(PING, 0, 0, bytes(8)))
    wire.true("no answer to PING", one.until(lambda: one.pongs))


def own_bytes():
    """The first call of a connection, and 64 KiB of its message, are the
    connection's own: nothing is leased for them, each time."""
    whole = message(protobuf.infer(Question(2, 100, 4, 25)))
    with Http2(ADDRESS) as one:
        for _ in range(3):
            stream = one.begin(INFER)
            one.data(stream, whole[:-1], end=False)
            come(one)
            wire.equal(f"leased for {len(whole)} bytes", 0,
                       wire.metric(LEASED))
            one.send(frame(DATA, END_STREAM, stream, whole[-1:]))
            wire.equal("an answer", OK, one.await_call(stream).status)


def given_back():
    """While the connection is open, and when it is gone."""
    large = message(protobuf.infer(Question(1, 64, 64, 150)))
    with Http2(ADDRESS) as one:
        streams = [one.begin(INFER) for _ in range(10)]
        come(one)
        wire.equal("ten calls", 9 * 8192, wire.metric(LEASED))
        for stream in streams:
            one.data(stream, large)
            wire.equal("an answer", OK, one.await_call(stream).status)
        wire.true(f"calls that ended hold {wire.metric(LEASED)}", wire.within(
            5, lambda: wire.metric(LEASED) == 0))
        stream = one.begin(INFER)
        one.data(stream, large[:-1], end=False)
        wire.true("no wide socket", wire.within(
            5, lambda: wire.metric(SOCKETS) > 0))
    wire.true(f"a call that is gone holds {wire.metric(LEASED)}", wire.within(
        5, lambda: wire.metric(LEASED) == 0))
    wire.true(f"sockets that are gone hold {wire.metric(SOCKETS)}",
              wire.within(5, lambda: wire.metric(SOCKETS) == 0))


def pausing():
    """A client that pauses in a large message finds the buffer of its socket as
    wide as before; it becomes narrow, with the window, when no other large
    message follows for a second or two."""
    large = message(protobuf.infer(Question(1, 64, 64, 150)))
    small = message(protobuf.infer(Question(2, 100, 4, 25)))
    with Http2(ADDRESS) as one:
        stream = one.begin(INFER)
        one.data(stream, large[:400000], end=False)
        come(one)
        wide = wire.metric(SOCKETS)
        wire.true("no wide socket", wide > 0)
        time.sleep(0.5)
        wire.equal("a socket in a pause holds", wide, wire.metric(SOCKETS))
        one.data(stream, large[400000:])
        wire.equal("an answer", OK, one.await_call(stream).status)
        end = time.monotonic() + wire.LIMIT
        while time.monotonic() < end:
            stream = one.begin(INFER)
            one.data(stream, small)
            wire.equal("an answer", OK, one.await_call(stream).status)
            if wire.metric(SOCKETS) == 0:
                return
        wire.fail(f"a narrow socket holds {wire.metric(SOCKETS)}")


def windows():
    """A stream's window is as wide as what is leased for its message, however its
    bytes come: 16 MiB behind the first 8."""
    sent = struct.pack(">BI", 0, 40 << 20) + bytes(9 << 20)
    for _ in range(4):
        with Http2(ADDRESS) as one:
            stream = one.begin(INFER)
            one.data(stream, sent, end=False)
            wire.true("a narrow window",
                      one.until(lambda: one.room(stream) > 8 << 20))


def beside():
    """A small reply leaves the socket of a large one as wide as it was."""
    large = Question(1, 64, 64, 1000)
    with Http2(ADDRESS, {INITIAL_WINDOW: 1 << 30}, receive_buffer=4096) as one:
        one.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 30)))
        streams = [one.ask(INFER, protobuf.infer(large))]
        wire.true("little of a large reply is sent at once",
                  wire.within(5, lambda: wire.queues(one)[0] > 1 << 20))
        streams.append(one.ask(INFER, protobuf.infer(Question(2))))
        time.sleep(0.5)
        while len(one.buffer) < 8 << 20:
            one.buffer += one.socket.recv(1 << 18)
        wire.true("little of it beside a small one", wire.within(
            5, lambda: wire.queues(one)[0] > 1 << 20))
        for stream in streams:
            wire.equal("an answer", OK, one.await_call(stream).status)


def gone():
    """A call that is cancelled while a worker compresses its answer, a second
    or more for 64 MiB of noise: the worker stops."""
    noise = Question(1, 2, 1, 1)
    noise.shape = [1 << 24, 1]
    noise.data = memoryview(os.urandom(4 << 24))
    with Http2(ADDRESS) as one:
        stream = one.begin(INFER, [("grpc-encoding", "gzip"),
                                   ("grpc-accept-encoding", "gzip")])
        one.data(stream, message(protobuf.infer(noise)))
        wire.true("no worker has the call",
                  wire.within(5, lambda: wire.metric(PENDING) == 1))
        time.sleep(0.1)
        one.send(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))
        spent = wire.cpu_seconds()
        wire.true("the worker does not end",
                  wire.within(10, lambda: wire.metric(PENDING) == 0))
        spent = wire.cpu_seconds() - spent
        wire.true(f"{spent:.2f} s of processor time for a cancelled call",
                  spent < 0.5 * wire.SCALE)


wire.run(own_bytes, given_back, pausing, windows, beside, gone)
