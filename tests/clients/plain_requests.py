"""The requests library in ordinary use.

Usage: plain_requests.py ADDRESS [CA]     over TLS when CA is a PEM file
"""

import gzip
import json
import sys
import zlib

import numpy as np
import requests

from check import equal, finish, ok, reverse_sequence

ca = sys.argv[2] if len(sys.argv) > 2 else None
url = f"{'https' if ca else 'http'}://{sys.argv[1]}"
infer = f"{url}/v2/models/onnx.ReverseSequence/infer"
X = np.arange(16, dtype=np.float32).reshape(4, 4)
LENS = np.array([4, 3, 2, 1], np.int64)
Y = reverse_sequence(X, LENS)


def tensor(name, datatype, x, **more):
    return {"name": name, "datatype": datatype, "shape": x.shape, **more}


def in_json(**more):
    return {"inputs": [tensor("input", "FP32", X, data=X.tolist()),
                       tensor("sequence_lens", "INT64", LENS,
                              data=LENS.tolist())], **more}


def look(session):
    """GET routes, with the library's own Accept-Encoding: gzip, deflate."""
    for path, want in (("health/live", {"live": True}),
                       ("health/ready", {"ready": True}),
                       ("models/flip/ready", {"name": "flip", "ready": True})):
        reply = session.get(f"{url}/v2/{path}")
        equal(path, (200, want), (reply.status_code, reply.json()))
        equal(f"HEAD {path}", (200, b""), (
            session.head(reply.url).status_code,
            session.head(reply.url).content))
    index = session.post(f"{url}/v2/repository/index")
    ok("index", "flip" in [m["name"] for m in index.json()])
    form = session.post(f"{url}/v2/repository/index", data={})
    equal("an empty form", index.json(), form.json())
    for accept in ({}, {"Accept": "text/html"}):
        reply = session.get(f"{url}/", headers=accept)
        equal("the page", 200, reply.status_code)


def answered(what, reply, keys=()):
    equal(f"{what}: {reply.text[:200]}", 200, reply.status_code)
    equal(what, "application/json", reply.headers["Content-Type"])
    body = reply.json()
    equal(f"{what}: keys", {"model_name", "model_version", "outputs", *keys},
          set(body))
    equal(what, [{"name": "Y", "datatype": "FP32", "shape": [4, 4],
                  "data": Y.ravel().tolist()}], body["outputs"])
    ok(what, "Inference-Header-Content-Length" not in reply.headers)
    return body


def ask(session):
    answered("json", session.post(infer, json=in_json()))
    body = json.dumps(in_json(id="7", model_name="?", parameters=None,
                              outputs=[{"name": "Y", "parameters": None}]))
    bytes_out = {"binary_data_output": True}
    for outputs in ([], [{"name": "Y"}]):
        reply = session.post(infer, json=in_json(parameters=bytes_out,
                                                 outputs=outputs))
        equal(f"bytes, with {len(outputs)} listed",
              (200, "application/octet-stream", Y.tobytes()),
              (reply.status_code, reply.headers["Content-Type"],
               reply.content[-Y.nbytes:]))
    answered("bytes, but for this output", session.post(infer, json=in_json(
        parameters=bytes_out,
        outputs=[{"name": "Y", "parameters": {"binary_data": False}}])))
    for kind in (None, "application/x-www-form-urlencoded", "text/plain",
                 "application/octet-stream", "multipart/form-data"):
        reply = session.post(infer, data=body, headers={"Content-Type": kind})
        equal(f"id with {kind}", "7", answered(f"{kind}", reply, ["id"])["id"])
    # A generator is sent in chunks, without a length.
    parts = (body[i:i + 50].encode() for i in range(0, len(body), 50))
    answered("chunks", session.post(infer, data=parts), ["id"])
    length = {"Inference-Header-Content-Length": str(len(body))}
    answered("a length for JSON alone",
             session.post(infer, data=body, headers=length), ["id"])
    raw = zlib.compressobj(wbits=-15)
    for coding, sent in (("gzip", gzip.compress(body.encode())),
                         ("deflate", zlib.compress(body.encode())),
                         ("deflate", raw.compress(body.encode()) +
                          raw.flush())):
        for accept in ("identity", "gzip", "deflate", "gzip, deflate, br"):
            reply = session.post(infer, data=sent, headers={
                "Content-Encoding": coding, "Accept-Encoding": accept})
            answered(f"{coding}, {accept}", reply, ["id"])


