"""The operator in process, one thread, FP32: flipd's movers beside what is
installed of ONNX Runtime, OpenVINO, NumPy and PyTorch. Run by the Python of
the environment that has them.

Usage: rivals_process.py LIBRARY ROUNDS
  LIBRARY  bench_operators of a release build; it is called through ctypes, with
           all its checks, into memory that is kept, as the others are

Prints a line of JSON for each case: seconds of one call, median of interleaved
rounds. They are the process's own: on the one core that it is pinned to never
more than those that pass, and less when others use the core too. Every result
is compared with NumPy's, bit for bit, before it counts.
"""

import ctypes
import json
import statistics
import sys
import time

import numpy as np

ROUND_SECONDS = 0.02  # a round repeats a short call for so long

# (shape, time axis, batch axis)
SEQUENCES = (((128, 32, 256), 0, 1), ((32, 128, 256), 1, 0),
             ((512, 64), 0, 1), ((64, 512), 1, 0),
             ((4096, 4096), 0, 1), ((4096, 4096), 1, 0))
# (shape, axes)
REVERSALS = (((1 << 20,), (0,)), ((64, 512), (1,)), ((4096, 4096), (0,)),
             ((4096, 4096), (1,)), ((4096, 4096), (0, 1)),
             ((128, 32, 256), (0,)), ((128, 32, 256), (2,)),
             ((16, 3, 224, 224), (3,)), ((1080, 1920, 3), (1,)))


class Call(ctypes.Structure):
    """struct bench_call of operators.c."""

    _fields_ = [("op", ctypes.c_char_p), ("rank", ctypes.c_int),
                ("dims", ctypes.c_int64 * 32),
                ("control_count", ctypes.c_int64),
                ("control", ctypes.c_void_p), ("axes", ctypes.c_int64 * 2),
                ("source", ctypes.c_void_p), ("to", ctypes.c_void_p)]


class Case:
    """x, lens or axes, and what NumPy says y is."""

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


def flipd(case, library, in_place):
    control = np.array(case.lens if case.axes is None else case.axes, np.int64)
    y = case.x.copy() if in_place else case.y
    source = y if in_place else case.x
    op = (b"onnx.ReverseSequence" if case.axes is None
          else b"openvino.Reverse")
    call = Call(op, len(case.shape), case.shape, control.size,
                control.ctypes.data,
                (case.batch_axis or 0, case.time_axis or 0),
                source.ctypes.data, None if in_place else y.ctypes.data)
    reference = ctypes.byref(call)
    keep = (control, source, y)

    def once(keep=keep):
        if library.bench_operator(reference) != 0:
            raise ValueError("the arguments were refused")

    return once, lambda: y


def numpy_way(case):
    x, y = case.x, case.y
    if case.axes is not None:
        return lambda: np.copyto(y, np.flip(x, case.axes)), lambda: y
    lens = case.lens.tolist()
    if case.time_axis == 0:
        pairs = [(y[:n, b], x[:n, b][::-1]) for b, n in enumerate(lens)]
    else:
        pairs = [(y[b, :n], x[b, :n][::-1]) for b, n in enumerate(lens)]

    def once():
        np.copyto(y, x)
        for to, source in pairs:
            np.copyto(to, source)

    return once, lambda: y


def torch_way(case):
    import torch

    torch.set_num_threads(1)
    x = torch.from_numpy(case.x)
    out = {}
    if case.axes is not None:
        def once():
            out["y"] = torch.flip(x, case.axes)
    else:
        lens = torch.from_numpy(case.lens)
        steps = torch.arange(case.shape[case.time_axis])
        batch = torch.arange(case.shape[case.batch_axis])
        major = case.time_axis == 0

        def once():
            t = steps[:, None] if major else steps[None, :]
            n = lens[None, :] if major else lens[:, None]
            index = torch.where(t < n, n - 1 - t, t)
            out["y"] = (x[index, batch[None, :]] if major
                        else x[batch[:, None], index])
    return once, lambda: out["y"].numpy()


def onnx_model(case):
    from onnx import TensorProto, helper

    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, case.shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, case.shape)
    if case.axes is None:
        n = helper.make_tensor_value_info("n", TensorProto.INT64,
                                          case.lens.shape)
        node = helper.make_node("ReverseSequence", ["x", "n"], ["y"],
                                batch_axis=case.batch_axis,
                                time_axis=case.time_axis)
        graph = helper.make_graph([node], "g", [x, n], [y])
    else:
        count = len(case.axes)
        constants = {"starts": [-1] * count, "ends": [-(2**31)] * count,
                     "axes": case.axes, "steps": [-1] * count}
        node = helper.make_node("Slice", ["x", *constants], ["y"])
        graph = helper.make_graph([node], "g", [x], [y], [
            helper.make_tensor(k, TensorProto.INT64, [count], v)
            for k, v in constants.items()])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    return model.SerializeToString()


