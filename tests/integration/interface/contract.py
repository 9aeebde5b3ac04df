"""Replies beside /openapi.json: the status, the Content-Type and every header of a
reply stand with its operation."""

import json

from question import PATH
from wire import ask, equal, finish, request, true, Wire

contract = ask("GET", "/openapi.json").json()

# Of HTTP itself, and what the contract says of all routes at once.
EVERYWHERE = {"date", "connection", "content-length", "content-type",
              "content-encoding", "vary", "x-request-id"}
# Beside the errors of inferences it stands with its description.
TIMING = "server-timing"

TRACE = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
INFER = "/v2/models/{model}/infer"


def resolve(part):
    while "$ref" in part:
        target = contract
        for key in part["$ref"].split("/")[1:]:
            target = target[key]
        part = target
    return part


def check(route, method, reply):
    what = f"{method} {route}: {reply.status}"
    responses = contract["paths"][route][method.lower()]["responses"]
    if not true(f"{what} is not in the contract", str(reply.status) in responses):
        return
    answer = resolve(responses[str(reply.status)])
    kind = reply.header("content-type").split(";")[0]
    true(f"{what}: {kind}", kind in answer["content"])
    named = {name.lower() for name in answer.get("headers", {})}
    names = {name for name, _ in reply.headers} - EVERYWHERE - named
    if route == INFER and reply.status != 200:
        names.discard(TIMING)
    equal(f"{what}: headers that the contract lacks", set(), names)
    needed = {name.lower() for name, header in answer.get("headers", {}).items()
              if resolve(header).get("required")}
    equal(f"{what}: headers that the reply lacks", set(),
          needed - {name for name, _ in reply.headers})


def of(route, method, path=None, body=None, headers=()):
    reply = ask(method, path or route, body, headers)
    check(route, method, reply)
    return reply


def parameters(route, method):
    return {resolve(part)["name"].lower()
            for part in contract["paths"][route][method]["parameters"]}


question = {"inputs": [
    {"name": "input", "datatype": "FP32", "shape": [2, 1], "data": [1, 2]},
    {"name": "sequence_lens", "datatype": "INT64", "shape": [1], "data": [2]}]}
plain = json.dumps(question).encode()
binary = json.dumps({**question, "parameters": {"binary_data_output": True}}).encode()

for body in plain, binary:
    reply = of(INFER, "POST", PATH, body, ["X-Request-Id: 1", TRACE])
    answer = resolve(contract["paths"][INFER]["post"]["responses"]["200"])
    equal("headers of an inference", {name.lower() for name in answer["headers"]},
          {name for name, _ in reply.headers} - {"date", "connection", "content-length",
                                                 "content-type"}
          | {"inference-header-content-length"})
equal("headers of a request", set(),
      {"inference-header-content-length", "x-request-id", "traceparent"}
      - parameters(INFER, "post"))
of(INFER, "POST", PATH, b"{}")
of(INFER, "POST", "/v2/models/none/infer", plain)
of(INFER, "POST", PATH, plain, ["Content-Encoding: br"])
of(INFER, "POST", PATH, plain, ["Expect: tea"])
of(INFER, "POST", PATH, json.dumps({**question, "outputs": [
    {"name": "Y", "parameters": {"shared_memory_region": "r",
                                 "shared_memory_byte_size": 8}}]}).encode())
with Wire() as wire:
    wire.send(request("POST", PATH, None, ["Content-Length: 1000000"]))
    check(INFER, "POST", wire.reply())
for route in ("/v2", "/metrics", "/v2/health/live", "/v2/health/ready", "/v2/models",
              "/openapi.yaml", "/openapi.json", "/", "/docs", "/status", "/v2/logging"):
    of(route, "GET")
    of(route, "GET", headers=["X-Api-Key: k", "Accept-Encoding: gzip"])
finish()
