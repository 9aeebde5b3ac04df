#!/usr/bin/env python3
"""Measures the cases of docs/examples in several sizes: the code that each replaces, NumPy,
PyTorch where it is installed, and flipd over HTTP and in shared memory. Prints the rows of
the table of docs/examples/README.md. Every way's result is compared with the first one's.

Usage: tests/bench/examples.py DAEMON [ROUNDS]    with NumPy; ROUNDS default 31

A figure is the median of ROUNDS rounds, each of which runs every way once. The daemon runs
on core 0, the client on core 1. In shared memory the tensor is there already and is
reversed in place. A view (a transposed or flipped array) takes no time in any way."""
import http.client
import json
import mmap
import os
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.append(f"{ROOT}/tests/integration/lib")
from daemon import Daemon  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 31
TYPES = {"int64": "INT64", "float32": "FP32"}
SYMBOL = 4232  # of an end of WeNet's
random = np.random.default_rng(1)


class Flipd:
    """One batch, sent over HTTP or kept in shared memory."""

    def __init__(self, address, x, lens, time_axis):
        self.client = http.client.HTTPConnection(address)
        self.x, self.lens = np.ascontiguousarray(x), lens
        self.axes = {"time_axis": time_axis, "batch_axis": 1 - time_axis}
        self.file = tempfile.NamedTemporaryFile(dir="/dev/shm", buffering=0)
        self.file.truncate(self.x.nbytes)
        self.shared = np.frombuffer(mmap.mmap(self.file.fileno(), 0), x.dtype)
        self.post("systemsharedmemory/region/x/register", json.dumps(
            {"key": self.file.name[8:], "byte_size": self.x.nbytes}).encode())

    def post(self, path, body, headers={}):
        self.client.request("POST", "/v2/" + path, body, headers)
        answer = self.client.getresponse()
        body = answer.read()
        if answer.status != 200:
            sys.exit(body.decode())
        return body

    def ask(self, place, body=b"", **more):
        head = json.dumps({"inputs": [
            {"name": "input", "datatype": TYPES[self.x.dtype.name],
             "shape": self.x.shape, "parameters": place},
            {"name": "sequence_lens", "datatype": "INT64", "shape": self.lens.shape,
             "data": self.lens.tolist()}], **more}).encode()
        return self.post("models/onnx.ReverseSequence/infer", head + body,
                         {"Inference-Header-Content-Length": len(head)} if body else {})

    def over_http(self):
        body = self.ask({"binary_data_size": self.x.nbytes}, self.x.tobytes(),
                        parameters={**self.axes, "binary_data_output": True})
        return np.frombuffer(body, self.x.dtype,
                             offset=len(body) - self.x.nbytes).reshape(self.x.shape)

    def in_shared_memory(self):
        place = {"shared_memory_region": "x", "shared_memory_byte_size": self.x.nbytes}
        self.ask(place, parameters=self.axes, outputs=[{"name": "Y", "parameters": place}])
        return self.shared.reshape(self.x.shape)

    def fill(self):
        """Undoes the last request, as the program would that writes the next batch."""
        self.shared[:] = self.x.reshape(-1)

    def end(self):
        self.post("systemsharedmemory/region/x/unregister", b"{}")


def rescoring(utterances):
    lens = random.integers(2, 63, utterances * 10)
    hyps = [random.integers(SYMBOL, size=size - 2).tolist() for size in lens]
    batch = np.full((len(lens), lens.max()), SYMBOL)
    for row, hyp in zip(batch, hyps):
        row[1:len(hyp) + 1] = hyp

    def loop():
        backward = np.full(batch.shape, SYMBOL)
        for row, hyp in zip(backward, hyps):
            row[:len(hyp) + 2] = [SYMBOL] + hyp[::-1] + [SYMBOL]
        return backward

    def torch_way(tensor):
        return torch.nn.utils.rnn.pad_sequence(
            [row[:size].flip(0) for row, size in zip(tensor, lens)], True, SYMBOL)
    return batch, lens, 1, loop, torch_way, lambda moved: moved


