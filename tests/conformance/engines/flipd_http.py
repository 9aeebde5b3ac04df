"""flipd over HTTP, with binary tensors; the standard library only."""

import http.client
import json
import os

import open_inference
from engine import Refused

CONNECTION = http.client.HTTPConnection(os.environ.get("FLIPD_HTTP", "127.0.0.1:8000"))


def ask(method, path, body=None, headers=None):
    CONNECTION.request(method, path, body, headers or {})
    reply = CONNECTION.getresponse()
    return reply.status, reply.headers, reply.read()


def version():
    return json.loads(ask("GET", "/v2")[2])["version"]


def answer(case):
    model, parameters, tensors = open_inference.request(case)
    head = {
        "parameters": parameters | {"binary_data_output": True},
        "inputs": [
            {"name": name, "datatype": datatype, "shape": shape,
             "parameters": {"binary_data_size": len(raw)}}
            for name, datatype, shape, raw in tensors
        ],
    }  # fmt: skip
    text = json.dumps(head).encode()
    status, headers, body = ask(
        "POST",
        f"/v2/models/{model}/infer",
        text + b"".join(tensor[3] for tensor in tensors),
        {"Inference-Header-Content-Length": str(len(text))},
    )
    if status != 200:
        raise Refused(f"{status} {body.decode()}")
    start = int(headers.get("Inference-Header-Content-Length", len(body)))
    (output,) = json.loads(body[:start])["outputs"]
    if output["shape"] != case["shape"] or output["datatype"] != case["datatype"]:
        raise Refused(f"an answer of {output['datatype']} {output['shape']}")
    return body[start:]  # without bytes the answer is JSON alone
