"""PyTriton's clients: ModelClient, AsyncioModelClient and FuturesModelClient.

Usage: pytriton_client.py ADDRESS
"""

import asyncio
import sys

import numpy as np
from pytriton.client import (AsyncioModelClient, FuturesModelClient,
                             ModelClient)
from pytriton.client.exceptions import (
    PyTritonClientInferenceServerError,
    PyTritonClientModelDoesntSupportBatchingError,
    PyTritonClientModelUnavailableError, PyTritonClientTimeoutError)

from check import equal, finish, ok, reverse_sequence, same

url = f"http://{sys.argv[1]}"
ONNX = "onnx.ReverseSequence"
LENS = np.array([3, 0, 2], np.int64)
X = np.arange(12, dtype=np.float32).reshape(4, 3)
Y = reverse_sequence(X, LENS)
KINDS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
         "uint32", "uint64", "float16", "float32", "float64")


def raised(what, kinds, error, *texts):
    ok(what, isinstance(error, kinds), f"{type(error)}: {error}")
    for text in texts:
        ok(what, text in str(error), f"no <{text}> in <{error}>")


def error_of(call, *args, **more):
    try:
        return f"not refused but {call(*args, **more)!r}"
    except Exception as error:  # the caller looks at its class
        return error


async def error_in(waited):
    try:
        return f"not refused but {await waited!r}"
    except Exception as error:  # the caller looks at its class
        return error


def typed():
    for kind in KINDS:
        yield kind, np.arange(12).astype(kind).reshape(4, 3)
    yield "bytes", np.array([b"", b"a", "ü".encode(), b"\0\xff"] * 3,
                            np.object_).reshape(4, 3)


def look(config):
    equal("config", (ONNX, False, False),
          (config.model_name, config.batching, config.decoupled))
    equal("inputs and outputs",
          (["input", "sequence_lens"], [np.float32, np.int64], ["Y"]),
          ([i.name for i in config.inputs],
           [i.dtype for i in config.inputs],
           [o.name for o in config.outputs]))


def plain():
    with ModelClient(url, ONNX, init_timeout_s=10) as client:
        look(client.model_config)
        for kind, x in typed():
            got = client.infer_sample(x, LENS)
            equal("outputs", ["Y"], list(got))
            same(kind, reverse_sequence(x, LENS), got["Y"])
        same("by name", Y, client.infer_sample(
            sequence_lens=LENS, input=X)["Y"])
        same("attributes and keys of one's own",
             reverse_sequence(X, [3, 2, 1, 0], 1, 0),
             client.infer_sample(
                 X, np.array([3, 2, 1, 0]), headers={"X-Tenant": "t"},
                 parameters={"time_axis": 1, "batch_axis": "0",
                             "tenant": "t", "debug": True})["Y"])
        raised("a batch", PyTritonClientModelDoesntSupportBatchingError,
               error_of(client.infer_batch, X, LENS))
        raised("a length", PyTritonClientInferenceServerError,
               error_of(client.infer_sample, X, LENS + 3),
               "sequence_lens[0] is 6")
        raised("a mistyped attribute", PyTritonClientInferenceServerError,
               error_of(client.infer_sample, X, LENS,
                        parameters={"time_axes": 1}), "time_axes")
    with ModelClient(url, ONNX, "10") as client:
        same("a version", Y, client.infer_sample(X, LENS)["Y"])
        # A second client takes over what the first has learnt.
        with ModelClient.from_existing_client(client) as other:
            same("from another", Y, other.infer_sample(X, LENS)["Y"])
    with ModelClient(url, "flip", lazy_init=False) as client:
        x = np.arange(48, dtype=np.float32).reshape(2, 3, 8)
        got = client.infer_sample(x, np.array([3, 2]))
        same("a configured model", reverse_sequence(x, [3, 2], 1, 0),
             got["features"])


def absent():
    for model, version in (("none", None), (ONNX, "11")):
        client = ModelClient(url, model, version, init_timeout_s=1)
        raised(f"{model} {version}", (PyTritonClientModelUnavailableError,
                                      PyTritonClientTimeoutError),
               error_of(client.infer_sample, X, LENS), model)
        client.close()


async def in_asyncio():
    async with AsyncioModelClient(url, ONNX, init_timeout_s=10) as client:
        look(await client.model_config)
        many = [client.infer_sample(x, LENS) for _, x in typed()]
        for (kind, x), got in zip(typed(), await asyncio.gather(*many)):
            same(f"asyncio: {kind}", reverse_sequence(x, LENS), got["Y"])
        got = await client.infer_sample(
            input=X, sequence_lens=np.array([3, 2, 1, 0]),
            parameters={"time_axis": 1, "batch_axis": 0, "a": "b"},
            headers={"X-Tenant": "t"})
        same("asyncio: parameters", reverse_sequence(X, [3, 2, 1, 0], 1, 0),
             got["Y"])
        raised("asyncio: a batch",
               PyTritonClientModelDoesntSupportBatchingError,
               await error_in(client.infer_batch(X, LENS)))
        raised("asyncio: a length", PyTritonClientInferenceServerError,
               await error_in(client.infer_sample(X, LENS + 3)),
               "sequence_lens[0] is 6")
    client = AsyncioModelClient(url, "none", init_timeout_s=1)
    raised("asyncio: no model", (PyTritonClientModelUnavailableError,
                                 PyTritonClientTimeoutError),
           await error_in(client.infer_sample(X, LENS)), "none")
    await client.close()


def in_futures():
    with FuturesModelClient(url, ONNX, max_workers=8) as client:
        look(client.model_config().result(30))
        many = [client.infer_sample(X + i, LENS) for i in range(64)]
        for i, one in enumerate(many):
            same(f"future {i}", reverse_sequence(X + i, LENS),
                 one.result(30)["Y"])
        raised("a future's error", PyTritonClientInferenceServerError,
               client.infer_sample(X, LENS + 3).exception(30),
               "sequence_lens[0] is 6")


plain()
absent()
asyncio.run(in_asyncio())
in_futures()
finish()
