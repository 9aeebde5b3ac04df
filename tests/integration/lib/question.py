"""Inferences of any size; no two have the same answer."""

import array
import json

from wire import Closed, Wire, equal, fail, request

PATH = "/v2/models/onnx.ReverseSequence/infer"


def reverse_sequence(data, time, batch, width, lens):
    """The result for time-major [time, batch, width] data, any sequence
    type."""
    rows = []
    for t in range(time):
        for b in range(batch):
            source = lens[b] - 1 - t if t < lens[b] else t
            at = (source * batch + b) * width
            rows.append(data[at:at + width])
    return rows


class Question:
    """INT32 [time, batch, width]; values and lengths depend on `tag`.
    Request and answer are JSON or, if `binary`, bytes."""

    def __init__(self, tag, time=5, batch=2, width=3, binary=False):
        count = time * batch * width
        self.tag, self.binary = tag, binary
        self.shape = [time, batch, width]
        self.lens = [(tag + b) % (time + 1) for b in range(batch)]
        start = tag * 7919 % (1 << 30)
        self.data = array.array("i", range(start, start + count))
        self.expected = array.array("i")
        for row in reverse_sequence(
                self.data, time, batch, width, self.lens):
            self.expected.extend(row)

    def document(self):
        tensor = {"name": "input", "datatype": "INT32", "shape": self.shape}
        lens = {"name": "sequence_lens", "datatype": "INT64",
                "shape": [len(self.lens)], "data": self.lens}
        document = {"id": f"q{self.tag}", "inputs": [tensor, lens]}
        if self.binary:
            tensor["parameters"] = {"binary_data_size": 4 * len(self.data)}
            document["parameters"] = {"binary_data_output": True}
        else:
            tensor["data"] = self.data.tolist()
        return json.dumps(document).encode()

    def body(self):
        """The length of the JSON, and the body: JSON, then bytes."""
        document = self.document()
        bytes_ = self.data.tobytes() if self.binary else b""
        return len(document), document + bytes_

    def request(self, headers=()):
        length, body = self.body()
        if self.binary:
            headers = [*headers, f"Inference-Header-Content-Length: {length}"]
        return request("POST", PATH, body, headers)

    def check(self, reply, what="question"):
        """Checks that `reply` is the answer to this request."""
        what = f"{what} {self.tag}"
        if not equal(f"{what}: status of {reply}", 200, reply.status):
            return False
        length = reply.header("inference-header-content-length")
        if not equal(f"{what}: is binary", self.binary, length is not None):
            return False
        head = json.loads(reply.body[:int(length)] if length else reply.body)
        output = head["outputs"][0]
        if self.binary:
            got = reply.body[int(length):]
        else:
            got = array.array("i", output["data"]).tobytes()
        equal(f"{what}: id", f"q{self.tag}", head["id"])
        equal(f"{what}: shape", self.shape, output["shape"])
        if got != self.expected.tobytes():
            fail(f"{what}: the data is wrong")
            return False
        return True


def column(datatype, count, data, headers=(), code=bytes, **parameters):
    """A request to reverse all of one column, whose bytes are `data`. code: of the
    body, as a header says."""
    head = json.dumps({
        "parameters": parameters or {"binary_data_output": True},
        "inputs": [{"name": "input", "datatype": datatype, "shape": [count, 1],
                    "parameters": {"binary_data_size": len(data)}},
                   {"name": "sequence_lens", "datatype": "INT64", "shape": [1],
                    "data": [count]}]}).encode()
    return request("POST", PATH, code(head + data), [
        f"Inference-Header-Content-Length: {len(head)}", *headers])


def announce(length, *headers):
    """The head of a request whose body has so many bytes."""
    return request("POST", PATH, None, [*headers, f"Content-Length: {length}"])


def endless(wire, most):
    """Sends chunks of a body that has no end, while they are taken; returns how many
    bytes were: `most` or a little more at most."""
    chunk, sent = b"10000\r\n" + b" " * 65536 + b"\r\n", 0
    wire.send(request("POST", PATH, None, ["Transfer-Encoding: chunked"]))
    try:
        while sent < most:
            wire.send(chunk)
            sent += len(chunk)
    except OSError:
        pass
    return sent


def served(what, wire, number):
    """Checks that one more question is answered on this connection."""
    question = Question(number)
    wire.send(question.request())
    return question.check(wire.reply(), f"{what}, question")


def deaf(question, headers=()):
    """A connection whose client has asked and reads nothing yet; its kernel
    takes a few KiB of the answer."""
    wire = Wire(receive_buffer=4096)
    wire.send(question.request(headers))
    return wire


def all_answered(asked):
    """Checks that each question of [(wire, question)] is answered on its
    connection."""
    answered = 0
    for wire, question in asked:
        try:
            answered += question.check(wire.reply())
        except Closed as error:
            fail(f"question {question.tag}: {error}")
    equal("answered", len(asked), answered)
