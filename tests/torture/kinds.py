"""The kinds of request. Each is a function that asks and judges: it returns
"right" or "refused", raises wire.Closed where the connection ended, and Bad
where the answer is wrong."""

import functools
import gzip
import json
import os
import signal
import ssl
import struct
import time
import zlib

import wire
from question import PATH, Question
from victim import Bad
from wire import Wire, request

# What a shortage is answered with.
PROPER = 500, 503, 507
refusal = ""  # the last one
TYPE = "Content-Type: application/x-npy"


def judge(reply, status, check=None):
    global refusal
    if reply.status in PROPER and reply.status != status:
        refusal = str(reply)
        json.loads(reply.body or b"{}")
        return "refused"
    if reply.status != status:
        raise Bad(f"{reply.status} in place of {status}: {reply.body[:300]}")
    if check and not check(reply):
        raise Bad(f"a wrong answer: {reply.body[:300]}")
    return "right"


def ask(method, path, body=None, headers=(), status=200, check=None):
    with Wire() as w:
        w.send_if_open(request(method, path, body, headers))
        return judge(w.reply(method), status, check)


def right(question):
    """A check of wire.py counts failures; here they raise Bad."""
    def check(reply):
        before, wire.fail = wire.fail, quiet
        quiet.failed = False
        try:
            question.check(reply)
        except ValueError as error:  # no JSON
            quiet(error)
        finally:
            wire.fail = before
        return not quiet.failed
    return check


def quiet(text):
    quiet.failed = True


@functools.cache
def body_of(question, coding="identity"):
    """The length of the JSON, and the body: it is the same in each round."""
    length, body = question.body()
    pack = {"gzip": gzip.compress, "deflate": zlib.compress, "identity": bytes}
    return length, pack[coding](body)


def infer(question, headers=()):
    length, body = body_of(question)
    if question.binary:
        headers = [*headers, f"Inference-Header-Content-Length: {length}"]
    return ask("POST", PATH, body, headers, check=right(question))


SMALL = Question(3)
BYTES = Question(4, time=64, batch=4, width=8, binary=True)
LARGE = Question(5, time=200, batch=10, width=50)
LARGE_BYTES = Question(6, time=256, batch=16, width=128, binary=True)


def strings(binary=False):
    words = ["a", "é", "", "long " * 20]
    document = {"inputs": [
        {"name": "input", "datatype": "BYTES", "shape": [4, 1], "data": words},
        {"name": "sequence_lens", "datatype": "INT64", "shape": [1],
         "data": [4]}]}
    if binary:
        document["parameters"] = {"binary_data_output": True}
    packed = b"".join(struct.pack("<I", len(w.encode())) + w.encode()
                      for w in reversed(words))
    return ask("POST", PATH, json.dumps(document).encode(), check=lambda r: (
        r.body.endswith(packed) if binary else
        r.json()["outputs"][0]["data"] == words[::-1]))


def npy(rows=4, accept=()):
    head = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1), }"
            % rows).encode()
    head += b" " * (-(11 + len(head)) % 64) + b"\n"
    head = b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head
    data = [struct.pack("<f", i) for i in range(rows)]
    want = head + b"".join(reversed(data))
    return ask("POST", f"{PATH}?sequence_lens={rows}", head + b"".join(data),
               [TYPE, *accept], check=lambda r: accept or r.body == want)


def coded(question, coding, answer=True):
    length, body = body_of(question, coding)
    headers = [f"Content-Encoding: {coding}"]
    if answer:
        headers.append(f"Accept-Encoding: {coding}")
    if question.binary:
        headers.append(f"Inference-Header-Content-Length: {length}")

    def check(reply):
        found = reply.header("content-encoding")
        if found:
            reply.body = (gzip.decompress if found == "gzip"
                          else zlib.decompress)(reply.body)
        return right(question)(reply)
    return ask("POST", PATH, body, headers, check=check)


def chunked(question):
    length, body = body_of(question)
    step = max(1, len(body) // 5)
    text = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in
                    (body[i:i + step] for i in range(0, len(body), step)))
    headers = ["Transfer-Encoding: chunked"]
    if question.binary:
        headers.append(f"Inference-Header-Content-Length: {length}")
    with Wire() as w:
        w.send_if_open(request("POST", PATH, None, headers) + text + b"0\r\n\r\n")
        return judge(w.reply("POST"), 200, right(question))


