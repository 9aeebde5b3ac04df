"""Frames that bring no request further, of every type and in every state of a
stream: a connection that sends them without end is closed with
ENHANCE_YOUR_CALM. Clients that send some of them are not.

Argument 3: the address of gRPC."""

import struct
import sys
import time

import protobuf
import wire
from grpc_wire import (CALM, CANCEL, CONTINUATION, DATA, END_HEADERS,
                       END_STREAM, GOAWAY, HEADERS, INITIAL_WINDOW, OK, PADDED,
                       PING, PREFACE, PRIORITY, RESOURCE_EXHAUSTED, RST_STREAM, SERVICE,
                       SETTINGS, WINDOW_UPDATE, ACK, Http2, block, frame,
                       message, request_fields, settings)
from question import Question

ADDRESS = sys.argv[3]
INFER, STREAM = SERVICE + "ModelInfer", SERVICE + "ModelStreamInfer"
OPEN, CLOSED, REFUSED = 1, 3, 5  # the streams of a connection
ALTSVC, ORIGIN, PRIORITY_UPDATE = 10, 12, 16
HEADS = block(request_fields(INFER))
FLOOD = 'flipd_rejected_total{reason="flood"}'


def number(value):
    return struct.pack(">I", value)


KINDS = {
    "PING": frame(PING, 0, 0, bytes(8)),
    "PING's ACK": frame(PING, ACK, 0, bytes(8)),
    "SETTINGS": frame(SETTINGS),
    "SETTINGS with a value": frame(SETTINGS, 0, 0,
                                   settings({INITIAL_WINDOW: 65535})),
    "PRIORITY": frame(PRIORITY, 0, OPEN, struct.pack(">IB", 9, 9)),
    "PRIORITY of no stream": frame(PRIORITY, 0, 999, struct.pack(">IB", 9, 9)),
    "a window of the connection": frame(WINDOW_UPDATE, 0, 0, number(1)),
    "a window of a stream": frame(WINDOW_UPDATE, 0, OPEN, number(1)),
    "a window of a closed stream": frame(WINDOW_UPDATE, 0, CLOSED, number(1)),
    "a reset of a closed stream": frame(RST_STREAM, 0, CLOSED, number(CANCEL)),
    "DATA without bytes": frame(DATA, 0, OPEN),
    "DATA with a length of padding": frame(DATA, PADDED, OPEN, b"\0"),
    "DATA with padding": frame(DATA, PADDED, OPEN, b"\x08" + bytes(8)),
    "DATA of a closed stream": frame(DATA, 0, REFUSED),
    "DATA of a closed stream, with bytes": frame(DATA, 0, REFUSED, bytes(9)),
    "DATA of a closed stream, padded": frame(DATA, PADDED, REFUSED, b"\0"),
    "DATA of a closed stream, long": frame(DATA, 0, REFUSED, bytes(16384)),
    "HEADERS of a closed stream": frame(HEADERS, END_HEADERS | END_STREAM,
                                        REFUSED, HEADS),
    "parts of HEADERS of a closed stream": frame(HEADERS, END_STREAM, REFUSED) +
    frame(CONTINUATION, 0, REFUSED) + frame(CONTINUATION, END_HEADERS, REFUSED),
    "parts of HEADERS": frame(HEADERS, 0, 7) + frame(CONTINUATION, 0, 7) * 9,
    "GOAWAY": frame(GOAWAY, 0, 0, bytes(8)),
    "ALTSVC": frame(ALTSVC, 0, 0, b"\0\x01aclear"),
    "ALTSVC of a stream": frame(ALTSVC, 0, OPEN, b"\0\0clear"),
    "ORIGIN": frame(ORIGIN, 0, 0, b"\0\x01a"),
    "PRIORITY_UPDATE": frame(PRIORITY_UPDATE, 0, 0, number(OPEN) + b"u=1"),
    "all of these types": b"".join(frame(kind) for kind in range(10, 256)),
    "an unknown type": frame(99, 255, OPEN),
    "an unknown type, long": frame(99, 0, 0, bytes(16384)),
    "several": frame(99) + frame(PING, 0, 0, bytes(8)) + frame(DATA, 0, OPEN) +
    frame(DATA, 0, REFUSED) + frame(PRIORITY, 0, OPEN, bytes(5)),
}


def prepared():
    """A connection with a stream that is open, one that its client has reset,
    and one that the daemon has reset, whose body is not wanted."""
    one = Http2(ADDRESS)
    one.until(lambda: one.theirs)
    wire.equal("streams", (OPEN, CLOSED, REFUSED), (
        one.begin(STREAM), one.begin(STREAM), one.begin("/no/method")))
    one.send(frame(RST_STREAM, 0, CLOSED, number(CANCEL)))
    one.await_call(REFUSED)
    one.until(lambda: one.calls[REFUSED].reset is not None)
    return one


