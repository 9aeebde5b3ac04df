"""Bounds of a call: message, metadata, tokens. Argument 3: the address of
gRPC, whose messages may have 100,000 bytes."""

import sys

import protobuf
import wire
from grpc_wire import (DATA, FRAME_SIZE, OK, PERMISSION_DENIED,
                       RESOURCE_EXHAUSTED, SERVICE, UNAUTHENTICATED, Http2,
                       frame)
from question import Question

ADDRESS = sys.argv[3]
INFER = SERVICE + "ModelInfer"
TOKEN = [("authorization", "Bearer token-1")]


def sizes():
    small, large = Question(1, 10, 10, 200), Question(1, 10, 10, 260)
    with Http2(ADDRESS) as one:
        protobuf.check_call(small, one.call(INFER, protobuf.infer(small),
                                            TOKEN))
        call = one.call(INFER, protobuf.infer(large), TOKEN)
        wire.equal("too large", RESOURCE_EXHAUSTED, call.status)
        wire.true(f"the limit is named: {call.text}", "100000" in call.text)
        wire.equal("afterwards", OK, one.call(SERVICE + "ServerLive").status)


def tokens():
    question = Question(2)
    with Http2(ADDRESS) as one:
        for more, status in (([], UNAUTHENTICATED), (TOKEN, OK),
                             ([("authorization", "Bearer no")],
                              PERMISSION_DENIED)):
            call = one.call(INFER, protobuf.infer(question), more)
            wire.equal(f"{more}", status, call.status)
            if status != OK:
                wire.true(f"text: {call.text}",
                          "authorization" in call.text.lower())
        call = one.call(SERVICE + "ModelConfig",
                        protobuf.field(1, "openvino.Reverse"))
        wire.equal("config", UNAUTHENTICATED, call.status)
        for open_ in ("ServerLive", "ServerMetadata"):
            wire.equal(open_, OK, one.call(SERVICE + open_).status)


def frames():
    """A frame longer than the settings allow ends the connection."""
    with Http2(ADDRESS) as one:
        wire.true("settings", one.until(lambda: one.theirs))
        stream = one.begin(INFER, TOKEN)
        one.send(frame(DATA, 0, stream,
                       bytes(one.theirs.get(FRAME_SIZE, 16384) + 1)))
        wire.true("closed", one.closed())
        wire.equal("GOAWAY: FRAME_SIZE_ERROR", 6, (one.goaway or (0, 0))[1])


def metadata():
    """Too much of it ends its call; what is too long to read, and what is not
    gRPC, the connection."""
    question = Question(3)
    long = [("x-long", "a" * 20000)]
    with Http2(ADDRESS) as one:
        one.until(lambda: one.theirs)
        call = one.call(INFER, protobuf.infer(question), [*TOKEN, *long])
        wire.equal("too much", RESOURCE_EXHAUSTED, call.status)
        wire.true(f"the limit is named: {call.text}", "16384" in call.text)
    for what, more in (("not gRPC", [*long, ("content-type", "text/plain")]),
                       ("more than 64 KiB", long * 4)):
        with Http2(ADDRESS) as one:
            one.until(lambda: one.theirs)
            one.begin(INFER, more, end=True)
            wire.true(f"{what}: closed", one.closed())
            wire.equal(f"{what}: FRAME_SIZE_ERROR", 6,
                       (one.goaway or (0, 0))[1])


wire.run(sizes, tokens, frames, metadata)
