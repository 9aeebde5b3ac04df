"""Calls and connections that a limit ends: what their client is told, what the
log says, what is counted.

Argument 3: the address of gRPC, with timeouts of 1 s and 10 resets a second; 4:
the log, in JSON."""

import struct
import sys
import time

import protobuf
import wire
from grpc_wire import (CALM, CANCEL, DEADLINE_EXCEEDED, END_HEADERS,
                       END_STREAM, HEADERS, INITIAL_WINDOW, NO_ERROR, PING,
                       REFUSED_STREAM, RST_STREAM, SERVICE, Http2, block,
                       frame, message, request_fields)
from question import Question

ADDRESS, LOG = sys.argv[3:5]
INFER = SERVICE + "ModelInfer"


def rejected(reason):
    return wire.metric(f'flipd_rejected_total{{reason="{reason}"}}')


def logged(name, **fields):
    """Checks the line of the call with this id."""
    line = (wire.logged(LOG, id=name) or [{}])[0]
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
        plain = ("content-type", "text/plain"), ("x-request-id", "plain")
        stream = one.begin(INFER, plain)
        one.data(stream, bytes(400), end=False)
        wire.equal("a stranger's", CANCEL, one.await_call(stream).reset)
    logged("body", status=408, reason="body_timeout", received=400)
    logged("plain", status=499, reason="body_timeout")
    wire.equal("counted", before + 2, rejected("body_timeout"))


def answer():
    """An answer that nobody takes."""
    before = rejected("send_timeout")
    with Http2(ADDRESS, {INITIAL_WINDOW: 100}, deaf=True) as one:
        stream = one.begin(INFER, [("x-request-id", "answer")])
        one.data(stream, message(protobuf.infer(Question(1, 9, 9, 99))))
        wire.equal("reset", CANCEL, one.await_call(stream).reset)
    logged("answer", status=499, reason="send_timeout")
    wire.equal("counted", before + 1, rejected("send_timeout"))


def ends_after_a_second(one, what, since, goaway=NO_ERROR):
    """The connection ends by itself, not before a second has passed."""
    wire.true(f"{what}: it does not end", one.closed())
    passed = time.monotonic() - since
    wire.true(f"{what}: {passed:.2f} s", passed > 0.95)
    if goaway is not None:
        wire.equal(f"{what}: GOAWAY", goaway, (one.goaway or (0, -1))[1])


def idle():
    with Http2(ADDRESS) as one:
        since = time.monotonic()
        one.call(SERVICE + "ServerLive")
        ends_after_a_second(one, "a connection without calls", since)


def heads():
    """No byte at all, and headers that do not end."""
    since = time.monotonic()
    with Http2(ADDRESS, greet=False) as one:
        ends_after_a_second(one, "silence", since, goaway=None)
    with Http2(ADDRESS) as one:
        wire.true("settings", one.until(lambda: one.theirs))
        one.begin(INFER)  # without it the connection would be idle
        since = time.monotonic()
        one.send(frame(HEADERS, 0, one.next, block(request_fields(INFER))))
        ends_after_a_second(one, "half a head", since)


def refused_heads():
    """Headers that nghttp2 keeps to itself are whole as well: of a call that is
    one too many, of a client that has not seen the settings, and of a stream
    that has been closed. A stream beside them goes on."""
    with Http2(ADDRESS) as one:
        watch = one.ask("/grpc.health.v1.Health/Watch", b"")
        over = [one.begin(INFER) for _ in range(128)][-1]
        wire.equal("one too many", REFUSED_STREAM, one.await_call(over).reset)
        goes_on(one, watch, "a call too many")
    with Http2(ADDRESS) as one:
        watch = one.ask("/grpc.health.v1.Health/Watch", b"")
        stream = one.begin("/no/method")
        one.await_call(stream)
        one.send(frame(HEADERS, END_HEADERS | END_STREAM, stream,
                       block([("x-own", "1")])) + frame(PING, 0, 0, bytes(8)))
        goes_on(one, watch, "a closed stream")


def goes_on(one, watch, what):
    one.until(lambda: one.goaway or one.calls[watch].ended, 2.5)
    wire.equal(f"{what}: GOAWAY", None, one.goaway)
    wire.true(f"{what}: the stream has ended", not one.calls[watch].ended)


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


wire.run(body, answer, idle, heads, refused_heads, resets)
