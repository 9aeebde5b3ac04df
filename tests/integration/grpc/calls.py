"""Unary calls in raw frames: statuses and texts, framing, coding, deadlines.

Argument 3: the address of gRPC; 4: a model of the models file, if any."""

import gzip
import json
import sys
import time

import protobuf
import wire
from grpc_wire import (DEADLINE_EXCEEDED, END_HEADERS, END_STREAM, HEADERS,
                       INTERNAL, INVALID_ARGUMENT, NOT_FOUND, OK, PING,
                       RESOURCE_EXHAUSTED, SERVICE, UNIMPLEMENTED, Http2, block,
                       frame, message)
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


def codings():
    question = Question(6, 50, 4, 40)
    plain = protobuf.infer(question)
    coded = gzip.compress(plain)
    zip_ = [("grpc-encoding", "gzip")]
    with Http2(ADDRESS) as one:
        stream = one.ask(INFER, coded, [
            *zip_, ("grpc-accept-encoding", "identity")], 1)
        protobuf.check_call(question, one.await_call(stream), "gzip")
        call = one.call(INFER, coded, [
            *zip_, ("grpc-accept-encoding", "identity,deflate,gzip")], 1)
        flag, reply = call.messages()[0]
        wire.equal("compressed", 1, flag)
        wire.equal("named", "gzip", call.field("grpc-encoding", 0))
        protobuf.check(question, gzip.decompress(reply), "gzip both ways")
    call = ask(INFER, coded, [("grpc-encoding", "br")], 1)
    wire.equal("an unknown coding", UNIMPLEMENTED, call.status)
    known = (call.field("grpc-accept-encoding", 0) or "").replace(" ", "")
    wire.equal("the codings", {"identity", "gzip"},
               set(known.split(",")) & {"identity", "gzip"})
    call = ask(INFER, coded[:-9], zip_, 1)
    wire.equal("gzip, cut", INTERNAL, call.status)


def lies():
    """Prefixes that do not fit what follows."""
    body = protobuf.infer(Question(1))
    for what, data, status in (
            ("no prefix", b"", UNIMPLEMENTED),
            ("two messages", message(body) * 2, UNIMPLEMENTED),
            ("4 GiB", b"\0\xff\xff\xff\xff" + body, RESOURCE_EXHAUSTED),
            ("a cut message of protobuf", message(body[:-1]), INTERNAL),
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


def timeouts():
    question = Question(9)
    call = ask(INFER, protobuf.infer(question), [("grpc-timeout", "1H")])
    protobuf.check_call(question, call, "grpc-timeout")
    call = ask(INFER, protobuf.infer(question), [("grpc-timeout", "5")])
    wire.equal("no grpc-timeout", INTERNAL, call.status)
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


def metadata():
    with Http2(ADDRESS) as one:
        call = one.call(SERVICE + "ServerLive", b"", [
            ("x-bin", "AAEC/w"), ("x-bin", "AAEC/w=="), ("x-own", "a" * 2000)])
        wire.equal("metadata", OK, call.status)
        call = one.call(SERVICE + "ServerLive", b"",
                        [("x-request-id", " an-id\t ")])
        wire.equal("an id", "an-id", call.field("x-request-id", 0))
        stream, one.next = one.next, one.next + 2
        one.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, block(
            [(":method", "POST"), (":scheme", "http"),
             (":path", SERVICE + "ServerLive"), ("te", "trailers"),
             ("content-type", "application/grpc")])))
        wire.true("without :authority", one.await_call(stream))


def strangers():
    """Requests that are not gRPC's: answered in HTTP when they have been sent, and
    never run. One of HTTP/1.1 learns that it is at the wrong port."""
    plain = [("content-type", "application/json")]
    call = ask(INFER, bytes(3 << 20), plain)
    wire.equal("a type", "415", call.field(":status", 0))
    wire.equal("its type", "application/json", call.field("content-type", 0))
    wire.true(bytes(call.data), "HTTP has a port of its own" in
              json.loads(call.data)["error"])
    call = ask(INFER, b"", [(":method", "GET")])
    wire.equal("no POST", "405", call.field(":status", 0))
    wire.equal("allow", "POST", call.field("allow", 0))
    with wire.Wire(ADDRESS) as one:
        one.send(b"POST /v2 HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n" +
                 bytes(100000))
        reply = one.reply()
        wire.equal("HTTP/1.1", 505, reply.status)
        wire.true(reply, "HTTP/1.1 is at --http-port" in reply.json()["error"])


wire.run(form_of_a_reply, form_of_a_refusal, state, inferences, codings, lies,
         timeouts, late_messages, metadata, strangers)
