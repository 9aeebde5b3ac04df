"""Requests of the rows J and D, and what is expected of their answers."""

import json

from fault import PATH, wire

INT8 = {"name": "input", "datatype": "INT8", "shape": [2, 2],
        "data": [1, 2, 3, 4]}
LENS = {"name": "sequence_lens", "datatype": "INT64", "shape": [2],
        "data": [2, 1]}


def document(tensor=(), lens=(), **more):
    """The JSON of a request: INT8 [2, 2] with the members of `tensor` and
    `lens` in place of the usual ones; None leaves a member out."""
    tensors = []
    for usual, other in ((INT8, tensor), (LENS, lens)):
        merged = {**usual, **dict(other)}
        tensors.append({k: v for k, v in merged.items() if v is not None})
    return json.dumps({"inputs": tensors, **more}).encode()


def swap(old, new, **how):
    """document() as bytes with `old` replaced, for what json cannot write."""
    text = document(**how)
    assert text.count(old) >= 1, (text, old)
    return text.replace(old, new, 1)


class Case:
    """status: or a set of them. words: each must stand in the error's text.
    data: of the output; None compares nothing."""

    def __init__(self, name, body, status=400, words=(), data=None, headers=(),
                 model=None):
        self.name, self.body, self.headers = name, body, list(headers)
        self.status = status if isinstance(status, set) else {status}
        self.words, self.data = words, data
        self.path = PATH.replace("onnx.ReverseSequence", model) if model \
            else PATH

    def check(self, one):
        """Sends on the connection `one`; returns the reply. An error of this
        kind keeps the connection."""
        one.send(wire.request("POST", self.path, self.body, self.headers))
        reply = one.reply()
        wire.true(f"{self.name}: expected {self.status}, got {reply}",
                  reply.status in self.status)
        if reply.status >= 400:
            wire.equal(f"{self.name}: keys", ["error"], list(reply.json()))
        for word in self.words:
            wire.true(f"{self.name}: {word!r} is not in {reply}",
                      word in reply.json().get("error", ""))
        if self.data is not None and reply.status == 200:
            wire.equal(f"{self.name}: data", self.data,
                       reply.json()["outputs"][0]["data"])
        return reply
