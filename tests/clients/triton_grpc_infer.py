"""Inferences of tritonclient over gRPC: types, options, sizes, many at once."""

import queue

import numpy as np
from ml_dtypes import bfloat16
from tritonclient.grpc import InferInput, InferRequestedOutput
from tritonclient.utils import np_to_triton_dtype

from check import equal, ok, refused, reverse_sequence, same, settle
from triton_types import LENS as FEW
from triton_types import tensors

X = np.arange(4 * 512, dtype=np.float32).reshape(4, 512)
LENS = np.full(512, 3, np.int64)
Y = reverse_sequence(X, LENS)
MODEL = "onnx.ReverseSequence"


def tensor(name, x):
    one = InferInput(name, list(x.shape), np_to_triton_dtype(x.dtype))
    return one.set_data_from_numpy(x)


def inputs(x=X, lens=LENS):
    return [tensor("input", x), tensor("sequence_lens", lens)]


async def ask(client, name=MODEL, **more):
    return await settle(client.infer(name, more.pop("inputs", inputs()),
                                     **more))


async def every_inference(client):
    await every_type(client)
    await named(client)
    await parameters(client)
    await compressed(client)
    await large(client)
    await wrong(client)


async def every_type(client):
    for x in tensors():
        result = await ask(client, inputs=inputs(x, FEW))
        got = result.as_numpy("Y")
        # The client widens BF16, which NumPy lacks, to FP32.
        if x.dtype == bfloat16:
            got = np.asarray(got).astype(bfloat16)
        same(f"{x.dtype}", reverse_sequence(x, FEW), got)
        equal(f"{x.dtype}: its name", np_to_triton_dtype(x.dtype),
              result.get_output("Y").datatype)
    hard = np.array([[np.nan, np.inf], [-np.inf, -0.0]], np.float32)
    result = await ask(client, inputs=inputs(hard, FEW[:2] * 0 + 2))
    same("NaN and infinities", hard[::-1], result.as_numpy("Y"))
    for shape in ((0, 3), (4, 0), (0, 0, 2)):
        x = np.zeros(shape, np.float32)
        lens = np.zeros(shape[1], np.int64)
        result = await ask(client, inputs=inputs(x, lens))
        same(f"no elements: {shape}", x, result.as_numpy("Y"))


async def named(client):
    result = await ask(client, request_id="a \"b\" ü",
                       outputs=[InferRequestedOutput("Y")])
    same("an output that is asked for", Y, result.as_numpy("Y"))
    equal("id", "a \"b\" ü", result.get_response().id)
    equal("no id", "", (await ask(client)).get_response().id)
    for version in ("", "10"):
        result = await ask(client, model_version=version,
                           headers={"x-request-id": "r"})
        equal("version", (MODEL, "10"), (result.get_response().model_name,
                                         result.get_response().model_version))
    typed = np.arange(48, dtype=np.float32).reshape(2, 3, 8)
    lens = np.array([3, 2], np.int64)
    result = await ask(client, "flip", inputs=inputs(typed, lens))
    same("a configured model", reverse_sequence(typed, lens, 1, 0),
         result.as_numpy("features"))
    equal("an output that is not there", None, result.as_numpy("Y"))


async def parameters(client):
    square, lens = X[:, :4].copy(), LENS[:4]
    for given in ({"time_axis": 1, "batch_axis": 0},
                  {"time_axis": "1", "batch_axis": "0"}):
        result = await ask(client, inputs=inputs(square, lens),
                           parameters=given)
        same(f"{given}", reverse_sequence(square, lens, 1, 0),
             result.as_numpy("Y"))
    for what, more in (
            ("a sequence, a priority, a timeout",
             {"sequence_id": 7, "sequence_start": True, "sequence_end": True,
              "priority": 1, "timeout": 60_000_000}),
            ("a sequence's name", {"sequence_id": "word"}),
            ("no timeout", {"timeout": 0}),
            ("keys of one's own", {"parameters": {
                "content_type": "np", "tenant": "a", "debug": True, "seed": 7,
                "rate": 0.5}})):
        result = await ask(client, **more)
        same(what, Y, result.as_numpy("Y"))
    wide = np.zeros((4, 1 << 22), np.float32)
    await refused("a timeout", lambda: ask(client, timeout=1, inputs=inputs(
        wide, np.zeros(1 << 22, np.int64))), "timeout",
        "StatusCode.DEADLINE_EXCEEDED")


