"""What calls that wait for their client, or for their turn, may hold.

Argument 3: the address of gRPC; 4: the part."""

import os
import signal
import sys
import time

import protobuf
import wire
from grpc_wire import (END_HEADERS, HEADERS, INITIAL_WINDOW, OK, REFUSED_STREAM,
                       SERVICE, UNAVAILABLE, Http2, block, frame, message,
                       request_fields)
from question import Question

ADDRESS = sys.argv[3]
INFER, STREAM = SERVICE + "ModelInfer", SERVICE + "ModelStreamInfer"
WATCH = "/grpc.health.v1.Health/Watch"
SMALL = Question(1, 4, 3, 1)
MIB = 1 << 20


def queue():
    """Messages that come faster than they are answered: no more of them wait
    than the first window holds, and the budget counts them."""
    many, sent, answered, held = message(b"") * 3276, 0, 0, 0
    with Http2(ADDRESS) as one:
        stream = one.begin(STREAM)
        call = one.calls[stream]
        while answered < 3000 and not call.ended:
            while one.room(stream) >= len(many) and sent < 8 * MIB:
                one.data(stream, many, end=False)
                sent += len(many)
            if not wire.true("the connection", one.step()):
                return
            while len(call.data) >= 5:  # the last one may be cut
                size = 5 + int.from_bytes(call.data[1:5], "big")
                if size > len(call.data):
                    break
                del call.data[:size]
                answered += 1
            if not held and answered >= 1000:
                held = wire.metric("flipd_inflight_bytes")
        wire.true(f"ended: {call}", not call.ended)
        wire.true(f"{sent >> 10} KiB of messages, {answered} answered",
                  sent < 2 * MIB)
        wire.true("they are counted", held > MIB)


def headers():
    """Headers that are refused are not waited for: calls beside them go on."""
    with Http2(ADDRESS) as one:
        stream = one.begin(STREAM)
        fields = [*request_fields(INFER), ("Upper", "case")]
        one.send(frame(HEADERS, END_HEADERS, 3, block(fields)))
        wire.true("refused", one.until(lambda: one.calls[3].reset is not None))
        time.sleep(2.5)
        one.data(stream, message(protobuf.infer(SMALL)), end=False)
        wire.true("the call beside it is answered", one.until(
            lambda: len(one.calls[stream].data) > 0))


def leases():
    """Long headers, and replies that are not read, are counted."""
    with Http2(ADDRESS, {INITIAL_WINDOW: 0}, deaf=True) as one:
        for _ in range(20):
            one.begin(INFER, [("x", "y" * 10000)])
        wire.true("headers", wire.within(5, lambda: wire.metric(
            "flipd_inflight_bytes") > 20 * 16000))
    wire.true("given back", wire.within(5, lambda: wire.metric(
        "flipd_inflight_bytes") == 0))
    path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    asked = protobuf.field(4, "inference.GRPCInferenceService")
    with Http2(ADDRESS, {INITIAL_WINDOW: 0}, deaf=True) as one:
        for _ in range(20):
            one.ask(path, asked)
        wire.true("replies", wire.within(5, lambda: wire.metric(
            "flipd_inflight_bytes") > 19 * 16000))


try:
    {"queue": queue, "headers": headers, "leases": leases}[sys.argv[4]]()
except (wire.Closed, OSError) as error:
    wire.fail(f"{sys.argv[4]}: {type(error).__name__}: {error}")
wire.finish()
