"""Calls that a limit ends: what their client is told, what the log says, what is
counted.

Argument 3: the address of gRPC, with timeouts of 1 s; 4: the log, in JSON."""

import sys

import protobuf
import wire
from grpc_wire import (CANCEL, DEADLINE_EXCEEDED, END_HEADERS, END_STREAM,
                       HEADERS, INITIAL_WINDOW, PING, REFUSED_STREAM, SERVICE,
                       Http2, block, frame, message, request_fields)
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
        wire.equal("text", "the body did not arrive in time: body-timeout, in "
                   "seconds, is 1", call.text)
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


def refused_heads():
    """Headers that nghttp2 keeps to itself are whole as well: of a call that is
    one too many, of a stream that has been closed, and with a name that no header
    has. A stream beside them goes on."""
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
    with Http2(ADDRESS) as one:
        watch = one.ask("/grpc.health.v1.Health/Watch", b"")
        one.send(frame(HEADERS, END_HEADERS, 3, block(
            [*request_fields(INFER), ("Upper", "case")])))
        goes_on(one, watch, "a name that no header has")


def goes_on(one, watch, what):
    one.until(lambda: one.goaway or one.calls[watch].ended, 2.5)
    wire.equal(f"{what}: GOAWAY", None, one.goaway)
    wire.true(f"{what}: the stream has ended", not one.calls[watch].ended)


wire.run(body, answer, refused_heads)
