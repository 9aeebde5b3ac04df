"""Inferences in the messages of the protocol itself: typed contents of every
datatype, raw contents, both kinds of InferParameter."""

import struct

import grpc

from check import equal, ok

MODEL = "openvino.ReverseSequence"
# Datatype: the field of InferTensorContents, struct's letter, hard values.
FIELDS = {
    "BOOL": ("bool_contents", "?", [True, False, True, True]),
    "INT8": ("int_contents", "b", [-128, 127, 0, -1]),
    "INT16": ("int_contents", "h", [-32768, 32767, 0, -1]),
    "INT32": ("int_contents", "i", [-1 << 31, (1 << 31) - 1, 0, -1]),
    "INT64": ("int64_contents", "q", [-1 << 63, (1 << 63) - 1, 0, -1]),
    "UINT8": ("uint_contents", "B", [255, 0, 1, 128]),
    "UINT16": ("uint_contents", "H", [65535, 0, 1, 128]),
    "UINT32": ("uint_contents", "I", [(1 << 32) - 1, 0, 1, 128]),
    "UINT64": ("uint64_contents", "Q", [(1 << 64) - 1, 0, 1, 128]),
    "FP32": ("fp32_contents", "f", [1.5, -0.0, float("inf"), 1e-45]),
    "FP64": ("fp64_contents", "d", [1.5, -0.0, float("nan"), 5e-324]),
    "BYTES": ("bytes_contents", "", [b"", b"ab", b"\xff\x00", b"c" * 300])}
messages = {}  # the class of requests, from every_form()


def raw(datatype, values):
    letter = FIELDS[datatype][1]
    if letter:
        return struct.pack(f"<{len(values)}{letter}", *values)
    return b"".join(struct.pack("<I", len(v)) + v for v in values)


def tensor(name, datatype, shape, values=None):
    one = {"name": name, "datatype": datatype, "shape": shape}
    if values is not None:
        one["contents"] = {FIELDS[datatype][0]: values}
    return one


def request(inputs, raws=(), **fields):
    return messages["ModelInfer"](model_name=MODEL, inputs=inputs,
                                  raw_input_contents=raws, **fields)


def small_request(**fields):
    return request([tensor("data", "INT32", [1, 4], [1, 2, 3, 4]),
                    tensor("seq_lengths", "INT32", [1], [3])], **fields)


def large_request(size):
    return request([tensor("data", "UINT8", [1, size]),
                    tensor("seq_lengths", "INT64", [1])],
                   [bytes(size), struct.pack("<q", size)])


def every_form(calls):
    method, messages["ModelInfer"] = calls.method("ModelInfer")
    for datatype, (_, _, values) in FIELDS.items():
        lens = tensor("seq_lengths", "INT64", [2], [2, 1])
        want = raw(datatype, [values[1], values[0], *values[2:]])
        reply = method(request([tensor("data", datatype, [2, 2], values),
                                lens]))
        output = reply.outputs[0]
        equal(f"{datatype} in contents: form", ("output", datatype, [2, 2]),
              (output.name, output.datatype, list(output.shape)))
        equal(f"{datatype} in contents", [want],
              list(reply.raw_output_contents))
        reply = method(request(
            [tensor("data", datatype, [2, 2]),
             tensor("seq_lengths", "INT64", [2])],
            [raw(datatype, values), struct.pack("<2q", 2, 1)]))
        equal(f"{datatype} raw", [want], list(reply.raw_output_contents))
    parameters(calls, method)
    unknown(calls)
    wrong(method)


def parameters(calls, method):
    for kind, value in (("int64_param", 0), ("string_param", "0"),
                        ("uint64_param", 0)):
        reply = method(request(
            [tensor("data", "INT32", [2, 3], [1, 2, 3, 4, 5, 6]),
             tensor("seq_lengths", "INT32", [3], [2, 1, 2])],
            parameters={"seq_axis": {kind: value},
                        "batch_axis": {"int64_param": 1},
                        "rate": {"double_param": 0.5},
                        "own": {"bool_param": True}}))
        equal(f"an axis as {kind}",
              [struct.pack("<6i", 4, 2, 6, 1, 5, 3)],
              list(reply.raw_output_contents))


def unknown(calls):
    """Fields that are not in the protocol are skipped, wherever they stand."""
    call = calls.channel.unary_unary(
        "/inference.GRPCInferenceService/ModelInfer")
    message = small_request(id="u").SerializeToString()
    for what, field in (
            ("a varint", b"\xc0\x3e\x07"), ("64 bits", b"\xc1\x3e" + bytes(8)),
            ("bytes", b"\xc2\x3e\x03abc"), ("32 bits", b"\xc5\x3e" + bytes(4)),
            ("a group", b"\xc3\x3e\xc0\x3e\x07\xc4\x3e")):
        reply = call(field + message + field)
        ok(f"unknown: {what}", struct.pack("<4i", 3, 2, 1, 4) in reply, reply)


def wrong(method):
    def refused(what, text, inputs, raws=()):
        try:
            method(request(inputs, raws))
            ok(what, False, "not refused")
        except grpc.RpcError as error:
            equal(what, grpc.StatusCode.INVALID_ARGUMENT, error.code())
            ok(what, text in error.details(), error.details())

    data = tensor("data", "INT32", [1, 4], [1, 2, 3, 4])
    lens = tensor("seq_lengths", "INT32", [1], [3])
    bare = tensor("data", "INT32", [1, 4]), tensor("seq_lengths", "INT32", [1])
    four, one = bytes(16), bytes(4)
    refused("contents and raw contents", "raw_input_contents", [data, lens],
            [four, one])
    refused("one of two raw contents", "raw_input_contents", bare, [four])
    refused("three of two raw contents", "raw_input_contents", bare,
            [four, one, one])
    refused("raw contents too short", "data", bare, [four[:-1], one])
    refused("too few contents", "data",
            [tensor("data", "INT32", [1, 4], [1, 2, 3]), lens])
    refused("another field's contents", "data", [
        {"name": "data", "datatype": "INT32", "shape": [1, 4],
         "contents": {"fp32_contents": [1, 2, 3, 4]}}, lens])
    refused("contents beyond the datatype", "data",
            [tensor("data", "INT8", [1, 4], [1, 2, 3, 400]), lens])
    refused("half precision in contents", "data", [
        {"name": "data", "datatype": "FP16", "shape": [1, 4],
         "contents": {"fp32_contents": [1, 2, 3, 4]}}, lens])
    refused("a negative axis of a shape", "shape[0] is -1",
            [tensor("data", "INT32", [-1, 4], []), lens])