async def compressed(client):
    for coding in ("gzip", None):
        result = await ask(client, compression_algorithm=coding)
        same(f"a request in {coding}", Y, result.as_numpy("Y"))
    await refused("an error of a coded request", lambda: ask(
        client, inputs=inputs(lens=LENS + 7), compression_algorithm="gzip"),
        "sequence_lens[0] is 10", "StatusCode.INVALID_ARGUMENT")


async def large(client):
    """Messages over gRPC's usual bound of 4 MiB, without a setting."""
    for rows in (1 << 10, 1 << 14):
        x = np.arange(rows * 1024, dtype=np.float32).reshape(4, rows * 256)
        lens = np.full(rows * 256, 3, np.int64)
        result = await ask(client, inputs=inputs(x, lens))
        want = np.concatenate([x[2::-1], x[3:]])
        same(f"{x.nbytes >> 20} MiB", want, result.as_numpy("Y"))


async def wrong(client):
    async def refuse(what, *texts, **more):
        await refused(what, lambda: ask(client, **more), *texts)

    invalid, missing = "StatusCode.INVALID_ARGUMENT", "StatusCode.NOT_FOUND"
    await refuse("a mistyped parameter", invalid, "'time_axes' is unknown",
                 parameters={"time_axes": 1})
    await refuse("another operator's", invalid, "'seq_axis' is unknown",
                 parameters={"seq_axis": 1})
    await refuse("an output", invalid, "Z", outputs=[InferRequestedOutput("Z")])
    await refuse("classes", invalid, "classification",
                 outputs=[InferRequestedOutput("Y", class_count=3)])
    await refuse("no model", missing,
                 "Request for unknown model: 'flop' ", name="flop")
    await refuse("no version", missing, "Request for unknown model: "
                 "'onnx.ReverseSequence' version '11' ", model_version="11")
    await refuse("one input", invalid, "sequence_lens", inputs=inputs()[:1])
    await refuse("a datatype", invalid, "FP64",
                 name="flip", inputs=inputs(X.astype(np.float64)))
    await refuse("a length", invalid, "sequence_lens[0] is 10, but",
                 inputs=inputs(lens=LENS + 7))
    wide = inputs(np.zeros((4, 1 << 22), np.float32),
                  np.zeros(1 << 22, np.int64))
    await refuse("the client's own timeout", "Deadline Exceeded",
                 inputs=wide, client_timeout=1e-3)


def many_at_once(client):
    """Calls with a callback, on one connection; and one that is cancelled."""
    done = queue.Queue()
    for i in range(64):
        client.async_infer(
            MODEL, inputs(X + i), request_id=str(i),
            callback=lambda result, error, i=i: done.put((i, result, error)),
            compression_algorithm=(None, "gzip")[i % 2])
    for _ in range(64):
        i, result, error = done.get(timeout=30)
        equal("no error", None, error)
        equal("async id", str(i), result.get_response().id)
        same("async", Y + i, result.as_numpy("Y"))
    wide = np.zeros((4, 1 << 20), np.float32)
    call = client.async_infer(
        MODEL, inputs(wide, np.zeros(1 << 20, np.int64)),
        callback=lambda result, error: done.put((0, result, error)))
    call.cancel()
    _, _, error = done.get(timeout=30)
    ok("a cancelled call tells so, unless it was done before",
       error is None or "CANCELLED" in str(error), error)
