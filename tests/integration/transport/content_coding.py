"""Codings of requests and answers, checked with zlib: JSON and binary, small
and large, truncated, damaged, with trailing bytes, and bombs."""

import gzip
import json
import random
import zlib

from wire import ask, equal, finish, open_files, true, within

PATH = "/v2/models/onnx.ReverseSequence/infer"
LIMIT = 3000000
files = open_files()


def raw(data):
    c = zlib.compressobj(wbits=-15)
    return c.compress(data) + c.flush()


def request(rows, binary):
    """FP32 [rows, 1] with one sequence, and the answer's bytes."""
    values = random.Random(rows).randbytes(4 * rows)
    lens = {"name": "sequence_lens", "datatype": "INT64", "shape": [1],
            "data": [rows]}
    data = {"name": "input", "datatype": "FP32", "shape": [rows, 1]}
    if binary:
        data["parameters"] = {"binary_data_size": len(values)}
        head = json.dumps({"inputs": [data, lens], "parameters": {
            "binary_data_output": True}}).encode()
        rows_of = [values[i:i + 4] for i in range(0, len(values), 4)]
        return head, head + values, b"".join(reversed(rows_of))
    data["data"] = list(range(rows))
    head = json.dumps({"inputs": [data, lens]}).encode()
    return head, head, list(reversed(range(rows)))


def decode(reply):
    if reply.header("content-encoding") == "gzip":
        return gzip.decompress(reply.body)
    return reply.body


def check(what, rows, binary, coding, pack):
    head, body, want = request(rows, binary)
    headers = [f"Content-Encoding: {coding}", f"Accept-Encoding: {coding}"]
    if binary:
        headers.append(f"Inference-Header-Content-Length: {len(head)}")
    reply = ask("POST", PATH, pack(body), headers)
    equal(f"{what}: status {reply}", 200, reply.status)
    equal(f"{what}: coding", "gzip" if coding == "gzip" else None,
          reply.header("content-encoding"))
    equal(f"{what}: varies", "Accept-Encoding", reply.header("vary"))
    answer = decode(reply)
    if binary:
        length = int(reply.header("inference-header-content-length"))
        json.loads(answer[:length])
        true(f"{what}: bytes", answer[length:] == want)
    else:
        true(f"{what}: data", json.loads(answer)["outputs"][0]["data"] == want)


def refused(what, status, coding, body, *parts):
    reply = ask("POST", PATH, body, [f"Content-Encoding: {coding}"])
    equal(f"{what}: status", status, reply.status)
    equal(f"{what}: keys", ["error"], list(reply.json()))
    for part in parts:
        true(f"{what}: {reply.body!r} lacks {part}",
             part in reply.json()["error"])


for rows in (1, 4, 1000, 100000):
    for binary in (False, True):
        for name, coding, pack in (("gzip", "gzip", gzip.compress),
                                   ("zlib", "deflate", zlib.compress),
                                   ("raw", "deflate", raw)):
            check(f"{name} {rows} rows, binary {binary}", rows, binary, coding,
                  pack)

_, plain, _ = request(10, False)
reply = ask("POST", PATH, gzip.compress(plain[:40]) + gzip.compress(plain[40:]),
            ["Content-Encoding: gzip"])
equal("two members are one body", 200, reply.status)
reply = ask("POST", PATH, gzip.compress(plain), ["Content-Encoding: X-GZIP"])
equal("an old name", 200, reply.status)

good = gzip.compress(plain)
for end in range(1, len(good)):
    refused(f"cut at {end}", 400, "gzip", good[:end], "gzip", "cut off")
for more in (b"x", bytes(1000)):
    refused("more after the end", 400, "gzip", good + more, "after its end")
for pack in zlib.compress, raw:
    refused("more after it", 400, "deflate", pack(plain) + b"x", "after")
for byte in range(1, 9):  # the checksum, and before it the length
    damaged = bytearray(good)
    damaged[-byte] ^= 1
    refused("a wrong checksum", 400, "gzip", bytes(damaged), "damaged", "check")
refused("no gzip", 400, "gzip", plain, "damaged")
refused("gzip in gzip, which is no JSON", 400, "gzip", gzip.compress(good))
refused("a bomb", 413, "gzip", gzip.compress(bytes(400 << 20)),
        str(LIMIT), "http-max-input-size")
refused("one byte too many", 413, "deflate", zlib.compress(b" " * (LIMIT + 1)),
        str(LIMIT))
fits = plain + b" " * (LIMIT - len(plain))
reply = ask("POST", PATH, zlib.compress(fits), ["Content-Encoding: deflate"])
equal(f"exactly the limit: {reply.body[:200]}", 200, reply.status)

for coding in ("br", "", "gzip, deflate", "gzip,gzip", "gzip , deflate",
               "gzip deflate", "gzip\t,", "identity , gzip", "gzip;q=1", "zstd",
               "compress", "x" * 200):
    reply = ask("POST", PATH, good, [f"Content-Encoding: {coding}"])
    equal(f"coding {coding!r}", 415, reply.status)
    equal(f"coding {coding!r}: keys", ["error"], list(reply.json()))
    equal(f"coding {coding!r}: what would do", "gzip, deflate",
          reply.header("accept-encoding"))
reply = ask("POST", PATH, good, ["Content-Encoding: gzip"] * 2)
equal("two codings, each on its line", 415, reply.status)

for accept, want in (("gzip", "gzip"), ("deflate", None),
                     ("GZIP;q=0.3", "gzip"), ("gzip, identity", "gzip"),
                     ("gzip, deflate", None), ("gzip, deflate, br", None),
                     ("gzip;q=0", None), ("br", None), ("*", None), ("", None)):
    reply = ask("POST", PATH, plain, [f"Accept-Encoding: {accept}"])
    equal(f"Accept-Encoding: {accept}", want, reply.header("content-encoding"))
    equal(f"{accept}: varies", "Accept-Encoding", reply.header("vary"))
    equal(f"{accept}: data", list(reversed(range(10))),
          json.loads(decode(reply))["outputs"][0]["data"])
reply = ask("POST", PATH, b"{", ["Accept-Encoding: gzip"])
equal("an error is never compressed", None, reply.header("content-encoding"))
true(f"{open_files()} descriptors are open, {files} were",
     within(5, lambda: open_files() <= files))
finish()
