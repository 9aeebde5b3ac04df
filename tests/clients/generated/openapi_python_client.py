"""One inference with what openapi-python-client has generated, its synchronous
and its asyncio form, a model that is not there, and a refusal.

Usage: openapi_python_client.py ADDRESS
"""

import asyncio
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(__file__), ".."))

from flipd_client import Client
from flipd_client.api.inference import infer
from flipd_client.api.models import metadata
from flipd_client.api.server import live
from flipd_client.models import Datatype, Input, OnnxReverseSequence

from check import equal, finish, ok

MODEL = "onnx.ReverseSequence"


def question(lens):
    return OnnxReverseSequence(inputs=[
        Input("input", Datatype.FP32, [3, 2], data=[1, 2, 3, 4, 5, 6]),
        Input("sequence_lens", Datatype.INT64, [2], data=lens)])


client = Client(f"http://{sys.argv[1]}")
equal("live", True, live.sync(client=client).live)
equal("versions", ["10"], metadata.sync(MODEL, client=client).versions)
answer = infer.sync(MODEL, client=client, body=question([3, 2]))
equal("answer", ("Y", [3, 2], [5, 4, 3, 2, 1, 6]), (
    answer.outputs[0].name, answer.outputs[0].shape, answer.outputs[0].data))
answer = asyncio.run(infer.asyncio(MODEL, client=client,
                                   body=question([1, 3])))
equal("in asyncio", [1, 6, 3, 4, 5, 2], answer.outputs[0].data)
refused = infer.sync_detailed(MODEL, client=client, body=question([4, 0]))
equal("refused", 400, refused.status_code)
ok("refused", "sequence_lens[0] is 4" in refused.parsed.error, refused)
none = infer.sync_detailed("none", client=client, body=question([1, 1]))
equal("no model", 404, none.status_code)
ok("no model", none.parsed.error.startswith("Request for unknown model"), none)
finish()
