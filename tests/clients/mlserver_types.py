"""MLServer's types and codecs, sent with requests: what a program that talks to
MLServer sends and reads.

Usage: mlserver_types.py ADDRESS
"""

import datetime
import sys

import numpy as np
import pandas as pd
import requests
from mlserver.codecs import (Base64Codec, DatetimeCodec, NumpyCodec,
                             NumpyRequestCodec, PandasCodec, StringCodec)
from mlserver.types import (InferenceErrorResponse, InferenceRequest,
                            InferenceResponse, MetadataModelResponse,
                            MetadataServerResponse, Parameters,
                            RepositoryIndexRequest, RepositoryIndexResponse,
                            RequestInput, RequestOutput)
from mlserver.utils import generate_uuid

from check import equal, finish, ok, reverse_sequence, same

url = f"http://{sys.argv[1]}/v2"
ONNX = "onnx.ReverseSequence"
OPENVINO = "openvino.ReverseSequence"
LENS = np.array([3, 0, 2], np.int64)
KINDS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
         "uint32", "uint64", "float16", "float32", "float64")


def post(model, request):
    """The reply to what MLServer's own types write: with null for each field
    that is not set."""
    return requests.post(f"{url}/models/{model}/infer", timeout=30,
                         headers={"Content-Type": "application/json"},
                         data=request.model_dump_json())


def ask(model, request):
    reply = post(model, request)
    equal(f"status of {reply.text[:300]}", 200, reply.status_code)
    return InferenceResponse.model_validate_json(reply.content)


def refused(what, model, request, text):
    reply = post(model, request)
    error = InferenceErrorResponse.model_validate_json(reply.content).error
    equal(what, 400, reply.status_code)
    ok(what, text in error, error)


def every_type():
    for kind in KINDS:
        x = np.arange(12).astype(kind).reshape(4, 3)
        # The codec writes a list of lengths as a column.
        lens = NumpyCodec.encode_input("sequence_lens", LENS)
        equal("the codec's shape", ([3, 1], "np"),
              (lens.shape, lens.parameters.content_type))
        answer = ask(ONNX, InferenceRequest(
            inputs=[NumpyCodec.encode_input("input", x), lens]))
        equal(f"{kind}: named", ("Y", None),
              (answer.outputs[0].name, answer.outputs[0].parameters))
        same(kind, reverse_sequence(x, LENS),
             NumpyCodec.decode_output(answer.outputs[0]))


def every_control():
    """Columns of lengths, axes and a mask in the other operators."""
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    for kind in ("int8", "int32", "int64", "uint64", "float32"):
        lens = np.array([2, 3]).astype(kind)
        answer = ask(OPENVINO, InferenceRequest(inputs=[
            NumpyCodec.encode_input("data", x),
            NumpyCodec.encode_input("seq_lengths", lens)]))
        same(f"lengths in {kind}", reverse_sequence(x, [2, 3], 1, 0),
             NumpyCodec.decode_output(answer.outputs[0]))
    for mode, axis, want in (("index", np.array([0, 1]), x[::-1, ::-1]),
                             ("index", np.array([-1]), x[:, ::-1]),
                             ("mask", np.array([True, False]), x[::-1])):
        answer = ask("openvino.Reverse", InferenceRequest(
            parameters=Parameters(mode=mode), inputs=[
                NumpyCodec.encode_input("data", x),
                NumpyCodec.encode_input("axis", axis)]))
        same(f"{mode} {axis}", want,
             NumpyCodec.decode_output(answer.outputs[0]))
    answer = ask(OPENVINO, InferenceRequest(inputs=[
        NumpyCodec.encode_input("data", x),
        RequestInput(name="seq_lengths", shape=[2, 1], datatype="INT64",
                     data=[2, 3])]))
    same("a column without the codec's word", reverse_sequence(x, [2, 3], 1, 0),
         NumpyCodec.decode_output(answer.outputs[0]))
    refused("a row", OPENVINO, InferenceRequest(inputs=[
        NumpyCodec.encode_input("data", x),
        RequestInput(name="seq_lengths", shape=[1, 2], datatype="INT64",
                     data=[2, 3])]), "seq_lengths has rank 2")


def backward():
    """The codecs in a forward and a backward pass."""
    x = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    answer = ask("graiphic.ReverseSequence", InferenceRequest(
        parameters=Parameters(lda_coeff=0.5), inputs=[
            NumpyCodec.encode_input("input", x),
            NumpyCodec.encode_input("sequence_lens", np.array([3, 2]))]))
    y = NumpyCodec.decode_output(answer.outputs[0])
    same("forward", reverse_sequence(x, [3, 2]), y)
    context = answer.parameters.backward_context
    answer = ask("graiphic.ReverseSequenceGrad", InferenceRequest(
        parameters=Parameters(backward_context=context, lda_coeff=0.5),
        inputs=[NumpyCodec.encode_input("dY", y)]))
    same("backward by context", x * np.float32(0.5),
         NumpyCodec.decode_output(answer.outputs[0]))
    answer = ask("graiphic.ReverseSequenceGrad", InferenceRequest(
        inputs=[NumpyCodec.encode_input("dY", y),
                NumpyCodec.encode_input("sequence_lens", np.array([3, 2]))]))
    same("backward by a column of lengths", x,
         NumpyCodec.decode_output(answer.outputs[0]))


