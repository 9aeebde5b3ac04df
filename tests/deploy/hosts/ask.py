"""Requests of several forms and sizes, one after the other on each of three
connections; the whole answer to each is compared with what it must be.

Usage: ask.py ADDRESS:PORT SECONDS
Prints, as JSON, of small and large bodies: how many answers were right, and what
was wrong with the others. Large ones, of 1 MiB, do not fit the balancer's buffer."""

import collections
import http.client
import json
import os
import sys
import threading
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../integration/lib"))
from question import PATH, Question  # noqa: E402

HOST, PORT = sys.argv[1].rsplit(":", 1)
SECONDS = float(sys.argv[2])
PATIENCE = 20  # seconds for one answer
right, wrong = collections.Counter(), {"small": [], "large": []}
lock = threading.Lock()


class Inference(Question):
    """[rows, 4, 1], as JSON or as bytes; the lengths are rows - 1, rows, 0 and 1."""

    def __init__(self, rows, binary):
        super().__init__(rows - 1, rows, 4, 1, binary)
        self.size = "large" if rows > 50_000 else "small"
        length, self.sent = self.body()
        self.headers = {"Inference-Header-Content-Length": str(length)} if binary \
            else {"Content-Type": "application/json"}

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
        connection.request("POST", PATH, question.sent, question.headers)
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
    small = [Inference(16, False), Inference(256, True), Inference(2000, False),
             Inference(4000, True)]
    plans = [(small, 0.02), (small[::-1], 0.02), ([Inference(65_536, True)], 0.2)]
    threads = [threading.Thread(target=work, args=plan) for plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({size: {"right": right[size], "wrong": wrong[size]}
                      for size in wrong}))


if __name__ == "__main__":
    main()
