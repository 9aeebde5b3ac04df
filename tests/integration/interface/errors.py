"""After an error the connection serves the next request or announces its end;
the rest of a refused body is never parsed as a request."""

from question import Question
from wire import Closed, Wire, equal, finish, request, true

HIDDEN = request("GET", "/v2/nothing")
CASES = [
    ("malformed JSON", 400,
     request("POST", "/v2/models/onnx.ReverseSequence/infer", HIDDEN)),
    ("no model", 404, request("POST", "/v2/models/nothing/infer", HIDDEN)),
    ("no route", 404, request("POST", "/v2/nothing", HIDDEN)),
    ("wrong method", 405, request("POST", "/v2/models", HIDDEN)),
    ("GET with a body", 200, request("GET", "/v2/health/live", HIDDEN)),
    ("DELETE with a body", 405, request("DELETE", "/v2", HIDDEN)),
    ("coding", 415, request("POST", "/v2/models/onnx.ReverseSequence/infer",
                            HIDDEN, ["Content-Encoding: br"])),
    ("expectation", 417, request("POST", "/v2/models/onnx.ReverseSequence/infer",
                                 HIDDEN, ["Expect: tea"])),
]
KEPT = {"malformed JSON", "GET with a body"}

for number, (what, status, data) in enumerate(CASES):
    question = Question(number)
    with Wire() as wire:
        wire.send(data)
        reply = wire.reply()
        equal(f"{what}: status of {reply}", status, reply.status)
        if status >= 400:
            equal(f"{what}: error", ["error"], list(reply.json()))
        if reply.closes():
            true(f"{what}: closes", what not in KEPT)
            true(f"{what}: says close, but does not", wire.ends(2))
            continue
        try:
            wire.send(question.request())
            question.check(wire.reply(), f"after {what}, question")
        except (Closed, OSError) as error:
            true(f"{what}: closed without saying so: {error}", False)
finish()
