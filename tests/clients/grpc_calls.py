"""A client of grpcio's that knows of the server what reflection tells: its
services, methods and messages. Shared by the scripts beside it."""

import grpc
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import DescriptorProto
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import \
    ProtoReflectionDescriptorDatabase

INFERENCE = "inference.GRPCInferenceService"
HEALTH = "grpc.health.v1.Health"


class Calls:
    """options: of grpcio, for its channel. ca: a PEM file, for TLS."""

    def __init__(self, address, ca=None, options=()):
        options = [("grpc.max_receive_message_length", -1), *options]
        if ca:
            with open(ca, "rb") as file:
                trust = grpc.ssl_channel_credentials(file.read())
            self.channel = grpc.secure_channel(address, trust, options)
        else:
            self.channel = grpc.insecure_channel(address, options)
        self.database = ProtoReflectionDescriptorDatabase(self.channel)
        self.pool = descriptor_pool.DescriptorPool(self.database)

    def service(self, name):
        return self.pool.FindServiceByName(name)

    def kind(self, name):
        """The class of a message."""
        return message_factory.GetMessageClass(
            self.pool.FindMessageTypeByName(name))

    def method(self, name, service=INFERENCE):
        """The callable of grpcio, and the class of its requests."""
        found = self.service(service).methods_by_name[name]
        ask, reply = (message_factory.GetMessageClass(kind)
                      for kind in (found.input_type, found.output_type))
        make = getattr(self.channel, "{}_{}".format(
            *("stream" if streams else "unary" for streams in (
                found.client_streaming, found.server_streaming))))
        return make(f"/{service}/{name}",
                    request_serializer=ask.SerializeToString,
                    response_deserializer=reply.FromString), ask

    def call(self, name, more=None, service=INFERENCE, **fields):
        """One unary call. more: of grpcio, such as timeout."""
        method, ask = self.method(name, service)
        return method(ask(**fields), **(more or {}))


def shape_of(kind, seen=None):
    """{message: {(number, name, type, label, oneof)}} of a descriptor and of
    all that it has."""
    seen = {} if seen is None else seen
    if kind.full_name in seen:
        return seen
    proto = DescriptorProto()
    kind.CopyToProto(proto)
    oneofs = [one.name for one in proto.oneof_decl]
    seen[kind.full_name] = {
        (f.number, f.name, f.type, f.label, f.type_name,
         oneofs[f.oneof_index] if f.HasField("oneof_index") else "")
        for f in proto.field}
    for field in kind.fields:
        if field.message_type:
            shape_of(field.message_type, seen)
    return seen
