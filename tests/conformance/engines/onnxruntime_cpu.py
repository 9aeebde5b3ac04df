"""ONNX Runtime's processor provider."""

import arrays
import onnx_model
import onnxruntime

onnxruntime.set_default_logger_severity(4)


def version():
    return onnxruntime.__version__


def answer(case):
    session = onnxruntime.InferenceSession(
        onnx_model.model(case).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    inputs = {"input": arrays.data(case), "sequence_lens": arrays.control(case)}
    return arrays.binary(case, session.run(None, inputs)[0])
