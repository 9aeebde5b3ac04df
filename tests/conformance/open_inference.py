"""A case as a request of the Open Inference Protocol."""

import cases
import datatypes

MODELS = {
    cases.ONNX: ("onnx.ReverseSequence", "input", "sequence_lens"),
    cases.OPENVINO: ("openvino.ReverseSequence", "data", "seq_lengths"),
    cases.REVERSE: ("openvino.Reverse", "data", "axis"),
    cases.GRADIENT: ("graiphic.ReverseSequenceGrad", "dY", "sequence_lens"),
}


def request(case):
    """Model, parameters, and two tensors of (name, datatype, shape, binary form)."""
    model, data, control = MODELS[case["operator"]]
    parameters = dict(case["attributes"])
    if "factor" in case:
        parameters["lda_coeff"] = case["factor"]
    given = case["control"]
    lens = datatypes.encode(given["datatype"], given["values"])
    tensors = [
        (data, case["datatype"], case["shape"], bytes.fromhex(case["data"])),
        (control, given["datatype"], given["shape"], lens),
    ]
    return model, parameters, tensors
