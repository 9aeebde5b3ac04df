"""ModelStreamInfer, Watch and reflection in raw frames.

Argument 3: the address of gRPC."""

import gzip
import random
import struct
import sys
import time

import protobuf
import wire
from grpc_wire import (CANCEL, DATA, END_STREAM, INITIAL_WINDOW, INTERNAL, OK,
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


def ended_by_a_message():
    """A fault behind messages that wait is told after their answers, wherever
    the frames end."""
    rng = random.Random(3)
    good = [Question(n, 3, 2, 2) for n in range(50)]
    whole = b"".join(message(protobuf.infer(each)) for each in good)
    for what, more, code in (("a flag", message(b"", 7), INTERNAL),
                             ("no protobuf", message(b"\x0a\x09"), INTERNAL),
                             ("an end", message(bytes(9))[:8], INTERNAL),
                             ("an end in a prefix", b"\0\0", INTERNAL),
                             ("nothing", b"", OK)):
        with Http2(ADDRESS) as one:
            stream, sent, at = one.begin(STREAM), whole + more, 0
            while at < len(sent):
                size = rng.choice((1, 2, 5, 100, 1000, 16384))
                one.data(stream, sent[at:at + size], end=False)
                at += size
            one.send(frame(DATA, END_STREAM, stream))
            call = one.await_call(stream)
        got = replies(call)
        wire.equal(f"{what}: answers", len(good), len(got))
        for question, (error, reply) in zip(good, got):
            wire.equal(f"{what}: no error", "", error)
            protobuf.check(question, reply, what)
        wire.equal(f"{what}: status", code, call.status)


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


def watch():
    with Http2(ADDRESS) as one:
        path = "/grpc.health.v1.Health/"
        for name, status in (("", 1), ("inference.GRPCInferenceService", 1),
                             ("none", 3)):
            stream = one.ask(path + "Watch", protobuf.field(1, name))
            wire.true("Watch", one.until(
                lambda: len(one.calls[stream].messages()) == 1))
            wire.equal(f"Watch of <{name}>", [protobuf.field(1, status)],
                       [payload for _, payload in one.calls[stream].messages()])
            wire.true("it stays open", not one.calls[stream].ended)
            one.send(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))
        call = one.call(path + "Check", protobuf.field(1, "none"))
        wire.equal("Check of none: NOT_FOUND", 5, call.status)


def reflection():
    """What is asked for is found in the file descriptors that come back."""
    for version in ("v1", "v1alpha"):
        path = f"/grpc.reflection.{version}.ServerReflection/" \
            "ServerReflectionInfo"
        with Http2(ADDRESS) as one:
            stream = one.begin(path)
            asked = [(4, "inference.GRPCInferenceService", b"ModelInferRequest"),
                     (4, "inference.GRPCInferenceService.ModelInfer",
                      b"GRPCInferenceService"),
                     (4, "grpc.health.v1.HealthCheckRequest",
                      b"HealthCheckResponse"),
                     (7, "", b"inference.GRPCInferenceService"),
                     (4, "no.such", b"")]
            for number, name, _ in asked:
                one.data(stream, message(protobuf.field(1, "host") +
                                         protobuf.field(number, name)),
                         end=False)
            one.send(frame(DATA, END_STREAM, stream))
            call = one.await_call(stream)
            wire.equal(f"{version}: status", OK, call.status)
            got = [payload for _, payload in call.messages()]
            wire.equal(f"{version}: replies", len(asked), len(got))
            for (number, name, has), payload in zip(asked, got):
                kind = {4: 4, 7: 6}[number] if has else 7  # error_response
                wire.true(f"{version}: {name}: {payload[:200]}",
                          has in protobuf.one_of(payload, kind, b"-"))


wire.run(in_order, ended_by_a_message, one_by_one, slow_reader, busy, beside,
         watch, reflection)
