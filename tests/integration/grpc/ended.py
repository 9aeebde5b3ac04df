"""Calls and connections that a limit ends: what their client is told, what the
log says, what is counted.

Argument 3: the address of gRPC, with timeouts of 1 s and 10 resets a second; 4:
the log, in JSON."""

import json
import struct
import sys
import time

import protobuf
import wire
from grpc_wire import (CALM, CANCEL, DATA, DEADLINE_EXCEEDED, HEADERS,
                       INITIAL_WINDOW, NO_ERROR, RST_STREAM, SERVICE, Http2,
                       block, frame, message, request_fields)
from question import Question

ADDRESS, LOG = sys.argv[3:5]
INFER = SERVICE + "ModelInfer"


def rejected(reason):
    return wire.metric(f'flipd_rejected_total{{reason="{reason}"}}')


def logged(name, **fields):
    """Checks the line of the call with this id."""
    found = []

    def look():
        with open(LOG, encoding="utf-8") as file:
            found[:] = [line for line in map(json.loads, file)
                        if line.get("id") == name]
        return found
    wire.true(f"no line for {name}", wire.within(5, look))
    line = found[0] if found else {}
    wire.equal(name, fields, {key: line.get(key) for key in fields})


def body():
    """A message that stops halfway."""
    before = rejected("body_timeout")
    with Http2(ADDRESS) as one:
        stream = one.begin(INFER, [("x-request-id", "body")])
        one.data(stream, message(bytes(1000))[:400], end=False)
        call = one.await_call(stream)
        wire.equal("status", DEADLINE_EXCEEDED, call.status)
        wire.equal("text", "the body did not arrive in time", call.text)
    logged("body", status=408, reason="body_timeout", received=400)
    wire.equal("counted", before + 1, rejected("body_timeout"))


def answer():
    """An answer that nobody takes."""
    before = rejected("send_timeout")
    with Http2(ADDRESS, {INITIAL_WINDOW: 100}, deaf=True) as one:
        stream = one.begin(INFER, [("x-request-id", "answer")])
        one.data(stream, message(protobuf.infer(Question(1, 9, 9, 99))))
        wire.equal("reset", CANCEL, one.await_call(stream).reset)
    logged("answer", status=499, reason="send_timeout")
    wire.equal("counted", before + 1, rejected("send_timeout"))


def ends_after(one, what, goaway=NO_ERROR):
    """The connection ends after a second, not at once, and not much later."""
    started = time.monotonic()
    wire.true(f"{what}: it does not end", one.closed())
    passed = time.monotonic() - started
    wire.true(f"{what}: {passed:.2f} s", 0.8 < passed < 5 * wire.SCALE)
    if goaway is not None:
        wire.equal(f"{what}: GOAWAY", goaway, (one.goaway or (0, -1))[1])


def idle():
    with Http2(ADDRESS) as one:
        one.call(SERVICE + "ServerLive")
        ends_after(one, "a connection without calls")


def heads():
    """No byte at all, and headers that do not end."""
    with Http2(ADDRESS, greet=False) as one:
        ends_after(one, "silence", goaway=None)
    with Http2(ADDRESS) as one:
        one.call(SERVICE + "ServerLive")
        one.send(frame(HEADERS, 0, one.next, block(request_fields(INFER))))
        ends_after(one, "half a head")


def trailers():
    """Of a call that was refused, the rest of the headers ends as well: its
    connection serves on."""
    with Http2(ADDRESS) as one:
        for _ in range(8):
            stream = one.begin(INFER)
            one.send(frame(HEADERS, 4 | 1, stream, block([("x-own", "1")])))
            one.await_call(stream)
            time.sleep(0.25)
            one.call(SERVICE + "ServerLive")
        wire.true(f"GOAWAY {one.goaway}", not one.goaway)


def resets():
    """More cancelled calls than the option allows are a flood, one a
    connection."""
    before = rejected("flood")
    with Http2(ADDRESS) as one:
        for _ in range(10):
            stream = one.begin(INFER)
            one.send(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))
        one.call(SERVICE + "ServerLive")
        wire.true(f"ten are too many: {one.goaway}", not one.goaway)
        for _ in range(30):
            stream = one.begin(INFER)
            one.send(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))
        wire.true("it does not end", one.closed())
        wire.equal("GOAWAY", CALM, (one.goaway or (0, 0))[1])
    wire.equal("counted", before + 1, rejected("flood"))


for part in (body, answer, idle, heads, trailers, resets):
    try:
        part()
    except (wire.Closed, OSError) as error:
        wire.fail(f"{part.__name__}: {type(error).__name__}: {error}")
wire.finish()
