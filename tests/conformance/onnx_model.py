"""A case as an ONNX model, and its tensors; needs the package onnx."""

import datatypes
import onnx
from cases import ONNX
from engine import Foreign
from onnx import TensorProto, helper

TYPES = {
    "BOOL": "BOOL", "FP16": "FLOAT16", "FP32": "FLOAT", "FP64": "DOUBLE", "BYTES": "STRING",
    "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    **{f"{sign}INT{bits}": f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)},
}  # fmt: skip


def type_of(datatype):
    return getattr(TensorProto, TYPES[datatype])


def model(case):
    """The model of a case: one node of operator set 10, all shapes given."""
    if case["operator"] != ONNX:
        raise Foreign
    given, kind = case["control"], type_of(case["datatype"])
    node = helper.make_node(
        "ReverseSequence", ["input", "sequence_lens"], ["Y"], **case["attributes"]
    )
    graph = helper.make_graph(
        [node],
        "case",
        [
            helper.make_tensor_value_info("input", kind, case["shape"]),
            helper.make_tensor_value_info(
                "sequence_lens", type_of(given["datatype"]), given["shape"]
            ),
        ],
        [helper.make_tensor_value_info("Y", kind, case["shape"])],
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 10)], ir_version=5, producer_name="cases"
    )


def tensors(case):
    """The inputs and the output, as protobuf messages."""
    given = case["control"]
    lens = datatypes.encode(given["datatype"], given["values"])
    return [
        tensor("input", case["datatype"], case["shape"], bytes.fromhex(case["data"])),
        tensor("sequence_lens", given["datatype"], given["shape"], lens),
    ], tensor("Y", case["datatype"], case["shape"], bytes.fromhex(case["expect"]))


def tensor(name, datatype, shape, raw):
    message = onnx.TensorProto(name=name, data_type=type_of(datatype), dims=shape)
    if datatype == "BYTES":
        message.string_data.extend(datatypes.unpack(datatype, raw, 0))
    else:
        message.raw_data = raw
    return message