def backward_half(steps, width, features):
    lens = random.integers(steps // 4, steps + 1, width)
    x = random.standard_normal((steps, width, features), np.float32)

    def loop():
        y = x.copy()
        for b, size in enumerate(lens):
            y[:size, b] = x[:size, b][::-1]
        return y

    def torch_way(tensor):
        step, sizes = torch.arange(steps)[:, None], torch.from_numpy(lens)
        index = torch.where(step < sizes, sizes - 1 - step, step)
        return tensor.gather(0, index[:, :, None].expand(tensor.shape))
    return x, lens, 0, loop, torch_way, lambda moved: moved


def left_padding(prompts, tokens):
    lens = random.integers(1, tokens + 1, prompts)
    left = np.where(np.arange(tokens) < tokens - lens[:, None], 0,
                    random.integers(1, 32000, (prompts, tokens)))

    def loop():
        right = np.zeros_like(left)
        for i, size in enumerate(lens):
            right[i, :size] = left[i, -size:]
        return right

    def torch_way(tensor):  # of the flipped batch, as flipd gets it
        shift = tokens - torch.from_numpy(lens)[:, None]
        return tensor.flip(1).gather(1, (torch.arange(tokens) + shift) % tokens)
    return left[:, ::-1], lens, 1, loop, torch_way, lambda moved: moved


def mel_flip(clips):
    batch = random.random((clips, 511, 96), np.float32)
    first = batch.transpose(2, 1, 0)

    def loop():
        return np.ascontiguousarray(batch[:, :, ::-1])

    def torch_way(tensor):
        return tensor.flip(0).permute(2, 1, 0)
    return first, np.full(511, 96), 0, loop, torch_way, lambda moved: moved.transpose(2, 1, 0)


def numpy_way(x, lens, time_axis):
    step = np.arange(x.shape[time_axis])
    if time_axis == 1:
        return x[np.arange(len(lens))[:, None], np.where(
            step < lens[:, None], lens[:, None] - 1 - step, step)]
    step = step[:, None]
    return x[np.where(step < lens, lens - 1 - step, step), np.arange(len(lens))]


CASES = (
    ("attention rescoring", "1 utterance", rescoring, (1,)),
    ("", "64 utterances", rescoring, (64,)),
    ("backward half", "[100, 8, 64]", backward_half, (100, 8, 64)),
    ("", "[400, 32, 256]", backward_half, (400, 32, 256)),
    ("", "[1000, 64, 512]", backward_half, (1000, 64, 512)),
    ("left padding", "[64, 512]", left_padding, (64, 512)),
    ("", "[256, 4096]", left_padding, (256, 4096)),
    ("BirdNET's flip", "1 clip", mel_flip, (1,)),
    ("", "64 clips", mel_flip, (64,)),
)


def measure(ways, finish, before):
    """The medians in ms."""
    times, expected = {name: [] for name in ways}, None
    for _ in range(ROUNDS):
        for name, way in ways.items():
            before()
            start = time.perf_counter()
            moved = way()
            times[name].append(time.perf_counter() - start)
            moved = np.asarray(moved) if name in ("it replaces", "PyTorch") else finish(moved)
            expected = moved.copy() if expected is None else expected
            if not np.array_equal(moved, expected):
                sys.exit(f"{name} gives another result")
    return {name: 1000 * np.median(one) for name, one in times.items()}


def row(address, title, size, make, sizes):
    x, lens, time_axis, loop, torch_way, finish = make(*sizes)
    flipd = Flipd(address, x, lens, time_axis)
    ways = {"it replaces": loop}
    if make is not mel_flip:  # a flip is no gather
        ways["NumPy"] = lambda: numpy_way(x, lens, time_axis)
    if torch:
        tensor = torch.from_numpy(np.ascontiguousarray(x))
        ways["PyTorch"] = lambda: torch_way(tensor)
    ways.update({"HTTP": flipd.over_http, "shared memory": flipd.in_shared_memory})
    medians = measure(ways, finish, flipd.fill)
    flipd.end()
    return f"| {title} | {size} | {x.nbytes / 1e6:.3g} MB | " + " | ".join(
        f"{medians[name]:.3g}" if name in medians else "" for name in
        ("it replaces", "NumPy", "PyTorch", "HTTP", "shared memory")) + " |"


def main():
    os.sched_setaffinity(0, {0})
    with Daemon(os.path.realpath(sys.argv[1]), ["--allow-client-shm"]) as daemon:
        os.sched_setaffinity(0, {1})
        if torch:
            torch.set_num_threads(1)
        print(f"load {os.getloadavg()[0]:.2f}, NumPy {np.__version__}, PyTorch "
              f"{torch.__version__ if torch else 'none'}, {ROUNDS} rounds")
        for case in CASES:
            print(row(daemon.address, *case), flush=True)
        print(f"load {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
