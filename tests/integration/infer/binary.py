"""Binary and JSON tensors in every mix, and sizes that do not fit."""

import json
import struct

from wire import ask, equal, finish, request, true, Wire

MODEL = "/v2/models/onnx.ReverseSequence/infer"
DATA, LENS = [1.5, -2.0, 3.25, 4.0], [2, 1]  # [2, 2], time-major
ANSWER = [3.25, -2.0, 1.5, 4.0]
BINARY = struct.pack("<4f", *DATA)
BINARY_LENS = struct.pack("<2q", *LENS)


def tensor(name, datatype, shape, data=None, size=None):
    entry = {"name": name, "datatype": datatype, "shape": shape}
    if data is not None:
        entry["data"] = data
    if size is not None:
        entry["parameters"] = {"binary_data_size": size}
    return entry


def data_tensor(binary):
    return tensor("input", "FP32", [2, 2], None if binary else DATA,
                  16 if binary else None)


def lens_tensor(binary):
    return tensor("sequence_lens", "INT64", [2], None if binary else LENS,
                  16 if binary else None)


def infer(inputs, rest=b"", **more):
    document = json.dumps({"inputs": inputs, **more}).encode()
    return ask("POST", MODEL, document + rest,
               [f"Inference-Header-Content-Length: {len(document)}"])


def check(what, reply, binary):
    if not equal(f"{what}: status of {reply}", 200, reply.status):
        return
    length = reply.header("inference-header-content-length")
    equal(f"{what}: type",
          "application/octet-stream" if binary else "application/json",
          reply.header("content-type"))
    equal(f"{what}: header is there", binary, length is not None)
    head = json.loads(reply.body[:int(length)] if length else reply.body)
    output = head["outputs"][0]
    if binary:
        equal(f"{what}: parameters", {"binary_data_size": 16},
              output.get("parameters"))
        true(f"{what}: data beside binary", "data" not in output)
        equal(f"{what}: bytes", struct.pack("<4f", *ANSWER),
              reply.body[int(length):])
    else:
        true(f"{what}: parameters without binary",
             "parameters" not in output)
        equal(f"{what}: data", ANSWER, output["data"])


def mixes():
    """Each input in JSON or binary, in both orders; each parameter that chooses
    the output's form."""
    outputs = [
        ({}, False),
        ({"parameters": {"binary_data_output": True}}, True),
        ({"parameters": {"binary_data_output": False}}, False),
        ({"outputs": [{"name": "Y"}]}, False),
        ({"outputs": [{"name": "Y", "parameters": {"binary_data": True}}]},
         True),
        # The request's parameter applies to listed outputs too, which may say
        # otherwise.
        ({"outputs": [{"name": "Y", "parameters": {"binary_data": False}}],
          "parameters": {"binary_data_output": True}}, False),
        ({"outputs": [{"name": "Y"}],
          "parameters": {"binary_data_output": True}}, True),
        ({"outputs": [{"name": "Y", "parameters": {"binary_data": True}}],
          "parameters": {"binary_data_output": False}}, True),
    ]
    for data_binary in (False, True):
        for lens_binary in (False, True):
            for turned in (False, True):
                inputs = [data_tensor(data_binary), lens_tensor(lens_binary)]
                parts = [BINARY * data_binary, BINARY_LENS * lens_binary]
                if turned:
                    inputs.reverse()
                    parts.reverse()
                for more, binary in outputs:
                    check(f"{data_binary=} {lens_binary=} {turned=} {more}",
                          infer(inputs, b"".join(parts), **more), binary)


def refuse(what, reply, *words):
    if not equal(f"{what}: status of {reply}", 400, reply.status):
        return
    equal(f"{what}: keys", ["error"], list(reply.json()))
    for word in words:
        true(f"{what}: {word} is not in {reply.body}",
             word in reply.json()["error"])


