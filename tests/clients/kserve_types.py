"""What the tests of KServe's two clients share."""

import numpy as np
from kserve import InferInput

MODEL = "onnx.ReverseSequence"
LENS = np.array([3, 0, 2], np.int64)
TYPES = {"BOOL": np.bool_, "INT8": np.int8, "INT16": np.int16,
         "INT32": np.int32, "INT64": np.int64, "UINT8": np.uint8,
         "UINT16": np.uint16, "UINT32": np.uint32, "UINT64": np.uint64,
         "FP16": np.float16, "FP32": np.float32, "FP64": np.float64}


def tensor(name, datatype, x, binary=True):
    one = InferInput(name, list(x.shape), datatype)
    one.set_data_from_numpy(x, binary_data=binary)
    return one


def arrays():
    """Datatype and array of each."""
    for datatype, kind in TYPES.items():
        yield datatype, np.arange(12).astype(kind).reshape(4, 3)
    words = ["", "a", "über", "日本", "\n", "\\", "\0", "7", "x" * 99, " ",
             "\"", "z"]
    yield "BYTES", np.array([w.encode() for w in words],
                            np.object_).reshape(4, 3)
