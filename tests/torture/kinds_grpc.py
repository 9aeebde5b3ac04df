"""The kinds of request over gRPC, as in kinds.py."""

import gzip
import struct
import types

import kinds
import protobuf
import wire
from grpc_wire import (CANCEL, DATA, END_STREAM, INTERNAL, RESOURCE_EXHAUSTED,
                       RST_STREAM, SERVICE, UNAVAILABLE, Http2, frame, message)
from question import Question
from victim import Bad

PROPER = INTERNAL, RESOURCE_EXHAUSTED, UNAVAILABLE
INFER = SERVICE + "ModelInfer"
HEALTH = "/grpc.health.v1.Health/"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"


def judge(call, check):
    """`check` says whether the call was answered right."""
    if call.reset is not None or call.status in PROPER:
        kinds.refusal = str(call)
        return "refused"
    if not check(call):
        raise Bad(f"a wrong answer: {call}")
    return "right"


def right(question):
    return kinds.right(types.SimpleNamespace(
        check=lambda call: protobuf.check_call(question, call)))


def has(*messages):
    """A check that the call has these messages and no error."""
    return lambda call: call.status == 0 and \
        [payload for _, payload in call.messages()] == list(messages)


class Grpc:
    """to: the address; tls: a context, or None."""

    def __init__(self, to, tls=None):
        self.to, self.tls = to, tls

    def connect(self):
        return Http2(self.to, tls=self.tls)

    def ask(self, path, payload, check, more=(), compressed=0):
        with self.connect() as one:
            return judge(one.call(path, payload, more, compressed), check)

    def infer(self, question):
        return self.ask(INFER, protobuf.infer(question), right(question))

    def coded(self, question):
        def check(call):
            [(compressed, payload)] = call.messages()
            call.data = message(gzip.decompress(payload) if compressed
                                else payload)
            return right(question)(call)
        return self.ask(INFER, gzip.compress(protobuf.infer(question)),
                        check, [("grpc-encoding", "gzip"),
                                ("grpc-accept-encoding", "gzip")], 1)

    def several(self, questions):
        """At once on one connection."""
        with self.connect() as one:
            streams = [one.ask(INFER, protobuf.infer(q)) for q in questions]
            found = {judge(one.await_call(stream), right(question))
                     for stream, question in zip(streams, questions)}
        return "right" if found == {"right"} else "refused"

    def stream(self, questions):
        def check(call):
            answers = [payload for _, payload in call.messages()]
            return len(answers) == len(questions) and all(
                self.answers(q, a) for q, a in zip(questions, answers))
        with self.connect() as one:
            stream = one.begin(SERVICE + "ModelStreamInfer")
            for question in questions:
                one.data(stream, message(protobuf.infer(question)), end=False)
            one.send(frame(DATA, END_STREAM, stream))
            call = one.await_call(stream)
            if any(protobuf.one_of(m, 1) for _, m in call.messages()):
                return "refused"
            return judge(call, check)

    @staticmethod
    def answers(question, payload):
        """Of a message of a stream."""
        asked = types.SimpleNamespace(check=lambda reply: protobuf.check(
            question, protobuf.one_of(reply, 2)))
        return kinds.right(asked)(payload)

    def watch(self):
        """The first message of a Watch; then it is cancelled."""
        with self.connect() as one:
            stream = one.ask(HEALTH + "Watch", b"")
            call = one.calls[stream]
            if not one.until(lambda: call.messages() or call.ended):
                raise wire.Closed("ended") if one.over else Bad("hangs")
            if not call.ended:
                one.send(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))
                call.heads.append([("grpc-status", "0")])
            return judge(call, has(protobuf.field(1, 1)))

    def abandoned(self, question, how):
        """The client resets the stream or goes, in the middle of its body or
        without reading."""
        with self.connect() as one:
            payload = message(protobuf.infer(question))
            stream = one.begin(INFER)
            if how == "half":
                one.data(stream, payload[:len(payload) // 2], end=False)
                one.send(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))
                return judge(one.call(HEALTH + "Check"),
                             has(protobuf.field(1, 1)))
            one.data(stream, payload)
        return "right"

    def reflection(self):
        with self.connect() as one:
            return judge(one.call(REFLECTION, protobuf.field(7, "")),
                         lambda call: b"grpc.health.v1.Health" in call.data)


def plain(to):
    grpc = Grpc(to)
    return {
        "gRPC": lambda: grpc.infer(kinds.SMALL),
        "gRPC, large": lambda: grpc.infer(kinds.LARGE_BYTES),
        "gRPC, gzip": lambda: grpc.coded(kinds.BYTES),
        "gRPC, several": lambda: grpc.several(
            [kinds.SMALL, kinds.LARGE, kinds.BYTES, Question(8)]),
        "gRPC stream": lambda: grpc.stream(
            [kinds.SMALL, kinds.LARGE, kinds.BYTES]),
        "gRPC Watch": grpc.watch,
        "gRPC List": lambda: grpc.ask(HEALTH + "List", b"", lambda call:
                                      call.status == 0 and call.data),
        "gRPC reflection": grpc.reflection,
        "gRPC config": lambda: grpc.ask(
            SERVICE + "ModelConfig", protobuf.field(1, "flip"),
            lambda call: b"flip" in call.data),
        "gRPC 404": lambda: grpc.ask(
            SERVICE + "ModelConfig", protobuf.field(1, "none"),
            lambda call: call.status == 5),
        "gRPC, cut body": lambda: grpc.abandoned(kinds.LARGE_BYTES, "half"),
        "gRPC, cut answer": lambda: grpc.abandoned(kinds.LARGE_BYTES, "whole"),
    }


def secure(to, tls):
    grpc = Grpc(to, tls)
    return {
        "gRPC, TLS": lambda: grpc.infer(kinds.SMALL),
        "gRPC, TLS, large": lambda: grpc.infer(kinds.LARGE_BYTES),
    }