def sizes():
    """Sizes that do not fit the body or the shape: the error names both
    numbers."""
    both = [data_tensor(True), lens_tensor(True)]
    rest = BINARY + BINARY_LENS
    refuse("one byte short", infer(both, rest[:-1]), "16", "15")
    refuse("one byte more", infer(both, rest + b"x"), "32", "33")
    refuse("no bytes", infer(both), "16", "0")
    for size in (0, 12, 15, 17, 32):
        inputs = [tensor("input", "FP32", [2, 2], None, size),
                  lens_tensor(False)]
        refuse(f"size {size}", infer(inputs, bytes(size)), str(size), "16")
    for size in (-1, 1 << 63, 1 << 64, "16", 16.5, True, [16]):
        inputs = [tensor("input", "FP32", [2, 2], None, size),
                  lens_tensor(False)]
        refuse(f"size {size!r}", infer(inputs, BINARY))
    refuse("data and size", infer(
        [tensor("input", "FP32", [2, 2], DATA, 16), lens_tensor(False)],
        BINARY), "data", "binary_data_size")
    refuse("neither", infer(
        [tensor("input", "FP32", [2, 2]), lens_tensor(False)]), "data")
    refuse("a bad length in bytes", infer(
        both, BINARY + struct.pack("<2q", 2, 3)),
        "sequence_lens[1] is 3", "2 entries")
    check("null size beside data", infer(
        [{**data_tensor(False), "parameters": {"binary_data_size": None}},
         lens_tensor(False)]), False)


def empty_output():
    """Without a non-empty binary output there is no header."""
    inputs = [tensor("input", "FP32", [2, 2, 0], None, 0), lens_tensor(False)]
    reply = infer(inputs, parameters={"binary_data_output": True})
    equal(f"empty: status of {reply}", 200, reply.status)
    equal("empty: header", None,
          reply.header("inference-header-content-length"))
    equal("empty: type", "application/json", reply.header("content-type"))
    equal("empty: shape", [2, 2, 0], reply.json()["outputs"][0]["shape"])


def strings():
    """BYTES change form: a uint32 length and the bytes."""
    texts = ["a", "é\n", "", "\"quoted\""]
    binary = b"".join(struct.pack("<I", len(t.encode())) + t.encode()
                      for t in texts)
    inputs = [tensor("input", "BYTES", [4, 1], None, len(binary)),
              tensor("sequence_lens", "INT64", [1], [4])]
    reply = infer(inputs, binary)
    equal(f"strings: {reply}", texts[::-1],
          reply.json().get("outputs", [{}])[0].get("data"))
    inputs[0] = tensor("input", "BYTES", [4, 1], texts)
    reply = infer(inputs, parameters={"binary_data_output": True})
    length = int(reply.header("inference-header-content-length") or 0)
    expected = b"".join(struct.pack("<I", len(t.encode())) + t.encode()
                        for t in texts[::-1])
    equal(f"strings to binary: {reply}", expected, reply.body[length:])
    inputs[0] = tensor("input", "BYTES", [1, 1], None, 5)
    inputs[1]["data"] = [1]
    refuse("no UTF-8 in JSON", infer(inputs, b"\1\0\0\0\xff"), "binary")
    refuse("a length past the end", infer(inputs, b"\xff\xff\xff\xff\xff"))


def bits():
    """Signalling NaN, -0 and denormals keep their bits."""
    patterns = struct.pack("<4I", 0x7fa00001, 0x80000000, 1, 0xffc12345)
    inputs = [data_tensor(True), tensor("sequence_lens", "INT64", [2], [2, 2])]
    reply = infer(inputs, patterns, parameters={"binary_data_output": True})
    length = int(reply.header("inference-header-content-length") or 0)
    equal("bits", patterns[8:] + patterns[:8], reply.body[length:])


def unaligned():
    """Tensors at every offset: padding lengthens the document by single
    bytes."""
    document = json.dumps({
        "inputs": [data_tensor(True), lens_tensor(True)],
        "parameters": {"binary_data_output": True}}).encode()
    with Wire() as wire:
        for padding in range(17):
            padded = document + b" " * padding
            wire.send(request(
                "POST", MODEL, padded + BINARY + BINARY_LENS,
                [f"Inference-Header-Content-Length: {len(padded)}"]))
            check(f"padded by {padding}", wire.reply(), True)


mixes()
sizes()
empty_output()
strings()
bits()
unaligned()
finish()