def turned(codec, values):
    """`values` as a column of BYTES, of which three are reversed."""
    column = codec.encode_input("input", values)
    column.shape = [len(values), 1]
    answer = ask(ONNX, InferenceRequest(inputs=[
        column, NumpyCodec.encode_input("sequence_lens", np.array([3]))]))
    output = answer.outputs[0]
    equal("a column of text", ("BYTES", [len(values), 1]),
          (output.datatype, output.shape))
    return codec.decode_output(output)


def every_codec():
    words = ["", "über", "\"'\\", "日本"]
    equal("StringCodec", ["\"'\\", "über", "", "日本"],
          turned(StringCodec, words))
    raw = [b"\0\xff", b"", b"abc", b"last"]
    equal("Base64Codec", [b"abc", b"", b"\0\xff", b"last"],
          turned(Base64Codec, raw))
    days = [datetime.datetime(2026, 1, day) for day in (1, 2, 3, 4)]
    equal("DatetimeCodec", [days[2], days[1], days[0], days[3]],
          turned(DatetimeCodec, days))


def request_codecs():
    x = np.arange(8, dtype=np.float64).reshape(4, 2)
    request = NumpyRequestCodec.encode_request(x)
    request.inputs[0].name = "input"
    request.inputs.append(NumpyCodec.encode_input(
        "sequence_lens", np.array([4, 1])))
    answer = ask(ONNX, request)
    same("NumpyRequestCodec", reverse_sequence(x, [4, 1]),
         NumpyRequestCodec.decode_response(answer))
    # A frame's columns are inputs; the request says "pd".
    frame = pd.DataFrame({"data": [7, 8, 9], "seq_lengths": [1, 1, 1]})
    request = PandasCodec.encode_request(frame)
    request.inputs[1].parameters = Parameters(content_type="np")
    answer = ask(OPENVINO, request)
    equal("PandasCodec", [7, 8, 9],
          PandasCodec.decode_response(answer)["output"].tolist())


def options():
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    uuid = generate_uuid()
    inputs = [NumpyCodec.encode_input("input", x),
              NumpyCodec.encode_input("sequence_lens", np.array([1, 3, 2])[:2])]
    inputs[0].parameters = Parameters(content_type="np", headers={"a": "b"},
                                      tags=["x", 1], custom=None)
    request = InferenceRequest(
        id=uuid, inputs=inputs,
        outputs=[RequestOutput(name="Y",
                               parameters=Parameters(content_type="np"))],
        parameters=Parameters(content_type="np", headers={"x-y": "z"},
                              seed=7, nested={"data": [1]}))
    answer = ask(ONNX, request)
    equal("id", (uuid, ONNX, "10"),
          (answer.id, answer.model_name, answer.model_version))
    same("with parameters", reverse_sequence(x, [1, 3]),
         NumpyCodec.decode_output(answer.outputs[0]))
    request.parameters = Parameters(time_axis=1, batch_axis=0)
    request.inputs[1] = NumpyCodec.encode_input("sequence_lens",
                                                np.array([2, 1, 2]))
    same("with attributes", reverse_sequence(x, [2, 1, 2], 1, 0),
         NumpyCodec.decode_output(ask(ONNX, request).outputs[0]))
    request.parameters = Parameters(time_axes=1)
    refused("a mistyped attribute", ONNX, request, "time_axes")
    request.parameters = None
    request.inputs[1] = NumpyCodec.encode_input("sequence_lens",
                                                np.array([9, 9]))
    refused("a length", ONNX, request, "sequence_lens[0] is 9")


def metadata():
    server = MetadataServerResponse.model_validate_json(
        requests.get(url, timeout=30).content)
    equal("server", "flipd", server.name)
    model = MetadataModelResponse.model_validate_json(
        requests.get(f"{url}/models/flip", timeout=30).content)
    equal("model", ("flip", ["1"], [-1, -1, 8]),
          (model.name, model.versions, model.inputs[0].shape))
    body = RepositoryIndexRequest(ready=True).model_dump_json()
    index = RepositoryIndexResponse.model_validate_json(requests.post(
        f"{url}/repository/index", data=body, timeout=30).content)
    ok("index", ("flip", "1", "READY") in [
        (i.name, i.version, str(i.state)) for i in index.root])
    none = requests.get(f"{url}/models/none", timeout=30)
    error = InferenceErrorResponse.model_validate_json(none.content).error
    ok("no model", error.startswith("Request for unknown model: 'none' "),
       error)


every_type()
every_control()
backward()
every_codec()
request_codecs()
options()
metadata()
finish()
