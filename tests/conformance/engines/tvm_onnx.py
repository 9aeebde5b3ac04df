"""TVM's importer of ONNX models."""

import arrays
import onnx_model
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx


def version():
    return tvm.__version__


def answer(case):
    module = from_onnx(onnx_model.model(case), keep_params_in_input=False)
    machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    inputs = [tvm.runtime.tensor(tensor) for tensor in (arrays.data(case), arrays.control(case))]
    return arrays.binary(case, machine["main"](*inputs).numpy())
