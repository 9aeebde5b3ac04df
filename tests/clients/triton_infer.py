"""The options of an inference of tritonclient."""

import numpy as np
from tritonclient.http import InferenceServerClient, InferRequestedOutput

from check import equal, ok, refused, reverse_sequence, same, settle
from triton_types import data_input

X = np.arange(4 * 512, dtype=np.float32).reshape(4, 512)
LENS = np.full(512, 3, np.int64)
Y = reverse_sequence(X, LENS)


def inputs(binary=True, x=X, lens=LENS):
    return [data_input("input", x, binary),
            data_input("sequence_lens", lens, binary)]


async def ask(client, name="onnx.ReverseSequence", **more):
    return await settle(client.infer(name, more.pop("inputs", inputs()), **more))


async def every_option(client):
    await compressed(client)
    await named(client)
    await parameters(client)
    await wrong(client)
    if isinstance(client, InferenceServerClient):
        await by_hand(client)


async def compressed(client):
    for out in (None, "gzip", "deflate"):
        for back in (None, "gzip", "deflate"):
            for binary in (True, False):
                wanted = [InferRequestedOutput("Y", binary_data=binary)]
                result = await ask(client, inputs=inputs(binary),
                                   outputs=wanted,
                                   request_compression_algorithm=out,
                                   response_compression_algorithm=back)
                same(f"{out} there, {back} back, binary {binary}", Y,
                     result.as_numpy("Y"))
    for back in ("gzip", "deflate"):
        wrong_lens = inputs(lens=LENS + 7)
        await refused(f"an error that may be {back}",
                      lambda: client.infer("onnx.ReverseSequence", wrong_lens,
                                           response_compression_algorithm=back),
                      "sequence_lens[0] is 10")


async def named(client):
    response = (await ask(client, request_id="a \"b\" ü")).get_response()
    equal("id", "a \"b\" ü", response["id"])
    response = (await ask(client)).get_response()
    ok("no id", "id" not in response)
    extra = set(response) - {"model_name", "model_version", "parameters",
                             "outputs"}
    equal("keys of a reply", set(), extra)
    for version in ("", "10"):
        result = await ask(client, model_version=version,
                           query_params={"a": ["1", 2], "ü": "&="},
                           headers={"X-Request-Id": "r", "Authorization": "-"})
        equal("version", "10", result.get_response()["model_version"])
    typed = np.arange(48, dtype=np.float32).reshape(2, 3, 8)
    lens = np.array([3, 2], np.int64)
    result = await ask(client, "flip", inputs=inputs(True, typed, lens))
    same("a configured model", reverse_sequence(typed, lens, 1, 0),
         result.as_numpy("features"))
    equal("an output that is not there", None, result.as_numpy("Y"))


async def parameters(client):
    square = X[:, :4]
    lens = LENS[:4]
    for given in ({"time_axis": 1, "batch_axis": 0},
                  {"time_axis": "1", "batch_axis": "0"}):
        result = await ask(client, inputs=inputs(True, square, lens),
                           parameters=given)
        same(f"{given}", reverse_sequence(square, lens, 1, 0),
             result.as_numpy("Y"))
    result = await ask(client, sequence_id=7, sequence_start=True,
                       sequence_end=True, priority=1, timeout=60_000_000)
    same("a sequence, a priority, a timeout", Y, result.as_numpy("Y"))
    result = await ask(client, parameters={"content_type": "np", "tenant": "a",
                                           "debug": True, "seed": 7})
    same("keys of one's own", Y, result.as_numpy("Y"))
    result = await ask(client, timeout=0)
    same("no timeout", Y, result.as_numpy("Y"))
    # To read a body of 64 MiB takes more than a microsecond.
    wide = np.zeros((4, 1 << 22), np.float32)
    await refused("a timeout", lambda: ask(client, timeout=1, inputs=inputs(
        True, wide, np.zeros(1 << 22, np.int64))), "504", "timeout")
    result = await ask(client, sequence_id="word")
    same("a sequence's name", Y, result.as_numpy("Y"))


async def wrong(client):
    async def refuse(what, *texts, **more):
        await refused(what, lambda: ask(client, **more), *texts)

    await refuse("a mistyped parameter", "400", "'time_axes' is unknown",
                 parameters={"time_axes": 1})
    await refuse("another operator's", "400", "'seq_axis' is unknown",
                 parameters={"seq_axis": 1})
    await refuse("an output", "400", "Z", outputs=[InferRequestedOutput("Z")])
    await refuse("classes", "400", "classification",
                 outputs=[InferRequestedOutput("Y", class_count=3)])
    await refuse("no model", "404",
                 "Request for unknown model: 'flop' ", name="flop")
    await refuse("no version", "404", "Request for unknown model: "
                 "'onnx.ReverseSequence' version '11' ", model_version="11")
    await refuse("one input", "400", "sequence_lens", inputs=inputs()[:1])
    await refuse("a datatype", "400", "FP64",
                 name="flip", inputs=inputs(True, X.astype(np.float64)))


async def by_hand(client):
    """The two halves of infer(), for callers with their own connection."""
    body, size = client.generate_request_body(inputs())
    response = client._post("v2/models/onnx.ReverseSequence/infer", body,
                            {"Inference-Header-Content-Length": size}, None)
    length = response.get("Inference-Header-Content-Length")
    equal("type", "application/octet-stream", response.get("Content-Type"))
    result = client.parse_response_body(response.read(),
                                        header_length=int(length))
    same("by hand", Y, result.as_numpy("Y"))


def many_at_once(client):
    waiting = []
    for i in range(64):
        waiting.append((i, client.async_infer(
            "onnx.ReverseSequence", inputs(i % 2 == 0, X + i),
            request_id=str(i), request_compression_algorithm=(
                None, "gzip", "deflate")[i % 3])))
    for i, request in waiting:
        result = request.get_result(timeout=30)
        equal("async id", str(i), result.get_response()["id"])
        same("async", Y + i, result.as_numpy("Y"))
