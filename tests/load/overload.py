"""Overload, measured: goodput, latencies and refusals at twice the capacity.

For each kind of request: the peak of a closed loop, then an open loop at 80 %
of it, at 200 %, and again at 50 %, which shows whether service is normal within
a second. It asserts nothing: the limits stand beside the figures.

Usage: overload.py DAEMON OPEN_LOOP [SECONDS [KIND...]]
The daemon runs on core 0, the client on core 1."""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../integration/lib"))
from daemon import Daemon  # noqa: E402

PATH = "/v2/models/onnx.ReverseSequence/infer"


def request(datatype, shape, values=None, raw=None, binary=True, coded=False):
    data = {"name": "input", "datatype": datatype, "shape": shape}
    lens = {"name": "sequence_lens", "datatype": "INT64",
            "shape": [shape[1]], "data": [shape[0]] * shape[1]}
    output = {"name": "Y", "parameters": {"binary_data": binary}}
    headers = ["Host: localhost"]
    if raw is None:
        data["data"] = values
    else:
        data["parameters"] = {"binary_data_size": len(raw)}
    head = json.dumps({"inputs": [data, lens], "outputs": [output]},
                      separators=(",", ":")).encode()
    if raw is not None:
        headers.append(f"Inference-Header-Content-Length: {len(head)}")
    body = head + (raw or b"")
    if coded:
        body = gzip.compress(body)
        headers += ["Content-Encoding: gzip", "Accept-Encoding: gzip"]
    headers.append(f"Content-Length: {len(body)}")
    lines = "\r\n".join([f"POST {PATH} HTTP/1.1", *headers])
    return f"{lines}\r\n\r\n".encode() + body


def binary(size):
    return lambda: request("FP32", [size // 4 // 16, 16],
                           raw=random.randbytes(size))


def numbers(count):
    values = [round(random.uniform(-1e3, 1e3), 4) for _ in range(count)]
    return request("FP32", [count // 16, 16], values=values, binary=False)


KINDS = {
    "json_800k": lambda: numbers(88_000),
    "json_100k": lambda: numbers(11_200),
    "gzip_1m": lambda: request("FP32", [1 << 18, 1], raw=bytes(1 << 20),
                               coded=True),
    "binary_1m": binary(1 << 20),
    "binary_64k": binary(64 << 10),
}


def run(command, rate, seconds, connections, *answer):
    """command: open_loop, the address, the file of the request."""
    out = subprocess.run(
        [*command, str(rate), str(seconds), str(connections), *answer],
        capture_output=True, text=True, check=True).stdout
    words = out.split()
    return {k: float(v) for k, v in zip(words[::2], words[1::2])}


def show(name, got):
    print(f"  {name:6}", " ".join(f"{k} {v:g}" for k, v in got.items()),
          flush=True)


def measure(kind, daemon, tool, seconds):
    with tempfile.NamedTemporaryFile() as file:
        file.write(KINDS[kind]())
        file.flush()
        with Daemon(daemon, launcher=["taskset", "-c", "0"]) as server:
            def ask(rate, part, connections):
                return run(["taskset", "-c", "1", tool, server.address, file.name],
                           rate, part, connections)
            ask(0, 1, 8)
            peak = ask(0, seconds / 2, 8)
            print(kind)
            show("peak", peak)
            rate = peak["good"]
            calm = ask(0.8 * rate, seconds / 2, 1000)
            show("80 %", calm)
            over = ask(2 * rate, seconds, 1000)
            show("200 %", over)
            show("50 %", ask(rate / 2, 2, 1000))
            print(f"  goodput {over['good'] / rate:.0%} of peak (>= 90 %), "
                  f"p99 {over['good_p99']:.1f} ms = "
                  f"{over['good_p99'] / max(calm['good_p99'], 0.01):.1f} x that at 80 % "
                  f"(<= 3, 500 ms), 503 p99 {over['refused_p99']:.1f} ms "
                  f"(<= 20)", flush=True)


if __name__ == "__main__":
    daemon, tool = map(os.path.abspath, sys.argv[1:3])
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    random.seed(1)
    for kind in sys.argv[4:] or KINDS:
        measure(kind, daemon, tool, seconds)
