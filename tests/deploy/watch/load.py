"""A small load for the test: inferences of several sizes and models, errors and
other routes, ten rounds a second.

Usage: tests/deploy/watch/load.py SECONDS URL...
Prints how many answers of each status came; fails unless 200, 400 and 413 did."""

import collections
import json
import ssl
import sys
import time
import urllib.error
import urllib.request

SECONDS, REPLICAS = float(sys.argv[1]), sys.argv[2:]
# The certificate was made a moment ago; what is watched here is its expiry.
TRUSTING = ssl._create_unverified_context()
statuses = collections.Counter()


def tensor(name, datatype, shape, data):
    return {"name": name, "datatype": datatype, "shape": shape, "data": data}


def sequence(rows):
    return json.dumps({"inputs": [
        tensor("input", "FP32", [rows, 4], [1.5] * (4 * rows)),
        tensor("sequence_lens", "INT64", [4], [rows] * 4)]}).encode()


def reverse():
    return json.dumps({"inputs": [
        tensor("data", "INT32", [2, 3], [1, 2, 3, 4, 5, 6]),
        tensor("axis", "INT64", [1], [1])]}).encode()


# The second takes a worker, the fourth is refused by --http-max-input-size=4MiB.
ROUND = (
    ("/v2/models/onnx.ReverseSequence/infer", sequence(4)),
    ("/v2/models/onnx.ReverseSequence/infer", sequence(50_000)),
    ("/v2/models/openvino.Reverse/infer", reverse()),
    ("/v2/models/onnx.ReverseSequence/infer", bytes(5 << 20)),
    ("/v2/models/onnx.ReverseSequence/infer", b"{}"),
    ("/v2/models", None),
    ("/nowhere", None),
)


def ask(url, body):
    try:
        with urllib.request.urlopen(url, body, 10, context=TRUSTING) as reply:
            reply.read()
            statuses[reply.status] += 1
    except urllib.error.HTTPError as error:
        statuses[error.code] += 1
    except urllib.error.URLError as error:
        # The refusal of a large body closes the connection while it is sent.
        statuses[type(error.reason).__name__] += 1


def main():
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for replica in REPLICAS:
            for path, body in ROUND:
                ask(replica + path, body)
        time.sleep(0.1)
    print(dict(statuses))
    return not {200, 400, 413} <= set(statuses)


if __name__ == "__main__":
    sys.exit(main())
