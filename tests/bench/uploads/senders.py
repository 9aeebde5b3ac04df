"""Clients that upload one tensor and wait for the reply: HTTP/1.1, gRPC in raw
frames, and gRPC by grpcio. Its sequence length is wrong, which shows only when
the body is whole: so the reply is short, and the time is that of the upload."""

import json
import os
import select
import struct
import sys
import time

import grpc

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../integration/lib"))
import protobuf  # noqa: E402
import wire  # noqa: E402
from grpc_wire import (DATA, END_STREAM, SERVICE, Http2, frame,  # noqa: E402
                       message)
from servers import Failed  # noqa: E402

METHOD = SERVICE + "ModelInfer"
ROW = 64 << 10   # bytes of the tensor for each step of time
PART = 16 << 10  # bytes of data in a frame: what most clients send
FRAME = 9 + PART
AT_ONCE = 64     # frames for one call of the kernel
DRIP, DRIP_SECONDS = 4, 0.005  # parts
LENGTH = struct.pack("<q", 1 << 40)


def tensors(size):
    """Name, datatype, shape and bytes of each."""
    return (("input", "FP32", [size // ROW, 1, ROW // 4], size),
            ("sequence_lens", "INT64", [1], len(LENGTH)))


def http_request(size):
    head = json.dumps({"inputs": [
        {"name": name, "datatype": datatype, "shape": shape,
         "parameters": {"binary_data_size": length}}
        for name, datatype, shape, length in tensors(size)]}).encode()
    return wire.request(
        "POST", f"/v2/models/{protobuf.MODEL}/infer",
        head + bytes(size) + LENGTH,
        [f"Inference-Header-Content-Length: {len(head)}"])


def grpc_request(size):
    return b"".join([
        protobuf.field(1, protobuf.MODEL),
        *(protobuf.field(5, protobuf.tensor(*tensor[:3]))
          for tensor in tensors(size)),
        protobuf.field(7, bytes(size)), protobuf.field(7, LENGTH)])


def count_of(data, size):
    """Pieces of this size, with a shorter one at the end."""
    return (len(data) + size - 1) // size


# How a client sends: from which part up to which, of so many.
def at_once(count):
    yield 0, count


def pausing(seconds):
    """Half, a pause, and the other half."""
    def steps(count):
        yield 0, count // 2
        time.sleep(seconds)
        yield count // 2, count
    return steps


def dripping(count):
    began = time.monotonic()
    for i, at in enumerate(range(0, count, DRIP)):
        time.sleep(max(0, began + i * DRIP_SECONDS - time.monotonic()))
        yield at, min(at + DRIP, count)


def expect(what, wanted, got):
    if got != wanted:
        raise Failed(f"{what} answers {got}")


def by_http(address, request, steps):
    """The seconds from the first byte to the reply."""
    view = memoryview(request)
    count = count_of(request, PART)
    with wire.Wire(address) as one:
        began = time.monotonic()
        for start, end in steps(count):
            one.send(view[start * PART:end * PART])
        reply = one.reply()
        spent = time.monotonic() - began
    expect("HTTP", 400, reply.status)
    return spent


class Sender(Http2):
    """Sends frames as the windows allow."""

    def upload(self, stream, frames):
        while frames:
            while self.is_readable() or self.room(stream) < PART:
                if not self.step():
                    raise Failed("the connection has ended")
            count = min(AT_ONCE, self.room(stream) // PART)
            some, frames = frames[:count * FRAME], frames[count * FRAME:]
            self.send(some)
            size = len(some) - count_of(some, FRAME) * (FRAME - PART)
            self.window -= size
            self.windows[stream] -= size

    def is_readable(self):
        return bool(select.select([self.socket], [], [], 0)[0])


def frames_of(request, stream=1):
    """DATA of PART bytes each, but for the last one."""
    view = memoryview(message(request))
    parts = [view[at:at + PART] for at in range(0, len(view), PART)]
    return memoryview(
        b"".join(frame(DATA, 0, stream, part) for part in parts[:-1]) +
        frame(DATA, END_STREAM, stream, parts[-1]))


def by_frames(address, frames, steps, status):
    with Sender(address) as one:
        if not one.until(lambda: one.theirs):
            raise Failed("no SETTINGS")
        began = time.monotonic()
        stream = one.begin(METHOD)
        for start, end in steps(count_of(frames, FRAME)):
            one.upload(stream, frames[start * FRAME:end * FRAME])
        call = one.await_call(stream)
        spent = time.monotonic() - began
    expect("gRPC", status, call.status)
    return spent


def by_grpcio(address, request, status):
    with grpc.insecure_channel(address) as channel:
        grpc.channel_ready_future(channel).result(20)
        began = time.monotonic()
        code = grpc.StatusCode.OK
        try:
            channel.unary_unary(METHOD)(request, timeout=120)
        except grpc.RpcError as error:
            code = error.code()
        spent = time.monotonic() - began
    expect("grpcio", status, code.value[0])
    return spent
