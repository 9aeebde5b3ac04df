"""A call of gRPC, as a client sees it."""

import struct

import wire


class Call:
    """What has arrived of one stream."""

    def __init__(self):
        self.heads = []  # a list of (name, value) for each HEADERS
        self.data = bytearray()
        self.ended = False
        self.reset = None  # the code of RST_STREAM

    def field(self, name, of=-1):
        """Of the last headers: the trailers, or those of a reply that has no
        message."""
        found = [v for n, v in self.heads[of] if n == name] if self.heads else []
        return found[0] if len(found) == 1 else None

    @property
    def status(self):
        value = self.field("grpc-status")
        return int(value) if value is not None else None

    @property
    def text(self):
        return self.field("grpc-message")

    def messages(self):
        """(flag, payload) of each; fails when the last one is cut."""
        at, out = 0, []
        while at + 5 <= len(self.data):
            flag, size = struct.unpack_from(">BI", self.data, at)
            out.append((flag, bytes(self.data[at + 5:at + 5 + size])))
            at += 5 + size
        wire.equal("bytes behind the last message", at, len(self.data))
        return out

    def __repr__(self):
        return f"<{self.heads} {bytes(self.data[:60])!r} {self.reset}>"
