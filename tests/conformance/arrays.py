"""NumPy arrays of a case, for the engines that take them."""

import datatypes
import numpy as np
from engine import Foreign, Refused

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

OF_ML_DTYPES = {
    "BF16": "bfloat16", "FP8_E4M3": "float8_e4m3fn", "FP8_E5M2": "float8_e5m2",
    "FP8_E8M0": "float8_e8m0fnu", "INT4": "int4", "UINT4": "uint4", "UINT2": "uint2",
    "FP4_E2M1": "float4_e2m1fn",
}  # fmt: skip


def dtype(datatype):
    if datatype in datatypes.NUMPY:
        return np.dtype(datatypes.NUMPY[datatype])
    name = OF_ML_DTYPES.get(datatype)
    if name is None or not hasattr(ml_dtypes, name):
        raise Refused(f"NumPy has no {datatype}")
    return np.dtype(getattr(ml_dtypes, name))


def data(case):
    """The data tensor; BYTES as an array of objects."""
    shape, datatype = case["shape"], case["datatype"]
    raw = bytes.fromhex(case["data"])
    elements = datatypes.unpack(datatype, raw, int(np.prod(shape, dtype=np.int64)))
    if datatype == "BYTES":
        array = np.empty(len(elements), dtype=object)
        array[:] = [text.decode() for text in elements]
        return array.reshape(shape)
    if datatypes.BITS[datatype] < 8:
        raw = bytes(elements)
    return np.frombuffer(raw, dtype=dtype(datatype)).reshape(shape).copy()


def control(case):
    """The lengths or the axes."""
    given = case["control"]
    raw = datatypes.encode(given["datatype"], given["values"])
    return np.frombuffer(raw, dtype=dtype(given["datatype"])).reshape(given["shape"]).copy()


def binary(case, result):
    """The binary form of a result of the case's shape and datatype."""
    result = np.asarray(result)
    if list(result.shape) != case["shape"]:
        raise Refused(f"a result of shape {list(result.shape)}")
    datatype = case["datatype"]
    if datatype == "BYTES":
        texts = [t if isinstance(t, bytes) else str(t).encode() for t in result.ravel()]
        return datatypes.pack(datatype, texts)
    if result.dtype != dtype(datatype):
        raise Refused(f"a result of {result.dtype}")
    raw = np.ascontiguousarray(result).tobytes()
    if datatypes.BITS[datatype] < 8:
        mask = (1 << datatypes.BITS[datatype]) - 1
        return datatypes.pack(datatype, [byte & mask for byte in raw])
    return raw


def flips(case):
    """The axes of Reverse, for engines that have no mask: it becomes a list here."""
    given = control(case)
    if case["attributes"]["mode"] == "index":
        return given
    if case["expect"] is None:
        raise Foreign
    return np.flatnonzero(given)


def axes(case):
    """Batch axis and time axis, with the operator's defaults.

    For engines with an operator of their own, which takes what ONNX's does not:
    negative axes, and lengths of other types. Only OpenVINO's wrong arguments are
    wrong there too.
    """
    if case["expect"] is None and case["operator"].startswith("ONNX"):
        raise Foreign
    attributes = case["attributes"]
    if case["operator"].startswith("OpenVINO"):
        return attributes.get("batch_axis", 0), attributes.get("seq_axis", 1)
    return attributes.get("batch_axis", 1), attributes.get("time_axis", 0)
