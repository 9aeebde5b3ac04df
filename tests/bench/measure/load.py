"""Requests, and the two clients that send them."""

import json
import os
import random
import re
import subprocess

from servers import Failed

FLIPD = "/v2/models/onnx.ReverseSequence/infer"
RAGGED = (1, 0.75, 0.5, 0.25)  # of the sequence, one for each batch entry


def shape_of(count):
    """[time, batch, row]: 4 ragged sequences, rows of 256 bytes if several
    fit."""
    row = 64 if count >= 1024 else 1
    return [max(1, count // (4 * row)), 4, row]


def lengths(time):
    return [int(time * share) for share in RAGGED]


def http(path, body, header=None):
    head = (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Content-Length: {len(body)}\r\n")
    if header is None:
        head += "Content-Type: application/json\r\n\r\n"
    else:
        head += ("Content-Type: application/octet-stream\r\n"
                 f"Inference-Header-Content-Length: {header}\r\n\r\n")
    return head.encode() + body


def binary_request(size, path=FLIPD, data="input", lens="sequence_lens"):
    """About `size` bytes of binary FP32 data, with a binary answer."""
    shape = shape_of(size // 4)
    size = shape[0] * shape[1] * shape[2] * 4
    head = json.dumps({
        "inputs": [
            {"name": data, "datatype": "FP32", "shape": shape,
             "parameters": {"binary_data_size": size}},
            {"name": lens, "datatype": "INT64", "shape": [4],
             "parameters": {"binary_data_size": 32}}],
        "parameters": {"binary_data_output": True}}).encode()
    tail = b"".join(n.to_bytes(8, "little") for n in lengths(shape[0]))
    # Repeated bytes of 0.5: every element is an ordinary number.
    part = bytes(range(64)) * 1024
    part = b"".join(part[i:i + 3] + b"\x3f" for i in range(0, 1 << 14, 4))
    values = (part * (size // len(part) + 1))[:size]
    return http(path, head + values + tail, len(head))


def json_request(size, path=FLIPD, data="input", lens="sequence_lens", row=None):
    """A document of about `size` bytes, FP32 numbers of 10 characters. row: numbers
    of a row, if it is not that of shape_of()."""
    rng = random.Random(1)
    part = ",".join(f"0.{rng.randrange(10**6, 10**7)}" for _ in range(4096))
    tokens = max(4, (size - 170) // 10)
    shape = [max(1, tokens // (4 * row)), 4, row] if row else shape_of(tokens)
    count = shape[0] * shape[1] * shape[2]
    numbers = ",".join([part] * (count // 4096 + 1))[:count * 10 - 1]
    body = (
        f'{{"inputs":[{{"name":"{data}","datatype":"FP32",'
        f'"shape":{json.dumps(shape)},"data":[{numbers}]}},'
        f'{{"name":"{lens}","datatype":"INT64","shape":[4],'
        f'"data":{json.dumps(lengths(shape[0]))}}}]}}')
    return http(path, body.encode())


BUILDERS = {"binary": binary_request, "JSON": json_request}


def save(bench, name, request):
    path = bench.file(name)
    with open(path, "wb") as f:
        f.write(request)
    return path


def ask(bench, server, request, connections, seconds, core=None, rate=0,
        port=None, http2=False):
    """One run of bench_load: its figures, and the server's processor time for
    each answer. port: the server's own without one."""
    command = [bench.program("tests/bench/bench_load")]
    if core is not None:
        command = ["taskset", "-c", str(core), *command]
    command += ["--echo"] if server.echo else []
    command += [f"--rate={rate}"] if rate else []
    command += ["--http2"] if http2 else []
    command += [str(port or server.port), request, str(connections), str(seconds)]
    before = server.cpu_seconds()
    done = subprocess.run(command, capture_output=True, text=True,
                          timeout=120 + 10 * seconds)
    if done.returncode != 0:
        raise Failed(f"{server.name}: {done.stderr.strip()[-300:]}")
    figures = json.loads(done.stdout)
    spent = server.cpu_seconds() - before
    figures["cpu_us"] = spent * 1e6 / max(1, figures["all_answers"])
    return figures


def wrk(bench, server, form, size, connections, seconds, core, scheme="http"):
    """One run of wrk with the project's load script."""
    before = server.cpu_seconds()
    done = subprocess.run(
        ["taskset", "-c", str(core), "wrk", "--threads=1",
         f"--connections={connections}", f"--duration={seconds}s",
         "--timeout=10s", "--script",
         os.path.join(bench.root, "tests/load/infer.lua"),
         f"{scheme}://127.0.0.1:{server.port}", "--", form, str(size)],
        capture_output=True, text=True, timeout=60 + 2 * seconds)
    found = re.search(r"(\d+) requests, 0 failed, (\d+)/s, p50 (\d+) us, "
                      r"p99 (\d+) us", done.stdout)
    if done.returncode != 0 or not found:
        raise Failed(f"wrk at {server.name}: {done.stdout[-200:]}"
                     f"{done.stderr[-200:]}")
    spent = server.cpu_seconds() - before
    return {"rate": float(found[2]), "p50_us": float(found[3]),
            "p99_us": float(found[4]),
            "cpu_us": spent * 1e6 / int(found[1])}
