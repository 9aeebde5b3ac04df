"""The operator in process, one thread, FP32: flipd's movers beside ONNX
Runtime, OpenVINO, NumPy and PyTorch, as far as installed. Run by the Python of
their environment.

Usage: process.py LIBRARY ROUNDS
  LIBRARY  bench_operators of a release build; it is called through ctypes, with
           all its checks, into memory that is kept, as the others are

Prints a line of JSON for each case: seconds of one call, median of interleaved
rounds. They are the process's own: on the one core that it is pinned to never
more than those that pass, and less when others use the core too. Every result
is compared with NumPy's, bit for bit, before it counts.
"""

import ctypes
import json
import resource
import statistics
import sys
import time

import numpy as np

import cases

ROUND_SECONDS = 0.02  # seconds for which a round repeats a short call

# (shape, time axis, batch axis)
SEQUENCES = (((128, 32, 256), 0, 1), ((32, 128, 256), 1, 0),
             ((512, 64), 0, 1), ((64, 512), 1, 0),
             ((4096, 4096), 0, 1), ((4096, 4096), 1, 0))
# (shape, axes)
REVERSALS = (((1 << 20,), (0,)), ((64, 512), (1,)), ((4096, 4096), (0,)),
             ((4096, 4096), (1,)), ((4096, 4096), (0, 1)),
             ((128, 32, 256), (0,)), ((128, 32, 256), (2,)),
             ((16, 3, 224, 224), (3,)), ((1080, 1920, 3), (1,)))


class Case:
    """x, lens or axes, and the expected y, from NumPy."""

    def __init__(self, shape, axes=None, time_axis=None, batch_axis=None):
        rng = np.random.default_rng(1)
        self.shape, self.axes = shape, axes
        self.time_axis, self.batch_axis = time_axis, batch_axis
        self.x = rng.random(shape, dtype=np.float32)
        self.y = np.zeros_like(self.x)
        if axes is None:
            self.lens = rng.integers(0, shape[time_axis] + 1,
                                     shape[batch_axis], dtype=np.int64)
            self.op = "ReverseSequence"
            self.name = (f"{list(shape)} "
                         f"{'t' if time_axis == 0 else 'b'}-major")
        else:
            self.op = "Reverse"
            self.name = f"{list(shape)} axes {list(axes)}"


def warm_up(once):
    """Calls until the memory comes from the heap, which takes some nine
    calls."""
    for _ in range(16):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        once()
        after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        if after - before < 16:
            return


def calls_a_round(once):
    start = time.process_time()
    once()
    return max(1, int(ROUND_SECONDS / (time.process_time() - start)))


def time_of(once, count):
    start = time.process_time()
    for _ in range(count):
        once()
    return (time.process_time() - start) / count


def prepare(case, makers, wanted):
    """Returns the functions that work and are right; reports the others."""
    ready = {}
    for name, make in makers.items():
        try:
            once, result = make(case)
            once()
            if name != "memcpy" and not np.array_equal(result(), wanted):
                raise ValueError("its result is not the right one")
            warm_up(once)
            ready[name] = (once, calls_a_round(once))
        except Exception as e:
            lines = str(e).strip().splitlines() or [repr(e)]
            print(json.dumps({"missing": f"{name}, {case.op} {case.name}",
                              "why": f"{type(e).__name__}: {lines[-1]}"}),
                  flush=True)
    return ready


def measure(case, makers, rounds):
    """Seconds of each maker's call."""
    once, result = cases.with_numpy(case)
    once()
    wanted = result().copy()
    case.y[:] = 0
    ready = prepare(case, makers, wanted)
    times = {name: [] for name in ready}
    for _ in range(rounds):
        for name, (once, count) in ready.items():
            times[name].append(time_of(once, count))
    return {"op": case.op, "case": case.name, "bytes": case.x.nbytes,
            "seconds": {n: statistics.median(t) for n, t in times.items()}}


def main():
    library, rounds = ctypes.CDLL(sys.argv[1]), int(sys.argv[2])
    makers = {
        "flipd copy": lambda case: cases.flipd(case, library, False),
        "flipd in place": lambda case: cases.flipd(case, library, True),
        "memcpy": lambda case: cases.with_memcpy(case, library),
        "ONNX Runtime": cases.onnxruntime_run,
        "ONNX Runtime, bound": cases.onnxruntime_bound,
        "OpenVINO": cases.with_openvino, "NumPy": cases.with_numpy,
        "PyTorch": cases.with_torch}
    for case in [*(Case(shape, None, *axes) for shape, *axes in SEQUENCES),
                 *(Case(shape, axes) for shape, axes in REVERSALS)]:
        print(json.dumps(measure(case, makers, rounds)), flush=True)


if __name__ == "__main__":
    main()