def session_of(case):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return ort.InferenceSession(onnx_model(case), options,
                                providers=["CPUExecutionProvider"])


def onnxruntime_run(case):
    """As everybody calls it: the session makes the result's memory."""
    session, out = session_of(case), {}
    inputs = {"x": case.x}
    if case.axes is None:
        inputs["n"] = case.lens

    def once():
        out["y"] = session.run(None, inputs)[0]

    return once, lambda: out["y"]


def onnxruntime_bound(case):
    """Its best: inputs and the result's memory are bound once."""
    import onnxruntime as ort

    session, y = session_of(case), np.zeros_like(case.x)
    binding = session.io_binding()
    kept = [ort.OrtValue.ortvalue_from_numpy(one) for one in (case.x, y)]
    binding.bind_ortvalue_input("x", kept[0])
    if case.axes is None:
        kept.append(ort.OrtValue.ortvalue_from_numpy(case.lens))
        binding.bind_ortvalue_input("n", kept[2])
    binding.bind_ortvalue_output("y", kept[1])
    return (lambda: session.run_with_iobinding(binding),
            lambda: kept[1].numpy())


REVERSE_IR = """<?xml version="1.0"?>
<net name="reverse" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1">
<data shape="{shape}" element_type="f32"/>
<output><port id="0" precision="FP32">{dims}</port></output></layer>
<layer id="1" name="axes" type="Parameter" version="opset1">
<data shape="{count}" element_type="i64"/>
<output><port id="0" precision="I64"><dim>{count}</dim></port></output></layer>
<layer id="2" name="reverse" type="Reverse" version="opset1">
<data mode="index"/>
<input><port id="0" precision="FP32">{dims}</port>
<port id="1" precision="I64"><dim>{count}</dim></port></input>
<output><port id="2" precision="FP32">{dims}</port></output></layer>
<layer id="3" name="y" type="Result" version="opset1">
<input><port id="0" precision="FP32">{dims}</port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges></net>
"""


def openvino_model(case):
    """Reverse has no function in the Python package, only a place in its file
    format."""
    import openvino as ov
    from openvino import opset8

    if case.axes is not None:
        text = REVERSE_IR.format(
            shape=",".join(map(str, case.shape)), count=len(case.axes),
            dims="".join(f"<dim>{d}</dim>" for d in case.shape))
        return ov.Core().read_model(text.encode(), b"")
    x = opset8.parameter(case.shape, np.float32)
    n = opset8.parameter(case.lens.shape, np.int64)
    y = opset8.reverse_sequence(x, n, case.batch_axis, case.time_axis)
    return ov.Model([y], [x, n])


def openvino_way(case):
    import openvino as ov

    control = np.array(case.lens if case.axes is None else case.axes, np.int64)
    request = ov.Core().compile_model(
        openvino_model(case), "CPU",
        {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    ).create_infer_request()
    kept = [ov.Tensor(one, shared_memory=True) for one in (case.x, control)]
    for i, tensor in enumerate(kept):
        request.set_input_tensor(i, tensor)
    return (lambda keep=(control, kept): request.infer(),
            lambda: request.get_output_tensor(0).data)


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
    """What works and is right; the others are told of."""
    ready = {}
    for name, make in makers.items():
        try:
            once, result = make(case)
            once()
            if not np.array_equal(result(), wanted):
                raise ValueError("its result is not the right one")
            ready[name] = (once, calls_a_round(once))
        except Exception as e:
            lines = str(e).strip().splitlines() or [repr(e)]
            print(json.dumps({"missing": f"{name}, {case.op} {case.name}",
                              "why": f"{type(e).__name__}: {lines[-1]}"}),
                  flush=True)
    return ready


def measure(case, makers, rounds):
    once, result = numpy_way(case)
    once()
    wanted = result().copy()
    case.y[:] = 0
    ready = prepare(case, makers, wanted)
    times = {name: [] for name in ready}
    for _ in range(rounds):
        for name, (once, count) in ready.items():
            times[name].append(time_of(once, count))
    print(json.dumps({
        "op": case.op, "case": case.name, "bytes": case.x.nbytes,
        "seconds": {n: statistics.median(t) for n, t in times.items()}}),
        flush=True)


def main():
    library, rounds = ctypes.CDLL(sys.argv[1]), int(sys.argv[2])
    makers = {
        "flipd copy": lambda case: flipd(case, library, False),
        "flipd in place": lambda case: flipd(case, library, True),
        "ONNX Runtime": onnxruntime_run,
        "ONNX Runtime, bound": onnxruntime_bound, "OpenVINO": openvino_way,
        "NumPy": numpy_way, "PyTorch": torch_way}
    for shape, time_axis, batch_axis in SEQUENCES:
        measure(Case(shape, None, time_axis, batch_axis), makers, rounds)
    for shape, axes in REVERSALS:
        measure(Case(shape, axes), makers, rounds)


if __name__ == "__main__":
    main()