def several(questions, at_once):
    """Pipelined, or one after the other on one connection."""
    found = []
    with Wire() as w:
        if at_once:
            w.send_if_open(b"".join(q.request() for q in questions))
        for q in questions:
            if not at_once:
                w.send_if_open(q.request())
            found.append(judge(w.reply("POST"), 200, right(q)))
    return "right" if set(found) == {"right"} else "refused"


def expecting():
    with Wire() as w:
        length, body = BYTES.body()
        head = request("POST", PATH, None, [
            "Expect: 100-continue", f"Content-Length: {len(body)}",
            f"Inference-Header-Content-Length: {length}"])
        w.send(head)
        time.sleep(0.01)
        w.send_if_open(body)
        return judge(w.reply("POST"), 200, right(BYTES))


def abandoned(question, how):
    """The client goes in the middle of its body, or does not read."""
    with Wire() as w:
        text = question.request()
        w.send_if_open(text[:len(text) // 2] if how == "half" else text)
        time.sleep(0.005)
        w.reset()
    return "right"


def half_closed():
    with Wire() as w:
        w.send_if_open(SMALL.request(["Connection: close"]))
        w.half_close()
        return judge(w.reply("POST"), 200, right(SMALL))


def backward():
    def ask_grad(context):
        document = {"parameters": {"backward_context": context}, "inputs": [
            {"name": "dY", "datatype": "FP32", "shape": [2, 2],
             "data": [1, 2, 3, 4]}]}
        return ask("POST", "/v2/models/graiphic.ReverseSequenceGrad/infer",
                   json.dumps(document).encode())
    return ask_grad("AQEAAgICARyZ5gjOGx7g")


def too_large():
    return raw_refusal(b"POST %s HTTP/1.1\r\nHost: x\r\n"
                       b"Content-Length: 99999999999\r\n\r\n" % PATH.encode(), 413)


def raw_refusal(text, status):
    with Wire() as w:
        w.send_if_open(text)
        return judge(w.reply(), status)


def plain_on_tls():
    """Plain HTTP where TLS is spoken: 400, or the end."""
    secure, wire.trusted = wire.trusted, None
    try:
        return raw_refusal(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400)
    finally:
        wire.trusted = secure


def garbage_on_tls():
    secure, wire.trusted = wire.trusted, None
    try:
        with Wire() as w:
            w.send_if_open(b"\x16\x03\x01\x00\x20" + bytes(40))
            w.rest()
    finally:
        wire.trusted = secure
    return "right"


def shared_memory(size):
    """Registers, reverses from one half to the other, unregisters."""
    path = f"/dev/shm/flipd-torture-{os.getpid()}"
    half = bytes(i * 7 % 251 for i in range(size))
    with open(path, "wb") as file:
        file.write(half + bytes(size))
    try:
        found = [shm("region/r/register",
                     {"key": "/" + os.path.basename(path), "byte_size": 2 * size})]
        found.append(shm_infer(size) if found[0] == "right" else "refused")
        with open(path, "rb") as file:
            if found[1] == "right" and file.read()[size:] != half[::-1]:
                raise Bad("wrong bytes in shared memory")
        found.append(shm("region/r/unregister", {}))
    finally:
        os.unlink(path)
    return "right" if set(found) == {"right"} else "refused"


def shm(verb, body):
    return ask("POST", f"/v2/systemsharedmemory/{verb}", json.dumps(body).encode())


def part(size, offset):
    return {"shared_memory_region": "r", "shared_memory_byte_size": size,
            "shared_memory_offset": offset}


def shm_infer(size):
    document = {"inputs": [
        {"name": "input", "datatype": "UINT8", "shape": [size, 1],
         "parameters": part(size, 0)},
        {"name": "sequence_lens", "datatype": "INT64", "shape": [1],
         "data": [size]}],
        "outputs": [{"name": "Y", "parameters": part(size, size)}]}
    return ask("POST", PATH, json.dumps(document).encode())


def forget_regions():
    shm("unregister", {})


def reload():
    """SIGHUP: the models, or the certificates, are read again or stay."""
    os.kill(wire.pid, signal.SIGHUP)
    time.sleep(0.03)
    return ask("GET", "/v2/models/flip/ready")


def reload_tls():
    os.kill(wire.pid, signal.SIGHUP)
    time.sleep(0.05)
    return ask("GET", "/v2")


def admin(port):
    with Wire(f"127.0.0.1:{port}") as w:
        w.send_if_open(request("GET", "/v2/health/ready", None,
                               ["Connection: close"]))
        return judge(w.reply(), 200)


ROUTES = ["/v2", "/v2/health/live", "/v2/health/ready", "/v2/models",
          "/v2/models/flip", "/v2/models/flip/ready", "/v2/models/flip/config",
          "/v2/models/stats", "/v2/systemsharedmemory/status",
          "/v2/cudasharedmemory/status", "/v2/logging", "/metrics",
          "/openapi.yaml", "/openapi.json", "/docs", "/status", "/"]


def plain_kinds(admin_port):
    """Of a daemon without TLS: name to function."""
    kinds = {
        "json": lambda: infer(SMALL),
        "json, large": lambda: infer(LARGE),
        "binary": lambda: infer(BYTES),
        "binary, large": lambda: infer(LARGE_BYTES),
        "strings": strings,
        "strings, binary": lambda: strings(True),
        "npy": npy,
        "npy to json": lambda: npy(accept=["Accept: application/json"]),
        "npy, large": lambda: npy(100000),
        "gzip": lambda: coded(BYTES, "gzip"),
        "gzip, large": lambda: coded(LARGE, "gzip"),
        "gzip in": lambda: coded(LARGE_BYTES, "gzip", False),
        "deflate": lambda: coded(SMALL, "deflate"),
        "deflate, large": lambda: coded(LARGE_BYTES, "deflate"),
        "chunked": lambda: chunked(BYTES),
        "chunked, large": lambda: chunked(LARGE_BYTES),
        "pipelined": lambda: several([SMALL, BYTES, Question(8)], True),
        "kept alive": lambda: several([SMALL, LARGE_BYTES, BYTES], False),
        "expecting 100": expecting,
        "half-closed": half_closed,
        "cut body": lambda: abandoned(LARGE_BYTES, "half"),
        "cut answer": lambda: abandoned(LARGE_BYTES, "whole"),
        "backward": backward,
        "shared memory": lambda: shared_memory(64),
        "shared memory, large": lambda: shared_memory(1 << 20),
        "reload of models": reload,
        "admin port": lambda: admin(admin_port),
        "index": lambda: ask("POST", "/v2/repository/index", b"{}"),
        "logging": lambda: ask("POST", "/v2/logging", b'{"log_info": true}'),
        "400": lambda: ask("POST", PATH, b'{"inputs":[', status=400),
        "400 by libmicrohttpd": lambda: raw_refusal(
            b"GET / HTTP/1.1\r\n\r\n", 400),
        "404": lambda: ask("GET", "/v2/nothing", status=404),
        "405": lambda: ask("DELETE", "/v2", status=405),
        "413": too_large,
    }
    for path in ROUTES:
        for method in "GET", "HEAD":
            kinds[f"{method} {path}"] = (
                lambda method=method, path=path: ask(method, path))
    return kinds


def tls_kinds():
    return {
        "TLS": lambda: infer(SMALL),
        "TLS, large": lambda: infer(LARGE_BYTES),
        "TLS, large json": lambda: infer(LARGE),
        "TLS, pipelined": lambda: several([SMALL, BYTES, Question(8)], True),
        "TLS, kept alive": lambda: several([SMALL, LARGE_BYTES, BYTES], False),
        "TLS, plain HTTP": plain_on_tls,
        "TLS, garbage": garbage_on_tls,
        "TLS, cut body": lambda: abandoned(LARGE_BYTES, "half"),
        "TLS reload": reload_tls,
    }


# How a connection may end that a failure has cut.
CUT = wire.Closed, OSError, ssl.SSLError
