"""Unary calls in raw frames: statuses and texts, framing, coding, deadlines.

Argument 3: the address of gRPC; 4: a model of the models file, if any."""

import gzip
import struct
import sys
import time

import protobuf
import wire
from grpc_wire import (CANCEL, DATA, DEADLINE_EXCEEDED, END_STREAM,
                       HEADERS, END_HEADERS, INTERNAL, INVALID_ARGUMENT,
                       NOT_FOUND, OK, PING, RESOURCE_EXHAUSTED, RST_STREAM,
                       SERVICE, UNIMPLEMENTED, Http2, block, frame, message)
from question import Question

ADDRESS = sys.argv[3]
INFER = SERVICE + "ModelInfer"


def ask(path, payload=b"", more=(), compressed=0):
    with Http2(ADDRESS) as one:
        return one.call(path, payload, more, compressed)


def form_of_a_reply():
    call = ask(SERVICE + "ServerLive")
    wire.equal("heads of a reply", 2, len(call.heads))
    wire.equal(":status", "200", call.field(":status", 0))
    wire.equal("content-type", "application/grpc",
               call.field("content-type", 0))
    wire.equal("trailers", OK, call.status)
    wire.equal("no text", "", call.text or "")
    wire.equal("live", [(0, protobuf.field(1, 1))], call.messages())


def form_of_a_refusal():
    """Trailers-Only: one HEADERS frame. The text is percent-encoded UTF-8."""
    call = ask(INFER, protobuf.field(1, "flöp%\n"))
    wire.equal("heads of a refusal", 1, len(call.heads))
    wire.equal(":status", "200", call.field(":status"))
    wire.equal("status", NOT_FOUND, call.status)
    wire.true(f"the text is {call.text}", str(call.text).startswith(
        "Request for unknown model: 'fl%C3%B6p%25%0A' "))
    call = ask(INFER, protobuf.field(1, "reverse_sequence"))
    wire.true(f"the text is {call.text}",
              "did you mean onnx.ReverseSequence?" in str(call.text))


def state():
    """What the server knows, not the message: readiness and its models."""
    wire.equal("ready", 1, protobuf.one_of(
        ask(SERVICE + "ServerReady").messages()[0][1], 1, 0))
    call = ask("/grpc.health.v1.Health/Check")
    wire.equal("SERVING", [(0, protobuf.field(1, 1))], call.messages())
    for model in sys.argv[4:]:
        call = ask(SERVICE + "ModelReady", protobuf.field(1, model))
        wire.equal(f"{model} is ready", [(0, protobuf.field(1, 1))],
                   call.messages())
        question = Question(8)
        protobuf.check_call(question, ask(
            INFER, protobuf.infer(question, model)), model)


def inferences():
    with Http2(ADDRESS) as one:
        questions = [Question(n, 3 + n, 2, 1 + n) for n in range(50)]
        asked = [(one.ask(INFER, protobuf.infer(q)), q) for q in questions]
        for stream, question in asked:
            protobuf.check_call(question, one.await_call(stream))
    for form in ("application/grpc+proto", "application/grpc; x=1"):
        question = Question(3)
        protobuf.check_call(question, ask(INFER, protobuf.infer(question),
                                          [("content-type", form)]), form)


def pieces():
    """A message in frames of one byte, some empty, padded, or with its prefix
    apart."""
    question = Question(5)
    whole = message(protobuf.infer(question))
    with Http2(ADDRESS) as one:
        stream = one.begin(INFER)
        for at in range(len(whole)):
            one.send(frame(DATA, 0, stream, whole[at:at + 1]))
            if at % 16 == 0:
                one.send(frame(DATA, 0, stream))
        one.send(frame(DATA, END_STREAM, stream))
        protobuf.check_call(question, one.await_call(stream), "bytes")
        stream = one.begin(INFER)
        one.send(frame(DATA, 8 | END_STREAM, stream,
                       b"\x20" + whole + bytes(32)))
        protobuf.check_call(question, one.await_call(stream), "padded")


