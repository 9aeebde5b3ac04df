"""What tritonclient has for HTTP alone: each form of requests and answers, and the
halves of a call."""

import numpy as np
from ml_dtypes import bfloat16

from check import equal, reverse_sequence, same, settle
from triton_infer import FEW, MODEL, X, Y, inputs, tensors


async def every_call(client, wire, aio):
    await every_type(client, wire)
    response = (await settle(client.infer(MODEL, inputs(wire)))).get_response()
    equal("keys of a reply", set(), set(response) - {
        "model_name", "model_version", "parameters", "outputs"})
    if not aio:
        await by_hand(client, wire)
        many_at_once(client, wire)


async def every_type(client, wire):
    for x in tensors():
        await every_form(client, wire, x)
    for x in (np.array([[np.nan, np.inf], [-np.inf, -0.0]], np.float32),
              np.array([[b"\xff\xfe", b"\0\x80"]], np.object_)):
        await one_form(client, wire, x, FEW[:2] * 0 + x.shape[0], True, True)
    for shape in ((0, 3), (4, 0), (0, 0, 2)):
        x = np.zeros(shape, np.float32)
        lens = np.zeros(shape[1], np.int64)
        for binary in (True, False):
            await one_form(client, wire, x, lens, binary, binary)


async def every_form(client, wire, x):
    # The client refuses to write BF16 as JSON.
    ways_in = (True,) if x.dtype == bfloat16 else (True, False)
    ways_out = (True, None) if x.dtype == bfloat16 else (True, False, None)
    for binary_in in ways_in:
        for binary_out in ways_out:
            await one_form(client, wire, x, FEW, binary_in, binary_out)


async def one_form(client, wire, x, lens, binary_in, binary_out):
    what = f"{x.dtype} {x.shape}, binary {binary_in}, {binary_out}"
    outputs = None
    if binary_out is not None:
        outputs = [wire.output("Y", binary_data=binary_out)]
    result = await settle(client.infer(
        MODEL,
        [wire.tensor("input", x, binary_data=binary_in),
         wire.tensor("sequence_lens", lens, binary_data=not binary_in)],
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


async def by_hand(client, wire):
    """The two halves of infer(), for callers with their own connection."""
    body, size = client.generate_request_body(inputs(wire))
    response = client._post(f"v2/models/{MODEL}/infer", body,
                            {"Inference-Header-Content-Length": size}, None)
    length = response.get("Inference-Header-Content-Length")
    equal("type", "application/octet-stream", response.get("Content-Type"))
    result = client.parse_response_body(response.read(),
                                        header_length=int(length))
    same("by hand", Y, result.as_numpy("Y"))


def many_at_once(client, wire):
    waiting = []
    for i in range(64):
        waiting.append((i, client.async_infer(
            MODEL, inputs(wire, X + i, binary_data=i % 2 == 0),
            request_id=str(i), request_compression_algorithm=(
                None, "gzip", "deflate")[i % 3])))
    for i, request in waiting:
        result = request.get_result(timeout=30)
        equal("async id", str(i), result.get_response()["id"])
        same("async", Y + i, result.as_numpy("Y"))
