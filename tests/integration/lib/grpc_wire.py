"""A raw client of HTTP/2 and gRPC that sees and sends every frame. Only the
header compression of what it receives is not its own: Debian's python3-hpack."""

import collections
import socket
import struct
import sys
import time

import wire
from grpc_call import Call
from http2_frames import *  # noqa: F401, F403, for those who import this

sys.path.append("/usr/lib/python3/dist-packages")  # of another Python, too
import hpack  # noqa: E402


class Http2:
    """to: HOST:PORT or unix:PATH. own: our settings. deaf: no window is given back."""

    def __init__(self, to, own=None, source=None, receive_buffer=0, deaf=False,
                 tls=None, greet=True):
        host, port = to.rsplit(":", 1)
        family, host = socket.AF_INET, host.strip("[]")
        if host == "unix":
            family = socket.AF_UNIX
        elif ":" in host:
            family = socket.AF_INET6
        self.socket = socket.socket(family)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                                   receive_buffer)
        if source:
            self.socket.bind((source, 0))
        self.socket.settimeout(wire.LIMIT)
        if host == "unix":
            self.socket.connect(port)
        else:
            self.socket.connect((host, int(port)))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket,
                                          server_hostname="localhost")
        self.decoder, self.buffer = hpack.Decoder(), bytearray()
        self.decoder.max_header_list_size = 1 << 20
        self.calls = collections.defaultdict(Call)
        self.theirs, self.pongs, self.goaway = {}, [], None
        self.next, self.deaf, self.pending = 1, deaf, None
        self.over = False  # the connection has ended
        # What we may send: in all, and beyond the settings on each stream.
        self.window, self.windows = 65535, collections.Counter()
        if greet:
            self.send(PREFACE + frame(SETTINGS, 0, 0, settings(own or {})))

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def receive(self):
        """One frame, or None at the end of the connection."""
        while len(self.buffer) < 9 or len(self.buffer) < 9 + self.size():
            part = self.socket.recv(1 << 18)
            if not part:
                return None
            self.buffer += part
        size = self.size()
        kind, flags, stream = struct.unpack_from(">BBI", self.buffer, 3)
        payload = bytes(self.buffer[9:9 + size])
        del self.buffer[:9 + size]
        return Frame(kind, flags, stream, payload)

    def size(self):
        return int.from_bytes(self.buffer[:3], "big")

    def step(self):
        """Handles one frame; False at the end of the connection."""
        got = self.receive()
        if got is None:
            self.over = True
            return False
        handle = {DATA: self.on_data, HEADERS: self.on_headers,
                  CONTINUATION: self.on_headers, RST_STREAM: self.on_reset,
                  SETTINGS: self.on_settings, PING: self.on_ping,
                  GOAWAY: self.on_goaway, WINDOW_UPDATE: self.on_window}.get(got.kind)
        if handle:
            handle(got)
        return True

    def on_data(self, got):
        call = self.calls[got.stream]
        call.data += got.payload
        call.ended = call.ended or bool(got.flags & END_STREAM)
        if got.payload and not self.deaf:
            size = struct.pack(">I", len(got.payload))
            self.send(frame(WINDOW_UPDATE, 0, 0, size) + (
                b"" if call.ended else
                frame(WINDOW_UPDATE, 0, got.stream, size)))

    def on_headers(self, got):
        if got.kind == HEADERS:
            self.pending = bytearray(), got
        self.pending[0].extend(got.payload)
        if got.flags & END_HEADERS:
            data, first = self.pending
            call = self.calls[got.stream]
            call.heads.append(self.decoder.decode(bytes(data)))
            call.ended = call.ended or bool(first.flags & END_STREAM)

    def on_reset(self, got):
        self.calls[got.stream].reset = int.from_bytes(got.payload, "big")
        self.calls[got.stream].ended = True

    def on_settings(self, got):
        if got.flags & ACK:
            return
        self.theirs.update(struct.iter_unpack(">HI", got.payload))
        self.send(frame(SETTINGS, ACK))

    def on_ping(self, got):
        if got.flags & ACK:
            self.pongs.append(got.payload)
        else:
            self.send(frame(PING, ACK, 0, got.payload))

    def on_goaway(self, got):
        self.goaway = struct.unpack(">II", got.payload[:8]) + (
            got.payload[8:],)

    def on_window(self, got):
        size = int.from_bytes(got.payload, "big")
        if got.stream:
            self.windows[got.stream] += size
        else:
            self.window += size

    def room(self, stream):
        """Bytes that may be sent on the stream now."""
        return min(self.window, self.windows[stream] +
                   self.theirs.get(INITIAL_WINDOW, 65535))

    def begin(self, path, more=(), end=False):
        """Opens a stream; its number."""
        stream, self.next = self.next, self.next + 2
        self.calls[stream] = Call()
        self.send(frame(HEADERS, END_HEADERS | (END_STREAM if end else 0),
                        stream, block(request_fields(path, more))))
        return stream

    def data(self, stream, payload, end=True):
        """DATA in frames of 16 KiB, as the windows allow; what is left when the
        stream has ended is not sent."""
        at = 0
        while True:
            size = min(len(payload) - at, 16384, max(0, self.room(stream)))
            last = at + size == len(payload)
            if size > 0 or last:
                self.send(frame(DATA, END_STREAM if end and last else 0,
                                stream, payload[at:at + size]))
                at += size
                self.window -= size
                self.windows[stream] -= size
            if last or self.calls[stream].ended:
                return
            if self.room(stream) <= 0 and not self.step():
                raise wire.Closed(f"no window on stream {stream}")

    def ask(self, path, payload, more=(), compressed=0):
        """A unary call, whole. Its stream."""
        stream = self.begin(path, more)
        self.data(stream, message(payload, compressed))
        return stream

    def await_call(self, stream):
        call = self.calls[stream]
        while not call.ended:
            if not self.step():
                raise wire.Closed(f"stream {stream}: {call}, {self.goaway}")
        return call

    def call(self, path, payload=b"", more=(), compressed=0):
        return self.await_call(self.ask(path, payload, more, compressed))

    def until(self, condition, seconds=wire.LIMIT):
        """Handles frames until `condition`; False when the connection or the
        time ended before."""
        end = time.monotonic() + seconds
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                return False
            self.socket.settimeout(left)
            try:
                if not self.step():
                    return condition()
            except (TimeoutError, ConnectionError) as error:
                self.over = isinstance(error, ConnectionError)
                return condition()
            finally:
                self.socket.settimeout(wire.LIMIT)
        return True

    def closed(self):
        """Whether the connection ends."""
        end = time.monotonic() + wire.LIMIT
        while time.monotonic() < end:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                if not self.step():
                    return True
            except ConnectionError:
                return True
            except TimeoutError:
                break
        return False
