"""IREE: the ONNX model imported and compiled for the processor.

A compilation takes two seconds of the processor, and a minute or all memory where an axis
is long, for each sequence is code of its own. So only these models are asked: of the small
ones one in fifteen, chosen by its bytes, those of wrong arguments and those of public
issues. Cases that differ in their elements and lengths alone share a model.
"""

import functools
import importlib.metadata
import resource
import zlib

import arrays
import iree.compiler
import iree.runtime
import onnx
import onnx_model
from engine import Foreign, Refused
from iree.compiler import ir
from iree.compiler.extras import onnx_importer

# A compiler ends before the machine's memory does, also where the engine was stopped.
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def version():
    return importlib.metadata.version("iree-base-compiler")


def is_asked(case, model):
    if case["expect"] is None or "issue" in case:
        return True
    return max(case["shape"]) < 7 and zlib.crc32(model) % 15 == 0


def answer(case):
    model = onnx_model.model(case).SerializeToString()
    if not is_asked(case, model):
        raise Foreign
    compiled, why = compile_model(model)
    if compiled is None:
        raise Refused(why)
    context = iree.runtime.SystemContext(config=iree.runtime.Config("local-sync"))
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, compiled))
    module = context.modules.module
    result = module["case"](arrays.data(case), arrays.control(case))
    # A result of whole numbers has a type of their width, without their sign.
    return arrays.binary(case, result.to_host().view(arrays.dtype(case["datatype"])))


@functools.cache
def compile_model(model):
    """The module, or None and why there is none."""
    try:
        compiled = iree.compiler.compile_str(
            imported(model), target_backends=["llvm-cpu"],
            extra_args=["--iree-llvmcpu-target-cpu=generic",
                        "--iree-input-demote-f64-to-f32=false"],
        )  # fmt: skip
        return compiled, None
    except Exception as fault:  # the importer raises classes of its own
        return None, f"{type(fault).__name__}: {fault}"[:400]


def imported(model):
    """What iree-import-onnx writes, without a process of its own."""
    proto = onnx.load_model_from_string(model)
    onnx.checker.check_model(proto)
    info = onnx_importer.ModelInfo(onnx.shape_inference.infer_shapes(proto))
    module = info.create_module(context=ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    module.verify()
    return str(module)
