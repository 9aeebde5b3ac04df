"""Codings of requests and answers, checked with zlib: JSON and binary, small
and large, truncated, damaged, with trailing bytes, and bombs."""

import gzip
import zlib

from question import PATH, Question
from wire import ask, equal, finish, open_files, true, within

LIMIT = 3000000
files = open_files()


def raw(data):
    c = zlib.compressobj(wbits=-15)
    return c.compress(data) + c.flush()


def check(what, question, coding, pack):
    length, body = question.body()
    headers = [f"Content-Encoding: {coding}", "Accept-Encoding: gzip"]
    if question.binary:
        headers.append(f"Inference-Header-Content-Length: {length}")
    reply = ask("POST", PATH, pack(body), headers)
    equal(f"{what}: coding", "gzip", reply.header("content-encoding"))
    equal(f"{what}: varies", "Accept-Encoding", reply.header("vary"))
    reply.body = gzip.decompress(reply.body)
    question.check(reply, what)


def refused(what, status, coding, body, *parts):
    reply = ask("POST", PATH, body, [f"Content-Encoding: {coding}"])
    equal(f"{what}: status", status, reply.status)
    for part in parts:
        true(f"{what}: {reply.body!r} lacks {part}",
             part in reply.json()["error"])
    return reply


for binary in (False, True):
    for name, coding, pack in (("gzip", "gzip", gzip.compress),
                               ("zlib", "deflate", zlib.compress),
                               ("raw", "deflate", raw)):
        for rows in (4, 10000):
            check(f"{name}, {rows} rows, binary {binary}",
                  Question(rows, rows, 2, 3, binary), coding, pack)

_, plain = Question(1).body()
good = gzip.compress(plain)
refused("two members are one body", 200, "gzip",
        gzip.compress(plain[:40]) + gzip.compress(plain[40:]))
refused("cut off", 400, "gzip", good[:-1], "gzip", "cut off")
refused("more after the end", 400, "gzip", good + b"x", "after its end")
damaged = good[:-8] + bytes([good[-8] ^ 1]) + good[-7:]
refused("a wrong checksum", 400, "gzip", damaged, "damaged", "check")
refused("gzip in gzip, which is no JSON", 400, "gzip", gzip.compress(good))
refused("a bomb", 413, "gzip", gzip.compress(bytes(400 << 20)),
        str(LIMIT), "http-max-input-size")
refused("exactly the limit", 200, "deflate",
        zlib.compress(plain + b" " * (LIMIT - len(plain))))
reply = refused("two codings", 415, "gzip, deflate", good)
equal("what would do", "gzip, deflate", reply.header("accept-encoding"))

reply = ask("POST", PATH, b"{", ["Accept-Encoding: gzip"])
equal("an error is never compressed", None, reply.header("content-encoding"))
true(f"{open_files()} descriptors are open, {files} were",
     within(5, lambda: open_files() <= files))
finish()
