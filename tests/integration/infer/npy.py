""".npy files as NumPy writes them, made without NumPy."""

import itertools
import json
import random
import struct
import sys

from wire import ask, equal, finish, true

ONNX = "/v2/models/onnx.ReverseSequence/infer"
REVERSE = "/v2/models/openvino.Reverse/infer"
TYPE = "Content-Type: application/x-npy"


def npy(descr, shape, data, version=1, fortran=False, quote="'"):
    """As NumPy writes it, with 21 letters for the dim that may grow."""
    size = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    head = f"{{'descr': '{descr}', 'fortran_order': {fortran}, " \
           f"'shape': {size}, }}".replace("'", quote)
    head = head.encode() + b" " * (
        21 - len(str(shape[-1 if fortran else 0])) if shape else 0)
    start = 10 if version == 1 else 12
    head += b" " * (64 - (start + len(head) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(
        "<H" if version == 1 else "<I", len(head)) + head + data


def columns(data, size, lens, time):
    """[time, batch] with each column's first entries reversed."""
    rows = [data[i:i + size] for i in range(0, len(data), size)]
    out = list(rows)
    for b, length in enumerate(lens):
        for t in range(length):
            out[t * len(lens) + b] = rows[(length - 1 - t) * len(lens) + b]
    return b"".join(out)


def post(path, body, *headers):
    return ask("POST", path, body, [TYPE, *headers])


def moved(what, descr, size, written=None, **how):
    """`written`: the descr of the answer, where it is another."""
    data = random.Random(what).randbytes(12 * size)
    reply = post(ONNX + "?sequence_lens=4,0,2", npy(descr, [4, 3], data, **how))
    equal(f"{what}: {reply} {reply.body[:200]}", 200, reply.status)
    equal(f"{what}: type", "application/x-npy", reply.header("content-type"))
    equal(f"{what}: no JSON", None,
          reply.header("inference-header-content-length"))
    true(f"{what}: bytes", reply.body == npy(
        written or descr, [4, 3], columns(data, size, [4, 0, 2], 4)))


def refused(what, path, body, *parts):
    reply = post(path, body)
    equal(f"{what}: {reply.body[:300]}", 400, reply.status)
    for part in parts:
        true(f"{what}: {reply.body!r} lacks {part}", part in reply.json()["error"])


for order, code in itertools.product("<>=", ("i2", "i4", "i8", "u2", "u4", "u8",
                                             "f2", "f4", "f8", "c8", "c16")):
    moved(order + code, order + code, int(code[1:]),
          (">" if order == ">" else "<") + code)
for code in ("|b1", "|i1", "|u1"):
    moved(code, code, 1)
for version in (1, 2, 3):
    moved(f"version {version}", "<f4", 4, version=version)
moved("double quotes", "<f4", 4, quote='"')
for word, size, written in (("float32", 4, "<f4"), ("f4", 4, "<f4"), ("int8", 1, "|i1"),
                            ("double", 8, "<f8"), ("?", 1, "|b1"), (">l", 8, ">i8"),
                            ("complex64", 8, "<c8"), (">u1", 1, "|u1")):
    moved(word, word, size, written)

for shape, query, want in (
        ([0, 3], "axis=0", []), ([3], "axis=0", [2, 1, 0]),
        ([3], "axis=", [0, 1, 2]), ([3], "axis=%5B-1%5D", [2, 1, 0]),
        ([], "axis=", [0]), ([2, 2], "axis=0,1", [3, 2, 1, 0]),
        ([2, 2], "axis=0%2C+1", [3, 2, 1, 0])):
    count = 1
    for dim in shape:
        count *= dim
    reply = post(f"{REVERSE}?mode=index&{query}",
                 npy("|u1", shape, bytes(range(count))))
    equal(f"{shape} {query} {reply.body[:200]}",
          npy("|u1", shape, bytes(want)), reply.body)
reply = post(REVERSE + "?mode=mask&axis=false,true",
             npy("|u1", [2, 2], bytes(range(4))))
equal("mask", npy("|u1", [2, 2], bytes([1, 0, 3, 2])), reply.body)
moved("fortran order of rank 1 is no order", "<f4", 4)
for shape in ([2], [2, 1], [1, 2], [1, 2, 1]):
    reply = post(REVERSE + "?mode=index&axis=" + str(shape.index(2)),
                 npy("|u1", shape, b"ab", fortran=True))
    equal(f"Fortran order of one long axis: {shape}", npy("|u1", shape, b"ba"),
          reply.body)
# [[1, 2, 3], [4, 5, 6]] in columns; the first column is turned.
reply = post(ONNX + "?sequence_lens=2,1,0",
             npy("|u1", [2, 3], bytes([1, 4, 2, 5, 3, 6]), fortran=True))
equal("Fortran order", npy("|u1", [2, 3], bytes([4, 1, 2, 5, 3, 6]), fortran=True),
      reply.body)
short = b"{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}"
reply = post(REVERSE + "?mode=index&axis=0", b"\x93NUMPY\1\0"
             + struct.pack("<H", len(short)) + short + b"ab")
equal("a header without padding", npy("|u1", [2], b"ba"), reply.body)

reply = post(ONNX + "?sequence_lens=2,1&id=a%20b", npy("<f4", [2, 2],
             struct.pack("<4f", 1, 2, 3, 4)), "Accept: application/json")
equal("JSON", {"model_name": "onnx.ReverseSequence", "model_version": "10",
               "id": "a b", "outputs": [{"name": "Y", "datatype": "FP32",
               "shape": [2, 2], "data": [3, 2, 1, 4]}]}, json.loads(reply.body))
reply = post("/v2/models/graiphic.ReverseSequenceGrad/infer?sequence_lens=2,1"
             "&lda_coeff=0.5", npy("<f4", [2, 2], struct.pack("<4f", 1, 2, 3, 4)))
equal("scaled", npy("<f4", [2, 2], struct.pack("<4f", 1.5, 1, .5, 2)), reply.body)
reply = post("/v2/models/graiphic.ReverseSequence/infer?sequence_lens=2,1"
             "&training=false", npy("<f4", [2, 2], bytes(16)))
equal("a boolean in the query", 200, reply.status)
for path in ("/v2/models/graiphic.ReverseSequence/infer?training%3F=false&",
             ONNX + "?binary_data_output=true&"):
    reply = post(path + "sequence_lens=2,1", npy("<f4", [2, 2], bytes(16)))
    equal(f"{path}: {reply}", 200, reply.status)
for accept, json_wanted in (
        ("application/json", True), ("APPLICATION/JSON ; charset=utf-8", True),
        ("application/json, text/plain, */*", True), ("*/*", False),
        ("application/json;q=0.5, */*;q=0.1", True), ("application/*", False),
        ("application/json;q=0", False), ("text/html", False), ("", False),
        ("application/json;q=0.5, application/x-npy", False),
        ("application/x-npy, application/json", False),
        ("application/json, application/x-npy;q=0.9", True),
        ("text/html, */*;q=0.8, application/json;q=0.2", False),
        ("x-application/json", False), ("application/jsonp", False)):
    reply = post(ONNX + "?sequence_lens=2,1", npy("<f4", [2, 2], bytes(16)),
                 f"Accept: {accept}")
    equal(f"Accept: {accept}", "application/json" if json_wanted else
          "application/x-npy", reply.header("content-type"))
for kind, status in (("Application/X-NPY", 200), ("application/x-npy;a=b", 200),
                     ("application/x-npy2", 400), ("x/application/x-npy", 400)):
    reply = ask("POST", ONNX + "?sequence_lens=2,1",
                npy("<f4", [2, 2], bytes(16)), [f"Content-Type: {kind}"])
    equal(f"type {kind}", status, reply.status)

# What tests/api/wire does not ask of the header and the query.
good = npy("<f4", [2, 2], bytes(16))
LENS = ONNX + "?sequence_lens=2,2"
refused("no lengths", ONNX, good, "sequence_lens", "missing")
refused("a length", ONNX + "?sequence_lens=2,9", good, "sequence_lens[1] is 9")
for query, part in (("2,x", "sequence_lens[1] in the query is 'x'"), ("2,", "sequence_lens[1]"),
                    ("1]x[", "comma"), ("true,2", "")):
    refused(query, f"{ONNX}?sequence_lens={query}", good, "sequence_lens", part)
refused("a fraction", ONNX + "?sequence_lens=2,1.5", good, "sequence_lens[1]")
refused("three", ONNX + "?sequence_lens=2,1,1", good, "sequence_lens", "2")
refused("twice", LENS + "&sequence_lens=1,1", good, "sequence_lens", "twice")
refused("unknown", LENS + "&time=0", good, "'time'", "time_axis")
refused("NUL", LENS + "&id=%00", good, "escape")
refused("attribute", LENS + "&time_axis=2", good, "time_axis is 2")
for descr, part in (("<U4", "<U4"), ("|O", "|O"), ("|V2", "|V2"),
                    ("<M8[ns]", "<M8[ns]"), ("<f16", "<f16"),
                    ("<float32", "<float32")):
    refused(descr, LENS, npy(descr, [2, 2], bytes(64)), part, "float16")
refused("too few bytes", LENS, good[:-1], "15", "16")
refused("too many bytes", LENS, good + b"x", "17", "16")
refused("version 4", LENS, good[:6] + b"\4" + good[7:], "version 4")
for cut in (0, 5, 8, 11, 20, 60, 127):
    refused(f"cut at {cut}", LENS, good[:cut], "malformed")
for wrong in (b"(2, -2)", b"(2 2)", b"[2, 2]", b"(2, 2", b"()x"):
    refused(f"shape {wrong}", LENS,
            good.replace(b"(2, 2)", wrong), "malformed")

values = struct.pack("<16f", 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
with open(sys.argv[3], "wb") as out:
    out.write(npy("<f4", [4, 4], values))
with open(sys.argv[3] + ".want", "wb") as out:
    out.write(npy("<f4", [4, 4], columns(values, 4, [4, 3, 2, 1], 4)))
finish()
