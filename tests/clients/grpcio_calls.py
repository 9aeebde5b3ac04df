"""grpcio by itself, without an SDK: reflection, health, the messages beside
those of tritonclient, typed contents and parameters, statuses and their texts,
deadlines, cancellation, bounds, metadata.

Usage: grpcio_calls.py ADDRESS [CA]
"""

import sys
import threading
import time

import grpc

import grpcio_contents
from check import equal, finish, ok
from grpc_calls import HEALTH, INFERENCE, Calls, shape_of

Code = grpc.StatusCode
METHODS = """ServerLive ServerReady ModelReady ServerMetadata ModelMetadata
ModelInfer ModelStreamInfer ModelConfig ModelStatistics RepositoryIndex
RepositoryModelLoad RepositoryModelUnload SystemSharedMemoryStatus
SystemSharedMemoryRegister SystemSharedMemoryUnregister CudaSharedMemoryStatus
CudaSharedMemoryRegister CudaSharedMemoryUnregister LogSettings""".split()


def refused(what, codes, text, call):
    """The error, or None. codes: one, or a tuple."""
    try:
        got = call()
        ok(what, False, f"not refused but <{got!r:.300}>")
    except grpc.RpcError as error:
        codes = codes if isinstance(codes, tuple) else (codes,)
        ok(f"{what}: status", error.code() in codes, error.code())
        ok(f"{what}: text", text in error.details(),
           f"no <{text}> in <{error.details()}>")
        return error
    return None


def reflection(calls):
    names = calls.database.get_services()
    for name in (INFERENCE, HEALTH, "grpc.reflection.v1.ServerReflection",
                 "grpc.reflection.v1alpha.ServerReflection"):
        ok("services", name in names, f"lack {name}: {names}")
    service = calls.service(INFERENCE)
    for name in METHODS:
        ok("methods", name in service.methods_by_name, f"lack {name}")
    for name in ("inference.NoSuch", "no.such.Service"):
        try:
            calls.pool.FindMessageTypeByName(name)
            ok(f"{name} is not there", False)
        except KeyError:
            ok(f"{name} is not there", True)


def published(calls):
    """Each message has the fields that Triton's clients were built with."""
    from tritonclient.grpc import service_pb2
    published = service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"]
    service = calls.service(INFERENCE)
    for method in published.methods:
        if method.name not in service.methods_by_name:
            continue
        own = service.methods_by_name[method.name]
        equal(f"{method.name} streams",
              (method.client_streaming, method.server_streaming),
              (own.client_streaming, own.server_streaming))
        for theirs, ours in ((method.input_type, own.input_type),
                             (method.output_type, own.output_type)):
            equal("a message's name", theirs.full_name, ours.full_name)
            compare(shape_of(theirs), shape_of(ours))


def compare(theirs, ours):
    for name, fields in ours.items():
        if name in theirs:
            equal(f"{name} has fields of its own", set(),
                  fields - theirs[name])


def health(calls):
    method, ask = calls.method("Check", HEALTH)
    for name in ("", INFERENCE):
        equal(f"health of <{name}>", 1, method(ask(service=name)).status)
    refused("health of a service that is none", Code.NOT_FOUND, "",
            lambda: method(ask(service="no.such.Service")))
    method, ask = calls.method("Watch", HEALTH)
    watch = method(ask(service=INFERENCE), timeout=30)
    equal("the first of Watch", 1, next(watch).status)
    watch.cancel()
    watch = method(ask(service="no.such.Service"), timeout=30)
    equal("Watch of no service: SERVICE_UNKNOWN", 3, next(watch).status)
    watch.cancel()


def statuses(calls):
    def infer(**fields):
        return lambda: calls.call("ModelInfer", **fields)

    refused("no name", Code.NOT_FOUND, "", infer())
    refused("a model", Code.NOT_FOUND,
            "Request for unknown model: 'flöp' ", infer(model_name="flöp"))
    refused("no inputs", Code.INVALID_ARGUMENT, "input",
            infer(model_name="onnx.ReverseSequence"))
    refused("load", Code.UNIMPLEMENTED, "--models FILE", lambda: calls.call(
        "RepositoryModelLoad", model_name="flip"))
    for path in ("/inference.GRPCInferenceService/NoSuch", "/no.such/Method",
                 "/", "/inference.GRPCInferenceService/", "/v2/health/live"):
        method = calls.channel.unary_unary(path)
        refused(f"the path {path}", Code.UNIMPLEMENTED, "",
                lambda: method(b""))
    broken(calls)


