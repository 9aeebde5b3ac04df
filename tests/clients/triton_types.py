"""Every datatype of tritonclient, in every form of requests and answers."""

import numpy as np
from ml_dtypes import bfloat16
from tritonclient.http import InferInput, InferRequestedOutput
from tritonclient.utils import np_to_triton_dtype

from check import equal, reverse_sequence, same, settle

LENS = np.array([3, 0, 2], np.int64)
WHOLE = (np.int8, np.int16, np.int32, np.int64,
         np.uint8, np.uint16, np.uint32, np.uint64)
REAL = (np.float16, np.float32, np.float64)


def tensors():
    """One array of each type, time first, with difficult values: the ends of
    its range, NaN and infinities, text beyond ASCII."""
    yield np.arange(12).reshape(4, 3) % 5 > 1
    for kind in WHOLE:
        ends = np.iinfo(kind)
        yield np.array([ends.min, ends.max, *range(10)], kind).reshape(4, 3)
    for kind in REAL:
        ends = np.finfo(kind)
        hard = [ends.max, -ends.max, ends.tiny, -0.0, 0.1]
        yield np.array([*hard, *range(7)], kind).reshape(4, 3)
    yield np.arange(12).astype(bfloat16).reshape(4, 3)
    words = ["", "a", "über", "日本", "\"\\/", "\n\t", "e\u0301", "\U0001f600",
             "x" * 300, "\0", "0", " "]
    yield np.array([w.encode() for w in words], np.object_).reshape(4, 3)


def data_input(name, x, binary):
    one = InferInput(name, list(x.shape), np_to_triton_dtype(x.dtype))
    return one.set_data_from_numpy(x, binary_data=binary)


async def every_type(client):
    for x in tensors():
        await every_form(client, x)
    for x in (np.array([[np.nan, np.inf], [-np.inf, -0.0]], np.float32),
              np.array([[b"\xff\xfe", b"\0\x80"]], np.object_)):
        await one_form(client, x, LENS[:2] * 0 + x.shape[0], True, True)
    for shape in ((0, 3), (4, 0), (0, 0, 2)):
        x = np.zeros(shape, np.float32)
        lens = np.zeros(shape[1], np.int64)
        for binary in (True, False):
            await one_form(client, x, lens, binary, binary)


async def every_form(client, x):
    # The client refuses to write BF16 as JSON.
    ways_in = (True,) if x.dtype == bfloat16 else (True, False)
    ways_out = (True, None) if x.dtype == bfloat16 else (True, False, None)
    for binary_in in ways_in:
        for binary_out in ways_out:
            await one_form(client, x, LENS, binary_in, binary_out)


async def one_form(client, x, lens, binary_in, binary_out):
    what = f"{x.dtype} {x.shape}, binary {binary_in}, {binary_out}"
    outputs = None
    if binary_out is not None:
        outputs = [InferRequestedOutput("Y", binary_data=binary_out)]
    result = await settle(client.infer(
        "onnx.ReverseSequence",
        [data_input("input", x, binary_in),
         data_input("sequence_lens", lens, not binary_in)],
        outputs=outputs))
    y = result.as_numpy("Y")
    if binary_out is False and x.dtype == np.object_:
        # The client leaves text from JSON as text.
        y = np.vectorize(str.encode, otypes=[np.object_])(y)
    same(what, reverse_sequence(x, lens), y)
    form = result.get_output("Y")
    size = form.get("parameters", {}).get("binary_data_size")
    equal(f"{what}: bytes", binary_out is False, size is None)
    equal(f"{what}: data", binary_out is False, "data" in form)