def codings():
    question = Question(6, 50, 4, 40)
    plain = protobuf.infer(question)
    coded = gzip.compress(plain)
    zip_ = [("grpc-encoding", "gzip")]
    with Http2(ADDRESS) as one:
        stream = one.ask(INFER, coded, [
            *zip_, ("grpc-accept-encoding", "identity")], 1)
        protobuf.check_call(question, one.await_call(stream), "gzip")
        stream = one.ask(INFER, plain, zip_, 0)
        protobuf.check_call(question, one.await_call(stream), "gzip, not used")
        call = one.call(INFER, coded, [
            *zip_, ("grpc-accept-encoding", "identity,deflate,gzip")], 1)
        flag, reply = call.messages()[0]
        wire.equal("compressed", 1, flag)
        wire.equal("named", "gzip", call.field("grpc-encoding", 0))
        protobuf.check(question, gzip.decompress(reply), "gzip both ways")
        stream = one.ask(INFER, coded, [
            *zip_, ("grpc-accept-encoding", "identity, xgzipx")], 1)
        protobuf.check_call(question, one.await_call(stream), "not listed")
    call = ask(INFER, coded, [], 1)
    wire.equal("compressed without a coding", INTERNAL, call.status)
    call = ask(INFER, coded, [("grpc-encoding", "br")], 1)
    wire.equal("an unknown coding", UNIMPLEMENTED, call.status)
    known = (call.field("grpc-accept-encoding", 0) or "").replace(" ", "")
    wire.equal("the codings", {"identity", "gzip"},
               set(known.split(",")) & {"identity", "gzip"})
    call = ask(SERVICE + "ServerLive", b"", [("grpc-encoding", " ")])
    wire.equal("an empty coding", OK, call.status)
    for what, data in (("cut", coded[:-9]), ("none", b"abc"), ("empty", b""),
                       ("wrong checksum", coded[:-8] + bytes(8))):
        call = ask(INFER, data, zip_, 1)
        wire.equal(f"gzip, {what}", INTERNAL, call.status)
        stream = ask(SERVICE + "ModelStreamInfer", data, zip_, 1)
        wire.equal(f"gzip in a stream, {what}", INTERNAL, stream.status)
        small = ask(SERVICE + "ServerReady", data, zip_, 1)
        wire.equal(f"gzip of a small message, {what}", INTERNAL, small.status)


def lies():
    """Prefixes that do not fit what follows."""
    body = protobuf.infer(Question(1))
    for what, data, status in (
            ("longer than the data", struct.pack(">BI", 0, 1 + len(body)) + body,
             INTERNAL),
            ("no prefix", b"", UNIMPLEMENTED),
            ("half a prefix", b"\0\0\0", INTERNAL),
            ("two messages", message(body) * 2, UNIMPLEMENTED),
            ("two messages, the second without an end",
             message(body) + message(body)[:-1], UNIMPLEMENTED),
            ("flag 2", b"\2" + message(body)[1:], INTERNAL),
            ("flag 255", b"\xff" + message(body)[1:], INTERNAL),
            ("4 GiB", b"\0\xff\xff\xff\xff" + body, RESOURCE_EXHAUSTED),
            ("a byte behind it", message(body) + b"\0", UNIMPLEMENTED),
            ("no message of protobuf", message(b"\xff" * 20), INTERNAL),
            ("a cut message of protobuf", message(body[:-1]), INTERNAL),
            ("a cut field in it", message(
                protobuf.field(1, protobuf.MODEL) +
                protobuf.field(5, b"\x0a\x09a")), INTERNAL),
            ("a name that is not UTF-8", message(b"\x0a\x01\xff"), INTERNAL),
            ("a model that is not known",
             message(protobuf.field(1, "none")), NOT_FOUND),
            ("no inputs", message(protobuf.field(1, protobuf.MODEL)),
             INVALID_ARGUMENT)):
        with Http2(ADDRESS) as one:
            stream = one.begin(INFER)
            one.data(stream, data)
            call = one.await_call(stream)
            wire.equal(f"{what}: {call}", status, call.status)
            wire.true(f"{what}: a text", call.text)
            question = Question(2)
            protobuf.check_call(question, one.call(
                INFER, protobuf.infer(question)), f"after {what}")


def other_methods():
    """The same of methods that are no inference, and of streams."""
    for path in ("/inference.GRPCInferenceService/ServerLive",
                 "/inference.GRPCInferenceService/ModelReady",
                 "/inference.GRPCInferenceService/ModelConfig",
                 "/inference.GRPCInferenceService/RepositoryIndex",
                 "/grpc.health.v1.Health/Check",
                 "/grpc.health.v1.Health/List",
                 "/grpc.health.v1.Health/Watch"):
        with Http2(ADDRESS) as one:
            for what, data, status in (
                    ("no message", b"", UNIMPLEMENTED),
                    ("two messages", message(b"") * 2, UNIMPLEMENTED),
                    ("half a message", message(b"1234")[:7], INTERNAL)):
                stream = one.begin(path)
                one.data(stream, data)
                wire.equal(f"{path}: {what}", status,
                           one.await_call(stream).status)
            wire.equal(f"{path}: no protobuf", INTERNAL,
                       one.call(path, b"\x0a\x09").status)
    for path in (SERVICE + "ModelStreamInfer",
                 "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"):
        call = ask(path, b"\x0a\x09")
        wire.equal(f"{path}: no protobuf", INTERNAL, call.status)