def send_all(one, data, most):
    """Sends `data` again and again until the daemon closes the connection, and
    reads what comes meanwhile."""
    many = data * max(1, 60000 // len(data))
    sent = 0
    one.socket.settimeout(0.05)
    while sent < most and not one.goaway and not one.over:
        at = 0
        try:
            while at < len(many):
                at += one.socket.send(many[at:])
        except TimeoutError:
            pass
        except OSError:
            break
        if at < len(many):  # no frame is cut: the rest comes first
            many = many[at:] + many[:at]
        sent += at
        try:
            one.socket.setblocking(False)
            while one.step():
                pass
        except (BlockingIOError, TimeoutError):
            pass
        except OSError:
            break
        finally:
            one.socket.settimeout(0.05)
    one.socket.settimeout(wire.LIMIT)


def kinds():
    for what, data in KINDS.items():
        before = wire.metric(FLOOD)
        with prepared() as one:
            # 60,000 frames a second of these would be a third of a core.
            send_all(one, data, max(4 << 20, 40000 * len(data)
                                    if len(data) < 9000 else 400 << 20))
            try:
                one.until(lambda: one.goaway or one.over, 3)
            except OSError:
                pass
            wire.equal(f"{what}: GOAWAY", CALM, (one.goaway or (0, None))[1])
        wire.equal(f"{what}: counted", before + 1, wire.metric(FLOOD))


def at_once():
    """A flood behind the preface: our SETTINGS come first all the same."""
    kinds = (frame(PING, 0, 0, bytes(8)) * 200, frame(SETTINGS) * 200,
             frame(HEADERS, 0, 1) + frame(CONTINUATION, 0, 1) * 20)
    for number_, flood in enumerate(kinds):
        with Http2(ADDRESS, greet=False) as one:
            one.send(PREFACE + frame(SETTINGS) + flood)
            first = one.receive()
            wire.equal(f"flood {number_}: the first frame", SETTINGS,
                       first and first.kind)
            one.until(lambda: one.goaway or one.over)
            wire.equal(f"flood {number_}: GOAWAY", CALM,
                       (one.goaway or (0, None))[1])


def some():
    """Frames of every kind beside requests, a thousand of each: no flood."""
    question = Question(1)
    odd = [data for what, data in KINDS.items() if not what.startswith(
        ("parts", "HEADERS", "GOAWAY", "all")) and len(data) < 1000]
    with prepared() as one:
        for turn in range(1000 // len(odd) * 4):
            one.send(b"".join(odd))
            protobuf.check_call(question, one.call(
                INFER, protobuf.infer(question)), f"turn {turn}")
        wire.equal("GOAWAY", None, one.goaway)


def bytes_one_by_one():
    """A message in frames of a byte, which is of use."""
    question = Question(1, 10, 10, 200)
    whole = message(protobuf.infer(question))
    with Http2(ADDRESS) as one:
        one.until(lambda: one.theirs)
        stream = one.begin(INFER)
        one.send(b"".join(frame(DATA, 0, stream, whole[at:at + 1])
                          for at in range(len(whole))) +
                 frame(DATA, END_STREAM, stream))
        protobuf.check_call(question, one.await_call(stream), "in bytes")


def refused_bodies():
    """A client whose every message is too large, and which hears of it with a
    window's bytes on their way: it is told each time."""
    data = frame(DATA, 0, 0, bytes(16384))
    with Http2(ADDRESS) as one:
        one.until(lambda: one.theirs and one.window > 32 << 20)
        for _ in range(300):
            stream = one.begin(INFER)
            head = frame(DATA, 0, stream, struct.pack(">BI", 0, 1 << 31))
            body = data[:5] + number(stream) + data[9:]
            one.send(head + body * 64)
            call = one.await_call(stream)
            if call.status != RESOURCE_EXHAUSTED:
                wire.fail(f"{call} {one.goaway}")
                return
        wire.equal("afterwards", OK, one.call(SERVICE + "ServerLive").status)


def rests():
    """An idle connection with pings and streams that are cancelled."""
    with Http2(ADDRESS) as one:
        end = time.monotonic() + 2
        while time.monotonic() < end:
            one.send(frame(PING, 0, 0, bytes(8)) * 20)
            stream = one.begin(STREAM)
            one.send(frame(RST_STREAM, 0, stream, number(CANCEL)))
            one.until(lambda: False, 0.05 / wire.SCALE)
        wire.equal("GOAWAY", None, one.goaway)
        wire.equal("afterwards", OK, one.call(SERVICE + "ServerLive").status)


wire.run(kinds, at_once, some, bytes_one_by_one, refused_bodies, rests)
