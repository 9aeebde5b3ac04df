"""The cases of tests/conformance over HTTP, by the kit's own client, and in raw gRPC.

Argument 3: the address of gRPC. The kit's client of gRPC wants packages of PyPI."""

import os
import pathlib
import struct
import sys

KIT = pathlib.Path(__file__).parents[2] / "conformance"
sys.path.insert(0, str(KIT))
os.environ["FLIPD_HTTP"] = sys.argv[1]

import cases  # noqa: E402
import engine  # noqa: E402
import open_inference  # noqa: E402
import protobuf  # noqa: E402
import report  # noqa: E402
import wire  # noqa: E402
from engines import flipd_http  # noqa: E402
from grpc_wire import OK, SERVICE, Http2  # noqa: E402


def parameter(value):
    """InferParameter: int64_param, string_param or double_param."""
    if isinstance(value, float):
        return protobuf.varint(4 << 3 | 1) + struct.pack("<d", value)
    return protobuf.field(3 if isinstance(value, str) else 2, value)


class Grpc:
    """What an engine of the kit is."""

    def __init__(self, address):
        self.connection = Http2(address)

    def answer(self, case):
        model, parameters, tensors = open_inference.request(case)
        message = protobuf.field(1, model)
        for name, value in parameters.items():
            message += protobuf.field(
                4, protobuf.field(1, name) + protobuf.field(2, parameter(value)))
        for name, datatype, shape, _ in tensors:
            message += protobuf.field(5, protobuf.tensor(name, datatype, shape))
        for *_, raw in tensors:
            message += protobuf.field(7, raw)
        call = self.connection.call(SERVICE + "ModelInfer", message)
        if call.status != OK:
            raise engine.Refused(f"{call.status} {call.text}")
        ((_, reply),) = call.messages()
        output = protobuf.one_of(reply, 5)
        shape = [protobuf.read_varint(one, 0)[0]
                 for one in protobuf.split(protobuf.one_of(output, 3))]
        wire.equal(f"{case['name']}: shape", case["shape"], shape)
        wire.equal(f"{case['name']}: datatype", case["datatype"].encode(),
                   protobuf.one_of(output, 2))
        return protobuf.one_of(reply, 6)


def check(protocol, asked, case):
    outcome = engine.outcome(asked, case)
    wire.equal(f"{protocol}: {case['name']}: {str(outcome)[:300]}", "right",
               report.verdict(case, outcome))


def main():
    grpc = Grpc(sys.argv[3])
    asked = cases.cases()
    for case in asked:
        check("HTTP", flipd_http, case)
        check("gRPC", grpc, case)
    answered = sum(case["expect"] is not None for case in asked)
    wire.true(f"{answered} of {len(asked)} cases have a result",
              1000 < answered < len(asked))
    wire.finish()


main()
