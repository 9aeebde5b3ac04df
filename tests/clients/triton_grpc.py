"""What tritonclient has for gRPC alone: calls with a callback, deadlines of the
client's own, and ModelStreamInfer: one reply for each request, in order, also
where one is refused."""

import asyncio
import queue

import numpy as np
from ml_dtypes import bfloat16
from tritonclient.utils import np_to_triton_dtype

from check import equal, ok, refused, reverse_sequence, same, settle
from triton_infer import FEW, LENS, MODEL, X, Y, inputs, tensors

COUNT = 200
WRONG = 7  # each request of this number's multiples is refused


async def every_call(client, wire, aio):
    await every_type(client, wire)
    wide = inputs(wire, np.zeros((4, 1 << 22), np.float32),
                  np.zeros(1 << 22, np.int64))
    await refused("the client's own timeout", lambda: client.infer(
        MODEL, wide, client_timeout=1e-3), "Deadline Exceeded")
    if aio:
        await in_order_aio(client, wire)
    else:
        many_at_once(client, wire)
        in_order(client, wire)


async def ask(client, given):
    return await settle(client.infer(MODEL, given))


async def every_type(client, wire):
    for x in tensors():
        result = await ask(client, inputs(wire, x, FEW))
        got = result.as_numpy("Y")
        # The client widens BF16, which NumPy lacks, to FP32.
        if x.dtype == bfloat16:
            got = np.asarray(got).astype(bfloat16)
        same(f"{x.dtype}", reverse_sequence(x, FEW), got)
        equal(f"{x.dtype}: its name", np_to_triton_dtype(x.dtype),
              result.get_output("Y").datatype)
    hard = np.array([[np.nan, np.inf], [-np.inf, -0.0]], np.float32)
    result = await ask(client, inputs(wire, hard, FEW[:2] * 0 + 2))
    same("NaN and infinities", hard[::-1], result.as_numpy("Y"))
    for shape in ((0, 3), (4, 0), (0, 0, 2)):
        x = np.zeros(shape, np.float32)
        lens = np.zeros(shape[1], np.int64)
        result = await ask(client, inputs(wire, x, lens))
        same(f"no elements: {shape}", x, result.as_numpy("Y"))


def many_at_once(client, wire):
    """Calls with a callback, on one connection; and one that is cancelled."""
    done = queue.Queue()
    for i in range(64):
        client.async_infer(
            MODEL, inputs(wire, X + i), request_id=str(i),
            callback=lambda result, error, i=i: done.put((i, result, error)),
            compression_algorithm=(None, "gzip")[i % 2])
    for _ in range(64):
        i, result, error = done.get(timeout=30)
        equal("no error", None, error)
        equal("async id", str(i), result.get_response().id)
        same("async", Y + i, result.as_numpy("Y"))
    wide = np.zeros((4, 1 << 20), np.float32)
    call = client.async_infer(
        MODEL, inputs(wire, wide, np.zeros(1 << 20, np.int64)),
        callback=lambda result, error: done.put((0, result, error)))
    call.cancel()
    _, _, error = done.get(timeout=30)
    ok("a cancelled call tells so, unless it was done before",
       error is None or "CANCELLED" in str(error), error)


def question(wire, i):
    lens = LENS + 7 if i % WRONG == 0 else LENS
    return inputs(wire, X + i, lens)


def answer(i, got_id, result, error):
    if i % WRONG == 0:
        ok(f"request {i} is refused", error is not None, result)
        ok("with HTTP's words", "sequence_lens[0] is 10, but" in str(error),
           error)
        return
    equal(f"no error of {i}", None, error)
    equal("in order", str(i), got_id)
    same(f"reply {i}", Y + i, result.as_numpy("Y"))


def in_order(client, wire):
    done = queue.Queue()
    for coding in (None, "gzip"):
        client.start_stream(
            callback=lambda result, error: done.put((result, error)),
            compression_algorithm=coding, stream_timeout=60)
        for i in range(COUNT):
            client.async_stream_infer(MODEL, question(wire, i), request_id=str(i))
        for i in range(COUNT):
            result, error = done.get(timeout=30)
            answer(i, result and result.get_response().id, result, error)
        client.stop_stream()
        ok("nothing behind them", done.empty())
    final(client, wire, done)
    cancelled(client, wire, done)


def final(client, wire, done):
    """A reply for each request is the last one, for who asks for that."""
    client.start_stream(
        callback=lambda result, error: done.put((result, error)))
    client.async_stream_infer(MODEL, inputs(wire), request_id="f",
                              enable_empty_final_response=True)
    result, error = done.get(timeout=30)
    equal("no error", None, error)
    client.stop_stream()
    mark = result.get_response().parameters["triton_final_response"]
    equal("the final one", True, mark.bool_param)


def cancelled(client, wire, done):
    client.start_stream(
        callback=lambda result, error: done.put((result, error)))
    for i in range(20):
        client.async_stream_infer(MODEL, inputs(wire, X + i), request_id=str(i))
    client.stop_stream(cancel_requests=True)
    ok("a new stream after a cancelled one", client.is_server_live())
    while not done.empty():
        done.get()
    client.start_stream(
        callback=lambda result, error: done.put((result, error)))
    client.async_stream_infer(MODEL, inputs(wire), request_id="new")
    result, error = done.get(timeout=30)
    same("a request after it", Y, result.as_numpy("Y"))
    client.stop_stream()


async def in_order_aio(client, wire):
    async def requests():
        for i in range(COUNT):
            yield {"model_name": MODEL, "inputs": question(wire, i),
                   "request_id": str(i)}

    number = 0
    async for result, error in client.stream_infer(requests(),
                                                   stream_timeout=60):
        answer(number, result and result.get_response().id, result, error)
        number += 1
    equal("replies", COUNT, number)
    iterator = client.stream_infer(requests())
    await anext(iterator)
    ok("cancelled", iterator.cancel())
    results = await asyncio.gather(*(
        client.infer(MODEL, inputs(wire, X + i), request_id=str(i))
        for i in range(64)))
    for i, result in enumerate(results):
        same("at once", Y + np.float32(i), result.as_numpy("Y"))
