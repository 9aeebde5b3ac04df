"""ModelStreamInfer by tritonclient: one reply for each request, in order, also
where one is refused."""

import asyncio
import queue

import numpy as np

from check import equal, ok, same
from triton_grpc_infer import LENS, MODEL, X, Y, inputs

COUNT = 200
WRONG = 7  # each request of this number's multiples is refused


def question(i):
    lens = LENS + 7 if i % WRONG == 0 else LENS
    return inputs(X + i, lens)


def answer(i, got_id, result, error):
    if i % WRONG == 0:
        ok(f"request {i} is refused", error is not None, result)
        ok("with HTTP's words", "sequence_lens[0] is 10, but" in str(error),
           error)
        return
    equal(f"no error of {i}", None, error)
    equal("in order", str(i), got_id)
    same(f"reply {i}", Y + i, result.as_numpy("Y"))


def in_order(client):
    done = queue.Queue()
    for coding in (None, "gzip"):
        client.start_stream(
            callback=lambda result, error: done.put((result, error)),
            compression_algorithm=coding, stream_timeout=60)
        for i in range(COUNT):
            client.async_stream_infer(MODEL, question(i), request_id=str(i))
        for i in range(COUNT):
            result, error = done.get(timeout=30)
            answer(i, result and result.get_response().id, result, error)
        client.stop_stream()
        ok("nothing behind them", done.empty())
    final(client, done)
    cancelled(client, done)


def final(client, done):
    """A reply for each request is the last one, for who asks for that."""
    client.start_stream(
        callback=lambda result, error: done.put((result, error)))
    client.async_stream_infer(MODEL, inputs(), request_id="f",
                              enable_empty_final_response=True)
    result, error = done.get(timeout=30)
    equal("no error", None, error)
    client.stop_stream()
    mark = result.get_response().parameters["triton_final_response"]
    equal("the final one", True, mark.bool_param)


def cancelled(client, done):
    client.start_stream(
        callback=lambda result, error: done.put((result, error)))
    for i in range(20):
        client.async_stream_infer(MODEL, inputs(X + i), request_id=str(i))
    client.stop_stream(cancel_requests=True)
    ok("a new stream after a cancelled one", client.is_server_live())
    while not done.empty():
        done.get()
    client.start_stream(
        callback=lambda result, error: done.put((result, error)))
    client.async_stream_infer(MODEL, inputs(), request_id="new")
    result, error = done.get(timeout=30)
    same("a request after it", Y, result.as_numpy("Y"))
    client.stop_stream()


async def in_order_aio(client):
    async def requests():
        for i in range(COUNT):
            yield {"model_name": MODEL, "inputs": question(i),
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
        client.infer(MODEL, inputs(X + i), request_id=str(i))
        for i in range(64)))
    for i, result in enumerate(results):
        same("at once", Y + np.float32(i), result.as_numpy("Y"))
