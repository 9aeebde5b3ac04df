#!/usr/bin/env python3
"""Measures the Python package `flipd` in place beside what its users would write in their process:
NumPy's slices and its gather, PyTorch's gather and flip, ONNX Runtime and OpenVINO, one thread each,
over 20 shapes of FP32. Prints the table of docs/library.md, in microseconds, and below it the
slowest of all ratios. Every way's result is compared with NumPy's.

Usage: PYTHON tests/bench/in_process.py LIBFLIP [ROUNDS]
  PYTHON   of an environment with NumPy and any of torch, onnx with onnxruntime, openvino, such as
           tests/bench/rivals.sh makes
  LIBFLIP  libflip.so.0 of a release build
  ROUNDS   default 15; a figure is their median

The ways take turns, and their times are the process's own."""
import ctypes
import os
import statistics
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path[:0] = [f"{ROOT}/deploy/python", f"{ROOT}/tests/bench/rivals"]
ctypes.CDLL(sys.argv[1])  # the package asks for it by its name

import numpy as np  # noqa: E402

import cases  # noqa: E402
import flipd  # noqa: E402
import process  # noqa: E402

# (shape, time axis, batch axis): speech, text, padded batches of features
SEQUENCES = (((16, 64), 0, 1), ((8, 128), 1, 0), ((60, 640), 0, 1), ((64, 512), 1, 0),
             ((512, 64), 0, 1), ((100, 8, 64), 0, 1), ((32, 128, 256), 1, 0),
             ((128, 32, 256), 0, 1), ((400, 32, 256), 0, 1), ((4096, 1024), 0, 1),
             ((1024, 4096), 1, 0))
# (shape, axes): series, images, spectra
REVERSALS = (((1024,), (0,)), ((1 << 20,), (0,)), ((64, 512), (1,)), ((1024, 2048), (0, 1)),
             ((128, 32, 256), (0,)), ((128, 32, 256), (2,)), ((1, 3, 224, 224), (3,)),
             ((16, 3, 224, 224), (1,)), ((1080, 1920, 3), (1,)))


def in_place(case):
    y = case.x.copy()
    if case.axes is not None:
        return lambda: flipd.reverse(y, case.axes, out=y), lambda: y
    return (lambda: flipd.reverse_sequence(y, case.lens, batch_axis=case.batch_axis,
                                           time_axis=case.time_axis, out=y)), lambda: y


def sources(case, library):
    """The index of the source of each step of each sequence, as users write it, and that of the
    sequence, in the order of the data's axes."""
    t, b = library.arange(case.shape[case.time_axis]), library.arange(case.shape[case.batch_axis])
    lens = case.lens if library is np else library.from_numpy(case.lens)
    t, lens, b = (t[:, None], lens[None, :], b[None, :]) if case.time_axis == 0 else \
                 (t[None, :], lens[:, None], b[:, None])
    return library.where(t < lens, lens - 1 - t, t), b


def numpy_gather(case):
    y = {}

    def once():
        steps, batch = sources(case, np)
        y["y"] = case.x[(steps, batch) if case.time_axis == 0 else (batch, steps)]

    return once, lambda: y["y"]


def torch_gather(case):
    import torch

    torch.set_num_threads(1)
    x, y = torch.from_numpy(case.x), {}

    def once():
        y.clear()
        steps, _ = sources(case, torch)
        steps = steps.reshape(*steps.shape, *[1] * (x.dim() - 2)).expand_as(x)
        y["y"] = torch.gather(x, case.time_axis, steps)

    return once, lambda: y["y"].numpy()


WAYS = {"flipd": in_place, "NumPy": cases.with_numpy, "PyTorch": cases.with_torch,
        "ONNX Runtime": cases.onnxruntime_run, "OpenVINO": cases.with_openvino}
GATHERS = {"NumPy, gather": numpy_gather, "PyTorch": torch_gather}


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    columns = list({**WAYS, **GATHERS})
    ratios = {}
    print(f"load {os.getloadavg()[0]}, NumPy {np.__version__}, {rounds} rounds\n\n| case |",
          " | ".join(columns), "|\n| --- |", " | ".join("---" for _ in columns), "|")
    for case in [*(process.Case(shape, None, *axes) for shape, *axes in SEQUENCES),
                 *(process.Case(shape, axes) for shape, axes in REVERSALS)]:
        ways = WAYS if case.axes is not None else {**WAYS, **GATHERS}
        seconds = process.measure(case, ways, rounds)["seconds"]
        print(f"| {case.op} {case.name} |",
              " | ".join(f"{seconds[way] * 1e6:.3g}" if way in seconds else ""
                         for way in columns), "|", flush=True)
        for way in seconds:
            ratios.setdefault(f"{case.op}, {way}", []).append(seconds[way] / seconds["flipd"])
    print()
    for way, values in ratios.items():
        print(f"{way}: worst {min(values):.2f}, median {statistics.median(values):.2f}")


if __name__ == "__main__":
    main()
