"""ONNX's reference evaluator."""

import arrays
import onnx
import onnx_model
from onnx.reference import ReferenceEvaluator


def version():
    return onnx.__version__


def answer(case):
    model = onnx_model.model(case)
    inputs = {"input": arrays.data(case), "sequence_lens": arrays.control(case)}
    return arrays.binary(case, ReferenceEvaluator(model).run(None, inputs)[0])
