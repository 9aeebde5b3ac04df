"""OpenVINO's processor plugin: ReverseSequence-1 and Reverse-1, inputs as parameters."""

import functools

import arrays
import datatypes
import numpy as np
import openvino as ov
from engine import Foreign, Refused
from openvino import opset1
from openvino.utils.node_factory import NodeFactory

CORE = ov.Core()
TYPES = {
    "BOOL": "boolean", "FP16": "f16", "BF16": "bf16", "FP32": "f32", "FP64": "f64",
    "FP8_E4M3": "f8e4m3", "FP8_E5M2": "f8e5m2", "FP8_E8M0": "f8e8m0", "FP4_E2M1": "f4e2m1",
    "NF4": "nf4", "BYTES": "string",
    **{f"{sign}INT{bits}": f"{letter}{bits}"
       for sign, letter in (("", "i"), ("U", "u")) for bits in (1, 2, 4, 8, 16, 32, 64)},
}  # fmt: skip


def version():
    return ov.__version__


def type_of(datatype):
    name = TYPES.get(datatype)
    if name is None:
        raise Refused(f"OpenVINO has no {datatype}")
    return getattr(ov.Type, name)


def tensor(datatype, shape, raw):
    kind = type_of(datatype)
    count = int(np.prod(shape, dtype=np.int64))
    if datatype == "BYTES":
        texts = [text.decode() for text in datatypes.unpack(datatype, raw, count)]
        return ov.Tensor(np.array(texts, dtype=str).reshape(shape))
    result = ov.Tensor(kind, ov.Shape(shape))
    if raw:
        result.data.reshape(-1).view(np.uint8)[:] = np.frombuffer(raw, dtype=np.uint8)
    return result


@functools.cache
def compiled(datatype, shape, given, given_shape, mode, axes):
    """A compilation takes longer than many runs: cases of ReverseSequence that differ in
    their elements and lengths alone share it."""
    data = opset1.parameter(shape, type_of(datatype))
    control = opset1.parameter(given_shape, type_of(given))
    if mode:
        node = NodeFactory("opset1").create("Reverse", [data, control], {"mode": mode})
    else:
        node = opset1.reverse_sequence(data, control, *axes)
    return CORE.compile_model(ov.Model([node], [data, control], "case"), "CPU")


def answer(case):
    if "factor" in case:
        raise Foreign
    given = case["control"]
    lens = datatypes.encode(given["datatype"], given["values"])
    inputs = [
        tensor(case["datatype"], case["shape"], bytes.fromhex(case["data"])),
        tensor(given["datatype"], given["shape"], lens),
    ]
    mode = case["attributes"].get("mode")
    # Reverse damages memory, which shows when its model is freed.
    build = compiled.__wrapped__ if mode else compiled
    model = build(
        case["datatype"], tuple(case["shape"]), given["datatype"], tuple(given["shape"]),
        mode, None if mode else arrays.axes(case),
    )  # fmt: skip
    result = model(inputs)[0]
    if result.dtype.kind in "US":
        return datatypes.pack("BYTES", [str(text).encode() for text in result.ravel()])
    return np.ascontiguousarray(result).tobytes()