def broken(calls):
    """Messages that no reader takes are INTERNAL, as grpcio's own server has
    it; of those that one takes the model's name may be read first."""
    method = calls.channel.unary_unary(f"/{INFERENCE}/ModelInfer")
    for code, what, message in (
            (Code.INTERNAL, "an end in a tag", b"\x80"),
            (Code.INTERNAL, "an end in a length", b"\x0a\xff"),
            (Code.INTERNAL, "a length past the end", b"\x0a\x05abc"),
            (Code.INTERNAL, "a group that never ends", b"\x0b" * 1000),
            (Code.INTERNAL, "a wire type of 7", b"\x0f"),
            (Code.INTERNAL, "field 0", b"\x02\x00"),
            (Code.INTERNAL, "a varint of 11 bytes",
             b"\x08" + b"\xff" * 10 + b"\x01"),
            (Code.INTERNAL, "text that is no UTF-8", b"\x0a\x02\xff\xfe"),
            (Code.NOT_FOUND, "an input of one byte", b"\x2a\x01\x0a"),
            (Code.INVALID_ARGUMENT, "100,000 inputs of none", b"\x2a\x00" * 100000)):
        error = refused(what, code, "", lambda: method(message))
        ok(f"{what}: says why", error is None or error.details())


def metadata(calls):
    method, ask = calls.method("ServerMetadata")
    reply, call = method.with_call(ask(), metadata=[
        ("x-request-id", "q-1"), ("x-own-bin", bytes(range(256))),
        ("authorization", "Bearer none")])
    equal("a reply with metadata", "flipd", reply.name)
    equal("OK", (Code.OK, ""), (call.code(), call.details()))
    heads = dict(call.initial_metadata())
    equal("the request's id", "q-1", heads.get("x-request-id"))
    refused("metadata of 20 KB", Code.RESOURCE_EXHAUSTED, "16384",
            lambda: method(ask(), metadata=[("x", "y" * 20000)]))
    equal("on the same connection", "flipd", method(ask()).name)
    # What is longer than a header block may be ends the connection as well.
    refused("metadata of 100 KB", (Code.RESOURCE_EXHAUSTED, Code.UNAVAILABLE),
            "", lambda: method(ask(), metadata=[("x", "y" * 100000)]))
    equal("afterwards", "flipd", method(ask(), wait_for_ready=True).name)


def deadlines(calls):
    large = grpcio_contents.large_request(64 << 20)
    method, _ = calls.method("ModelInfer")
    started = time.monotonic()
    refused("a deadline of 5 ms", Code.DEADLINE_EXCEEDED, "",
            lambda: method(large, timeout=0.005))
    ok("at once", time.monotonic() - started < 5)
    future = method.future(large)
    future.cancel()
    try:
        future.result()
        ok("cancelled", False)
    except grpc.FutureCancelledError:
        ok("cancelled", True)
    equal("afterwards", "flipd", calls.call("ServerMetadata").name)


def streams(calls):
    """Half of a stream is answered while the other half is still to come."""
    method, _ = calls.method("ModelStreamInfer")
    go_on = threading.Event()

    def requests():
        for number in range(20):
            if number == 10:
                go_on.wait(20)
            yield grpcio_contents.small_request(id=str(number))

    got = []
    for reply in method(requests(), timeout=60):
        got.append(reply.infer_response.id)
        if len(got) == 10:
            go_on.set()
    equal("in order", [str(number) for number in range(20)], got)
    equal("a stream without requests", [],
          list(method(iter(()), timeout=20)))
    waiting = method(iter([grpcio_contents.small_request(id="a")]),
                     timeout=60)
    equal("one", "a", next(waiting).infer_response.id)
    waiting.cancel()


def at_once(address, ca):
    """1,000 calls under way on one connection: more than it has streams."""
    calls = Calls(address, ca)
    method, _ = calls.method("ModelInfer")
    asked = [method.future(grpcio_contents.small_request(id=str(number)))
             for number in range(1000)]
    equal("each is answered by its own", [str(n) for n in range(1000)],
          [future.result(timeout=60).id for future in asked])


address, ca = (sys.argv + [None])[1:3]
calls = Calls(address, ca, [("grpc.max_metadata_size", 1 << 20)])
reflection(calls)
published(calls)
health(calls)
grpcio_contents.every_form(calls)
statuses(calls)
metadata(calls)
deadlines(calls)
streams(calls)
at_once(address, ca)
finish()
