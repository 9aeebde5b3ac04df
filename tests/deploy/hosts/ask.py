"""Requests of several forms and sizes, one after the other on each of three
connections; the whole answer to each is compared with what it must be.

Usage: ask.py ADDRESS:PORT SECONDS
Prints, as JSON, of small and large bodies: how many answers were right, and what
was wrong with the others. Large ones, of 1 MiB, do not fit the balancer's buffer."""

import array
import collections
import http.client
import json
import sys
import threading
import time

HOST, PORT = sys.argv[1].rsplit(":", 1)
SECONDS = float(sys.argv[2])
INFER = "/v2/models/onnx.ReverseSequence/infer"
PATIENCE = 20  # seconds for one answer
right, wrong = collections.Counter(), {"small": [], "large": []}
lock = threading.Lock()


class Question:
    """[rows, 4] of INT32, as JSON or as bytes; the lengths differ."""

    def __init__(self, rows, binary):
        self.size = "large" if rows > 50_000 else "small"
        self.binary = binary
        lens = [rows, rows // 2, 1, rows - 1]
        values = array.array("i", range(4 * rows))
        self.expected = array.array("i", values)
        for column, length in enumerate(lens):
            part = values[column:4 * length:4]
            part.reverse()
            self.expected[column:4 * length:4] = part
        self.ask(rows, values, lens)

    def ask(self, rows, values, lens):
        tensor = {"name": "input", "datatype": "INT32", "shape": [rows, 4]}
        document = {"inputs": [tensor, {
            "name": "sequence_lens", "datatype": "INT64", "shape": [4],
            "data": lens}]}
        self.headers = {"Content-Type": "application/json"}
        tail = b""
        if self.binary:
            tail = values.tobytes()
            tensor["parameters"] = {"binary_data_size": len(tail)}
            document["parameters"] = {"binary_data_output": True}
        else:
            tensor["data"] = values.tolist()
        head = json.dumps(document).encode()
        if self.binary:
            self.headers = {"Inference-Header-Content-Length": str(len(head))}
        self.body = head + tail

    def fault(self, reply):
        body = reply.read()
        if reply.status != 200:
            return f"{reply.status} {body[:200]!r}"
        if self.binary:
            length = int(reply.headers["Inference-Header-Content-Length"])
            good = body[length:] == self.expected.tobytes()
        else:
            data = json.loads(body)["outputs"][0]["data"]
            good = data == self.expected.tolist()
        return "" if good else "a wrong answer"


def ask(connection, question):
    """What is wrong, and the connection for the next one."""
    try:
        connection = connection or http.client.HTTPConnection(HOST, int(PORT), PATIENCE)
        connection.request("POST", INFER, question.body, question.headers)
        reply = connection.getresponse()
        fault = question.fault(reply)
        return fault, None if reply.will_close else connection
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return f"{type(error).__name__} {error}", None


def work(questions, pause):
    end, connection = time.monotonic() + SECONDS, None
    while time.monotonic() < end:
        for question in questions:
            fault, connection = ask(connection, question)
            with lock:
                if fault:
                    wrong[question.size].append(fault)
                else:
                    right[question.size] += 1
            time.sleep(pause)


def main():
    small = [Question(16, False), Question(256, True), Question(2000, False),
             Question(4000, True)]
    plans = [(small, 0.02), (small[::-1], 0.02), ([Question(65_536, True)], 0.2)]
    threads = [threading.Thread(target=work, args=plan) for plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({size: {"right": right[size], "wrong": wrong[size]}
                      for size in wrong}))


if __name__ == "__main__":
    main()
