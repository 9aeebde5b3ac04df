"""The node tests that ONNX publishes for ReverseSequence, from the .pb files of
its package. Usage: onnx_nodes.py ADDRESS FOLDER"""

import argparse
import json
import pathlib
import sys
import urllib.request
from types import SimpleNamespace

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test import cmd_tools
from onnx.backend.test.case.node import collect_testcases

from check import equal, finish, ok, same

address, folder = sys.argv[1], pathlib.Path(sys.argv[2])
NAMES = {"float32": "FP32", "int64": "INT64", "bfloat16": "BF16"}


def generate():
    """The package's own tool writes the files of the named cases only; the
    full set would download models."""
    cases = SimpleNamespace(
        collect_testcases=lambda: collect_testcases("ReverseSequence"))
    cmd_tools.model_test = cases
    cmd_tools.generate_data(argparse.Namespace(output=str(folder)))


def read(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(tensor)


def infer(document, raw=b""):
    request = urllib.request.Request(
        f"http://{address}/v2/models/onnx.ReverseSequence/infer",
        document + raw, {"Inference-Header-Content-Length": len(document)})
    with urllib.request.urlopen(request) as reply:
        body = reply.read()
        size = reply.headers["Inference-Header-Content-Length"]
    end = int(size) if size else len(body)
    return json.loads(body[:end])["outputs"][0], body[end:]


def head(name, x):
    return {"name": name, "datatype": NAMES[x.dtype.name], "shape": x.shape}


def in_json(parameters, inputs):
    """The answer's JSON must read back to the same bits."""
    document = {"parameters": parameters, "inputs": [
        {**head(name, x), "data": x.ravel().tolist()} for name, x in inputs]}
    output, _ = infer(json.dumps(document).encode())
    return output, np.array(output["data"], inputs[0][1].dtype)


def in_binary(parameters, inputs):
    document = {"parameters": {**parameters, "binary_data_output": True},
                "inputs": [{**head(name, x), "parameters": {
                    "binary_data_size": x.nbytes}} for name, x in inputs]}
    output, raw = infer(json.dumps(document).encode(),
                        b"".join(x.tobytes() for _, x in inputs))
    return output, np.frombuffer(raw, inputs[0][1].dtype)


def node_test(name):
    test = folder / "node" / name
    node = onnx.load(test / "model.onnx").graph.node[0]
    equal(f"{name}: operator", "ReverseSequence", node.op_type)
    axes = {one.name: one.i for one in node.attribute}
    data = test / "test_data_set_0"
    inputs = [(given, read(data / f"input_{i}.pb"))
              for i, given in enumerate(("input", "sequence_lens"))]
    want = read(data / "output_0.pb")
    for form in (in_json, in_binary):
        output, got = form(axes, inputs)
        equal(f"{name}, {form.__name__}: head", head("Y", want),
              {"name": output["name"], "datatype": output["datatype"],
               "shape": tuple(output["shape"])})
        same(f"{name}, {form.__name__}", want, got.reshape(want.shape))


generate()
tests = sorted(path.name for path in (folder / "node").iterdir())
for one in ("test_reversesequence_batch", "test_reversesequence_time"):
    ok(f"{one} is among {tests}", one in tests)
for one in tests:
    node_test(one)
finish()
