"""What the tests of KServe's two clients share."""

import numpy as np

MODEL = "onnx.ReverseSequence"
LENS = np.array([3, 0, 2], np.int64)
TYPES = {"BOOL": np.bool_, "INT8": np.int8, "INT16": np.int16,
         "INT32": np.int32, "INT64": np.int64, "UINT8": np.uint8,
         "UINT16": np.uint16, "UINT32": np.uint32, "UINT64": np.uint64,
         "FP16": np.float16, "FP32": np.float32, "FP64": np.float64}