def own_keys(session):
    """Keys of one's own, everywhere, of every kind."""
    own = {"content_type": "np", "test-param": 1, "str-param": "foo",
           "headers": {"a": ["b"]}, "tags": [1, "x", None], "none": None,
           "": True, "ü": 1.5}
    document = in_json(parameters=own,
                       outputs=[{"name": "Y", "parameters": own}])
    for one in document["inputs"]:
        one["parameters"] = own
    answered("keys of one's own", session.post(infer, json=document))


def big(session):
    """A body large enough for a visible coding, with a binary tensor."""
    x = np.zeros((64, 1024), np.float32)
    lens = np.zeros(1024, np.int64)
    head = json.dumps({
        "parameters": {"binary_data_output": True},
        "inputs": [tensor("input", "FP32", x,
                          parameters={"binary_data_size": x.nbytes}),
                   tensor("sequence_lens", "INT64", lens,
                          parameters={"binary_data_size": lens.nbytes})]})
    whole = head.encode() + x.tobytes() + lens.tobytes()
    for accept, coding in (("gzip", "gzip"), ("deflate", None),
                           ("gzip, deflate", None), ("identity", None)):
        reply = session.post(infer, data=gzip.compress(whole), headers={
            "Inference-Header-Content-Length": str(len(head)),
            "Content-Encoding": "gzip", "Accept-Encoding": accept})
        equal("status", 200, reply.status_code)
        equal(accept, coding, reply.headers.get("Content-Encoding"))
        equal("type", "application/octet-stream",
              reply.headers["Content-Type"])
        # The length is that of the uncompressed JSON.
        size = int(reply.headers["Inference-Header-Content-Length"])
        equal("outputs", x.nbytes, json.loads(reply.content[:size])
              ["outputs"][0]["parameters"]["binary_data_size"])
        equal("bytes", x.tobytes(), reply.content[size:])


def wrong(session):
    cases = (
        ("POST", infer, {"data": b""}, 400),
        ("POST", infer, {"data": b"{"}, 400),
        ("POST", infer, {"json": in_json(colour=1, parameters={"time_axes": 1})},
         400),
        ("POST", infer, {"data": b"x", "headers": {
            "Inference-Header-Content-Length": "0"}}, 400),
        ("POST", infer, {"data": b"x", "headers": {
            "Content-Encoding": "br"}}, 415),
        ("POST", infer, {"data": b"x", "headers": {
            "Content-Encoding": "gzip, deflate"}}, 415),
        ("GET", infer, {}, 405),
        ("DELETE", f"{url}/v2/models/flip", {}, 405),
        ("GET", f"{url}/v2/models/flip/versions/x", {}, 404),
        ("GET", f"{url}/v3", {}, 404),
        ("POST", f"{url}/v2/models/flop/infer", {"json": in_json()}, 404),
    )
    for method, to, more, status in cases:
        reply = session.request(method, to, **more)
        what = f"{method} {to} {more}"
        equal(what, (status, "application/json"),
              (reply.status_code, reply.headers["Content-Type"]))
        equal(what, ["error"], list(reply.json()))
        if status == 415:
            equal(what, "gzip, deflate", reply.headers["Accept-Encoding"])
        if status == 405:
            ok(what, "Allow" in reply.headers)


with requests.Session() as one:
    one.verify = ca or True
    one.trust_env = False  # this variable could name another authority
    look(one)
    ask(one)
    own_keys(one)
    big(one)
    wrong(one)
finish()
