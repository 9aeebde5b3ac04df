"""KServe's InferenceRESTClient. Usage: kserve_sdk.py ADDRESS"""

import sys

import numpy as np
from kserve import InferenceRESTClient, InferRequest
from kserve.inference_client import RESTConfig
from kserve.protocol.infer_type import RequestedOutput

from check import equal, ok, refused, reverse_sequence, run, same
from kserve_types import LENS, MODEL, arrays, tensor


def question(datatype, x, binary_in=True, binary_out=True, **more):
    outputs = [RequestedOutput("Y", {"binary_data": binary_out})]
    return InferRequest(MODEL, [tensor("input", datatype, x, binary_in),
                                tensor("sequence_lens", "INT64", LENS, False)],
                        request_outputs=outputs, **more)


async def health(client, url):
    equal("live", True, await client.is_server_live(url))
    equal("ready", True, await client.is_server_ready(url))
    equal("a model", True, await client.is_model_ready(url, MODEL))
    equal("no model", False, await client.is_model_ready(url, "flop"))


async def every_type(client, url):
    for datatype, x in arrays():
        await every_form(client, url, datatype, x)


async def every_form(client, url, datatype, x):
    for binary_in in (True, False):
        # The SDK has no JSON form for half precision.
        if datatype == "FP16" and not binary_in:
            continue
        for binary_out in (True, False):
            what = f"{datatype}, binary {binary_in}, {binary_out}"
            if datatype == "FP16" and not binary_out:
                continue
            response = await client.infer(
                url, question(datatype, x, binary_in, binary_out),
                model_name=MODEL)
            got = response.outputs[0].as_numpy()
            # The SDK decodes binary and JSON outputs alike.
            if datatype == "BYTES":
                got = np.vectorize(str.encode, otypes=[np.object_])(got)
            same(what, reverse_sequence(x, LENS), got)


async def the_rest(client, url):
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    headers = {}
    response = await client.infer(
        url, question("FP32", x, request_id="r 1", parameters={
            "time_axis": 0, "batch_axis": "1"}), model_name=MODEL,
        headers={"X-Request-Id": "q"}, response_headers=headers, timeout=20)
    equal("id", "r 1", response.id)
    equal("the request's id", "q", headers.get("x-request-id"))
    # The SDK offers gzip, deflate and more on every call, so the answer is
    # plain.
    ok("no coding", "content-encoding" not in headers, headers)
    plain = await client.infer(url, {"model_name": MODEL, "inputs": [
        {"name": "input", "datatype": "FP32", "shape": [1, 1], "data": [2.5],
         "parameters": {}},
        {"name": "sequence_lens", "datatype": "INT64", "shape": [1],
         "data": [1], "parameters": None}]}, model_name=MODEL)
    equal("a dictionary", [2.5], plain.outputs[0].data)
    await parameters(client, url, x)
    await refused("a model", lambda: client.infer(
        url, question("FP32", x), model_name="flop"), "404",
        "Request for unknown model: 'flop' ")


async def parameters(client, url, x):
    """As the SDK's own tests set them: of the request, of inputs, of outputs."""
    own = {"test-str": "dummy", "test-bool": True, "test-int": 100,
           "content_type": "np"}
    for binary in (True, False):
        for column in (True, False):
            ask = question("FP32", x, binary, binary, parameters=own)
            for one in ask.inputs:
                one.parameters = {**(one.parameters or {}), **own}
            ask.request_outputs[0].parameters.update(own)
            if column:  # a list of lengths, as NumPy's codec writes it
                ask.inputs[1].shape = [3, 1]
            response = await client.infer(url, ask, model_name=MODEL)
            same(f"parameters, binary {binary}, column {column}",
                 reverse_sequence(x, LENS), response.outputs[0].as_numpy())
    lens = tensor("sequence_lens", "INT64", np.array([3, 2, 1, 0]), True)
    response = await client.infer(url, InferRequest(
        MODEL, [tensor("input", "FP32", x, True), lens],
        parameters={**own, "time_axis": 1, "batch_axis": 0}),
        model_name=MODEL)
    same("attributes", reverse_sequence(x, [3, 2, 1, 0], 1, 0),
         response.outputs[0].as_numpy())
    for wrong in ({"time_axes": 1}, {"seq_axis": 1}, {"triton_x": 1}):
        await refused("a parameter", lambda: client.infer(
            url, question("FP32", x, parameters={**own, **wrong}),
            model_name=MODEL), "400", *wrong)


async def main(url):
    config = RESTConfig(protocol="v2", retries=0)
    async with InferenceRESTClient(config) as client:
        await health(client, url)
        await every_type(client, url)
        await the_rest(client, url)


run(main(f"http://{sys.argv[1]}"))