def timeouts():
    question = Question(9)
    for given, good in (("1H", True), ("99999999S", True), ("10000m", True),
                        ("60M", True), ("99999999n", True), ("5000000u", True),
                        ("", False), ("5", False), ("S", False),
                        ("-1S", False), ("123456789S", False), ("1s", False),
                        ("1.5S", False)):
        call = ask(INFER, protobuf.infer(question), [("grpc-timeout", given)])
        if good:
            protobuf.check_call(question, call, f"grpc-timeout {given}")
        else:
            wire.equal(f"grpc-timeout <{given}>", INTERNAL, call.status)
    call = ask(INFER, protobuf.infer(question), [("grpc-timeout", "0S")])
    wire.equal("no time at all", DEADLINE_EXCEEDED, call.status)
    with Http2(ADDRESS) as one:
        stream = one.begin(INFER, [("grpc-timeout", "200m")])
        one.data(stream, message(protobuf.infer(question))[:50], end=False)
        call = one.await_call(stream)
        wire.equal("a body that stays away", DEADLINE_EXCEEDED, call.status)


def late_messages():
    """A message of a stream that comes when the call's time is over is not
    answered, whether or not the call has been ended already."""
    with Http2(ADDRESS) as one:
        for _ in range(5):
            stream = one.begin(SERVICE + "ModelStreamInfer",
                               [("grpc-timeout", "50m")])
            one.pongs.clear()
            one.send(frame(PING, 0, 0, bytes(8)))
            wire.true("the call has begun", one.until(lambda: one.pongs))
            time.sleep(0.055)
            one.data(stream, message(protobuf.infer(Question(1))))
            wire.equal("answers to a late message", [], [
                reply for _, reply in one.await_call(stream).messages()
                if not protobuf.all_of(reply, 1)])


def cancelled():
    """A cancelled call gives everything back; the connection goes on."""
    large = protobuf.infer(Question(1, 64, 64, 64))
    with Http2(ADDRESS) as one:
        for at in (0, 5, 40000):
            stream = one.begin(INFER)
            one.data(stream, message(large)[:at], end=False)
            one.send(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))
        question = Question(4)
        protobuf.check_call(question, one.call(
            INFER, protobuf.infer(question)), "after those")


def metadata():
    with Http2(ADDRESS) as one:
        call = one.call(SERVICE + "ServerLive", b"", [
            ("x-bin", "AAEC/w"), ("x-bin", "AAEC/w=="), ("x-own", "a" * 2000)])
        wire.equal("metadata", OK, call.status)
        call = one.call(SERVICE + "ServerLive", b"",
                        [("x-long", "a" * 16100)])
        wire.equal("too much", RESOURCE_EXHAUSTED, call.status)
        for name, value in (("x-own", "a "), ("x-own", "\ta"), ("x-own", " "),
                            ("x-own-bin", " AAEC/w== "),
                            ("content-type", "application/grpc "),
                            ("grpc-timeout", " 9S\t"),
                            ("grpc-accept-encoding", "gzip ")):
            call = one.call(SERVICE + "ServerLive", b"", [(name, value)])
            wire.equal(f"blanks: {name} <{value}>", OK, call.status)
        call = one.call(SERVICE + "ServerLive", b"",
                        [("x-request-id", " an-id\t ")])
        wire.equal("an id", "an-id", call.field("x-request-id", 0))
        stream, one.next = one.next, one.next + 2
        one.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, block(
            [(":method", "POST"), (":scheme", "http"),
             (":path", SERVICE + "ServerLive"), ("te", "trailers"),
             ("content-type", "application/grpc")])))
        wire.true("without :authority", one.await_call(stream))


wire.run(form_of_a_reply, form_of_a_refusal, state, inferences, pieces,
         codings, lies, other_methods, timeouts, late_messages, cancelled,
         metadata)
