"""Frames of HTTP/2, headers and messages of gRPC, as bytes."""

import collections
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, \
    WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR = range(4)
REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, CALM = 7, 8, 9, 10, 11
TABLE_SIZE, _, MAX_STREAMS, INITIAL_WINDOW, FRAME_SIZE, HEADER_LIST = range(1, 7)
SERVICE = "/inference.GRPCInferenceService/"
OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, \
    ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED, _, _, OUT_OF_RANGE, \
    UNIMPLEMENTED, INTERNAL, UNAVAILABLE, _, UNAUTHENTICATED = range(17)
Frame = collections.namedtuple("Frame", "kind flags stream payload")


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(
        ">BBI", kind, flags, stream) + payload


def settings(values):
    return b"".join(struct.pack(">HI", *pair) for pair in values.items())


def text(value):
    """A string of HPACK: its length, then the bytes as they are."""
    value = value.encode() if isinstance(value, str) else value
    size = len(value)
    if size < 127:
        return bytes([size]) + value
    size, out = size - 127, bytearray([127])
    while size > 127:
        out.append(size & 127 | 128)
        size >>= 7
    out.append(size)
    return bytes(out) + value


def block(fields):
    """Headers as literals that no table keeps."""
    return b"".join(b"\0" + text(name) + text(value) for name, value in fields)


def request_fields(path, more=()):
    fields = [(":method", "POST"), (":scheme", "http"), (":path", path),
              (":authority", "flipd"), ("te", "trailers"),
              ("content-type", "application/grpc")]
    own = dict(more)
    return [(name, own.get(name, value)) for name, value in fields] + [
        pair for pair in more if pair[0] not in dict(fields)]


def message(payload, compressed=0):
    return struct.pack(">BI", compressed, len(payload)) + payload
