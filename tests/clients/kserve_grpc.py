"""KServe's InferenceGRPCClient. Usage: kserve_grpc.py ADDRESS [CA]"""

import sys

import grpc
import numpy as np
from kserve import InferenceGRPCClient, InferRequest

from check import equal, ok, refused, reverse_sequence, run, same
from kserve_types import LENS, MODEL, arrays, tensor


def question(datatype, x, raw=True, **more):
    return InferRequest(MODEL, [tensor("input", datatype, x, raw),
                                tensor("sequence_lens", "INT64", LENS, raw)],
                        **more)


async def health(client):
    equal("live", True, await client.is_server_live())
    equal("ready", True, await client.is_server_ready())
    equal("a model", True, await client.is_model_ready(MODEL))
    equal("no model", False, await client.is_model_ready("flop"))


async def both_forms(client, datatype, x):
    """raw_input_contents, and the typed contents that half precision lacks."""
    for raw in (True, False):
        if datatype == "FP16" and not raw:
            continue
        response = await client.infer(question(datatype, x, raw))
        same(f"{datatype}, raw {raw}", reverse_sequence(x, LENS),
             response.outputs[0].as_numpy())


async def the_rest(client):
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    response = await client.infer(
        question("FP32", x, request_id="r 1", parameters={
            "time_axis": 0, "batch_axis": "1"}),
        timeout=20, headers=[("x-request-id", "q")])
    equal("id", "r 1", response.id)
    equal("model", (MODEL, "10"), (response.model_name,
                                   response.model_version))
    response = await client.infer(question("FP32", x, parameters={
        "test-str": "dummy", "test-bool": True, "test-int": 100}))
    same("keys of one's own", reverse_sequence(x, LENS),
         response.outputs[0].as_numpy())
    large = np.arange(1 << 22, dtype=np.float32).reshape(4, 1 << 20)
    request = InferRequest(MODEL, [
        tensor("input", "FP32", large),
        tensor("sequence_lens", "INT64", np.full(1 << 20, 2))])
    got = (await client.infer(request)).outputs[0].as_numpy()
    same("16 MiB", np.concatenate([large[1::-1], large[2:]]), got)


async def wrong(client):
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    request = question("FP32", x)
    request.model_name = "flop"
    await refused("a model", lambda: client.infer(request), "NOT_FOUND",
                  "Request for unknown model: 'flop' ")
    await refused("a parameter", lambda: client.infer(question(
        "FP32", x, parameters={"time_axes": 1})), "INVALID_ARGUMENT",
        "time_axes")
    wide = InferRequest(MODEL, [
        tensor("input", "FP32", np.zeros((4, 1 << 22), np.float32)),
        tensor("sequence_lens", "INT64", np.zeros(1 << 22, np.int64))])
    try:
        await client.infer(wide, timeout=1e-3)
        ok("a deadline", False)
    except grpc.RpcError as error:
        equal("a deadline", grpc.StatusCode.DEADLINE_EXCEEDED, error.code())


async def main(address, ca=None):
    limit = [("grpc.max_receive_message_length", -1),
             ("grpc.max_send_message_length", -1)]
    secure = {"use_ssl": True, "root_certificates": ca} if ca else {}
    async with InferenceGRPCClient(address, channel_args=limit, retries=2,
                                   **secure) as client:
        await health(client)
        for datatype, x in arrays():
            await both_forms(client, datatype, x)
        await the_rest(client)
        await wrong(client)


run(main(*sys.argv[1:]))
