"""ModelStreamInfer, Watch and reflection in raw frames.

Argument 3: the address of gRPC."""

import gzip
import struct
import sys
import time

import protobuf
import wire
from grpc_wire import (CANCEL, DATA, END_STREAM, INITIAL_WINDOW, OK,
                       RST_STREAM, SERVICE, WINDOW_UPDATE, Http2, frame,
                       message)
from question import Question

ADDRESS = sys.argv[3]
STREAM = SERVICE + "ModelStreamInfer"


def replies(call):
    """(error, ModelInferResponse) of each message."""
    return [(protobuf.one_of(payload, 1).decode(),
             protobuf.one_of(payload, 2)) for _, payload in call.messages()]


def in_order():
    """Small and large ones, some refused: each is answered in its turn."""
    questions = [Question(n, 3, 2, 20000 if n % 5 == 0 else 2)
                 for n in range(40)]
    bad = protobuf.field(1, "none") + protobuf.field(3, "bad")
    with Http2(ADDRESS, {INITIAL_WINDOW: 1 << 24}) as one:
        one.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 24)))
        stream = one.begin(STREAM)
        for question in questions:
            one.data(stream, message(protobuf.infer(question)), end=False)
            if question.tag % 8 == 0:
                one.data(stream, message(bad), end=False)
        one.send(frame(DATA, END_STREAM, stream))
        call = one.await_call(stream)
    wire.equal("status", OK, call.status)
    got = iter(replies(call))
    for question in questions:
        error, reply = next(got)
        wire.equal(f"no error of {question.tag}", "", error)
        protobuf.check(question, reply, "stream")
        if question.tag % 8 == 0:
            error, reply = next(got)
            wire.true(f"an error: {error}", error.startswith(
                "Request for unknown model: 'none' "))
            wire.equal("its id", b"bad", protobuf.one_of(reply, 3))
    wire.equal("nothing more", [], list(got))


def one_by_one():
    """A reply comes while the stream is open, and another stream goes on
    beside it."""
    with Http2(ADDRESS) as one:
        stream, other = one.begin(STREAM), one.begin(STREAM)
        for number in range(5):
            for each in (stream, other):
                question = Question(number + each)
                one.data(each, message(protobuf.infer(question)), end=False)
                wire.true("a reply", one.until(
                    lambda: len(replies(one.calls[each])) == number + 1))
                protobuf.check(question, replies(one.calls[each])[-1][1])
        one.send(frame(RST_STREAM, 0, other, struct.pack(">I", CANCEL)))
        one.send(frame(DATA, END_STREAM, stream))
        wire.equal("status", OK, one.await_call(stream).status)
        empty = one.begin(STREAM)
        one.send(frame(DATA, END_STREAM, empty))
        wire.equal("no requests", (OK, []), (
            one.await_call(empty).status, one.calls[empty].messages()))


def slow_reader():
    """Replies wait for a window of the stream; the connection serves others."""
    question = Question(1, 64, 4, 64)
    with Http2(ADDRESS, {INITIAL_WINDOW: 1000}, deaf=True) as one:
        stream = one.begin(STREAM)
        one.data(stream, message(protobuf.infer(question)), end=False)
        wire.true("the window", one.until(
            lambda: len(one.calls[stream].data) == 1000))
        small = one.begin(SERVICE + "ServerLive")
        one.data(small, message(b""))
        wire.equal("beside it", OK, one.await_call(small).status)
        one.send(frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", 1 << 20)) +
                 frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 20)) +
                 frame(DATA, END_STREAM, stream))
        call = one.await_call(stream)
        wire.equal("status", OK, call.status)
        protobuf.check(question, replies(call)[0][1], "slow reader")


def busy():
    """Thousands of messages a second on one stream are no flood, though a
    client opens two windows for each."""
    question, got = Question(1, 4, 3, 1), 0
    one_more = message(protobuf.infer(question))
    with Http2(ADDRESS) as one:
        stream = one.begin(STREAM)
        call = one.calls[stream]
        one.data(stream, one_more * 4, end=False)
        while got < 8000:
            wire.true("a reply", one.until(lambda: call.data))
            if call.ended or one.over:
                wire.fail(f"ended after {got} replies: {call}, {one.goaway}")
                return
            count = len(call.messages())
            call.data.clear()
            one.data(stream, one_more * count, end=False)
            got += count


def beside():
    """Short messages that are long when they are inflated wait in their stream, and
    the calls beside it do not."""
    bomb = message(gzip.compress(protobuf.field(99, bytes(200000))), 1)
    waits = []
    with Http2(ADDRESS) as one:
        stream = one.begin(STREAM, [("grpc-encoding", "gzip")])
        for _ in range(9):
            while one.room(stream) >= 64 * len(bomb):
                one.data(stream, bomb * 64, end=False)
            began = time.monotonic()
            wire.equal("beside it", OK, one.call(SERVICE + "ServerLive").status)
            waits.append(time.monotonic() - began)
    wait = sorted(waits)[4]
    wire.true(f"after {wait:.3f} s", wait < 0.15 * wire.SCALE)


def reflection():
    """What is asked for is found in the file descriptors that come back."""
    path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    asked = protobuf.field(4, "inference.GRPCInferenceService.ModelInfer")
    with Http2(ADDRESS) as one:
        stream = one.begin(path)
        one.data(stream, message(asked))
        (_, reply), = one.await_call(stream).messages()
        wire.true(reply[:200], b"GRPCInferenceService" in protobuf.one_of(reply, 4))


wire.run(in_order, one_by_one, slow_reader, busy, beside, reflection)
