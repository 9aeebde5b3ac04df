"""One case in each library, for process.py: each function takes a case and
returns two, one that runs it once and one that returns the result."""

import ctypes

import numpy as np


class Call(ctypes.Structure):
    """struct bench_call of operators.c."""

    _fields_ = [("op", ctypes.c_char_p), ("rank", ctypes.c_int),
                ("dims", ctypes.c_int64 * 32),
                ("control_count", ctypes.c_int64),
                ("control", ctypes.c_void_p), ("axes", ctypes.c_int64 * 2),
                ("source", ctypes.c_void_p), ("to", ctypes.c_void_p)]


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


def with_memcpy(case, library):
    """No reversal: the time to move the same bytes."""
    to, source, size = case.y.ctypes.data, case.x.ctypes.data, case.x.nbytes
    library.bench_memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p,
                                     ctypes.c_size_t, ctypes.c_size_t]
    return (lambda: library.bench_memcpy(to, source, size, 1)), lambda: case.x


def with_numpy(case):
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


def with_torch(case):
    import torch

    torch.set_num_threads(1)
    x = torch.from_numpy(case.x)
    out = {}  # freed before the next call, which reuses the memory
    if case.axes is not None:
        def once():
            out.clear()
            out["y"] = torch.flip(x, case.axes)
    else:
        lens = torch.from_numpy(case.lens)
        steps = torch.arange(case.shape[case.time_axis])
        batch = torch.arange(case.shape[case.batch_axis])
        major = case.time_axis == 0

        def once():
            t = steps[:, None] if major else steps[None, :]
            n = lens[None, :] if major else lens[:, None]
            out.clear()
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
    """The ordinary call: the session allocates the result."""
    session, out = session_of(case), {}
    inputs = {"x": case.x}
    if case.axes is None:
        inputs["n"] = case.lens

    def once():
        out.clear()
        out["y"] = session.run(None, inputs)[0]

    return once, lambda: out["y"]


def onnxruntime_bound(case):
    """The fastest call: inputs and the result's memory are bound once."""
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
    """The Python package has no function for Reverse; the file format has the
    operator."""
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


def with_openvino(case):
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
