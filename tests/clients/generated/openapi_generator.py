"""One inference with what openapi-generator has generated for Python, and a
refusal.

Usage: openapi_generator.py ADDRESS
"""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(__file__), ".."))

import openapi_client as flipd

from check import equal, finish, ok

MODEL = "onnx.ReverseSequence"


def question(lens):
    return flipd.InferenceRequest(flipd.OnnxReverseSequence(inputs=[
        flipd.Input(name="input", datatype=flipd.Datatype.FP32, shape=[3, 2],
                    data=[1, 2, 3, 4, 5, 6]),
        flipd.Input(name="sequence_lens", datatype=flipd.Datatype.INT64,
                    shape=[2], data=lens)]))


with flipd.ApiClient(flipd.Configuration(f"http://{sys.argv[1]}")) as client:
    api = flipd.InferenceApi(client)
    equal("live", True, flipd.ServerApi(client).live().live)
    equal("versions", ["10"],
          flipd.ModelsApi(client).metadata(MODEL).versions)
    output = api.infer(MODEL, question([3, 2])).outputs[0]
    equal("answer", ("Y", [3, 2], [5, 4, 3, 2, 1, 6]),
          (output.name, output.shape, output.data))
    for model, lens, status, text in (
            (MODEL, [4, 0], 400, "sequence_lens[0] is 4"),
            ("none", [1, 1], 404, "Request for unknown model: 'none' ")):
        try:
            ok("not refused", False, api.infer(model, question(lens)))
        except flipd.ApiException as error:
            equal(model, status, error.status)
            ok(model, text in error.body, error.body)
finish()
