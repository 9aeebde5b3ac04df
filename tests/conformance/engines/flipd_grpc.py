"""flipd over gRPC; messages and stub are those of the package tritonclient."""

import os

import grpc
import open_inference
from engine import Refused
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc

CHANNEL = grpc.insecure_channel(os.environ.get("FLIPD_GRPC", "127.0.0.1:8001"))
SERVICE = service_pb2_grpc.GRPCInferenceServiceStub(CHANNEL)


def version():
    return SERVICE.ServerMetadata(pb.ServerMetadataRequest(), timeout=10).version


def parameter(value):
    if isinstance(value, str):
        return pb.InferParameter(string_param=value)
    if isinstance(value, float):
        return pb.InferParameter(double_param=value)
    return pb.InferParameter(int64_param=value)


def answer(case):
    model, parameters, tensors = open_inference.request(case)
    request = pb.ModelInferRequest(model_name=model)
    for name, value in parameters.items():
        request.parameters[name].CopyFrom(parameter(value))
    for name, datatype, shape, raw in tensors:
        request.inputs.add(name=name, datatype=datatype, shape=shape)
        request.raw_input_contents.append(raw)
    try:
        reply = SERVICE.ModelInfer(request, timeout=30)
    except grpc.RpcError as fault:
        raise Refused(f"{fault.code().name} {fault.details()}") from None
    (output,) = reply.outputs
    if list(output.shape) != case["shape"] or output.datatype != case["datatype"]:
        raise Refused(f"an answer of {output.datatype} {list(output.shape)}")
    return reply.raw_output_contents[0]
