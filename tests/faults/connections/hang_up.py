"""C14 and C15: clients that hang up while they send, wait or are answered: with
FIN, with FIN behind a last byte, or with RST. Their descriptors are free long
before any deadline.

  argument 2   C14: plain; C15: TLS"""

import collections
import socket
import struct
import tempfile
import time

import wire
from crowd import allow_files
from daemon import certificate
from fault import ARGUMENTS, PATH, Fault, pick
from grpc_probe import INFER
from grpc_wire import (ACK, DATA, END_HEADERS, HEADERS, PREFACE, SETTINGS, block,
                       frame, request_fields)

ROW = ARGUMENTS[0]
COUNT = pick(300, 2000) if ROW == "C14" else pick(150, 2000)
DEADLINE = 60  # seconds: --header-timeout and --body-timeout
BACK = 20  # seconds that it may take: 0.2 without other work
OLD = 1.5  # seconds that the clients have been there when they hang up

HEAD = f"POST {PATH} HTTP/1.1\r\nHost: a\r\n"
GREETING = PREFACE + frame(SETTINGS) + frame(SETTINGS, ACK)
CALL = block(request_fields(INFER))

# What has been sent of a request; a byte more is sent before some of the ends.
HTTP = {
    "nothing": b"",
    "request line": b"GET /v2/health/li",
    "headers": b"GET /v2 HTTP/1.1\r\nHost: a\r\nA: ",
    "body": f"{HEAD}Content-Length: 8192\r\n\r\n ".encode(),
    "large body": f"{HEAD}Content-Length: 700000\r\n\r\n ".encode(),
    "chunks": f"{HEAD}Transfer-Encoding: chunked\r\n\r\n2000\r\n ".encode(),
    "refused body": b"POST /v2/nothing HTTP/1.1\r\nHost: a\r\n"
                    b"Content-Length: 5000000\r\n\r\n ",
    "answered": b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n",
    "not parsed": b"GET /v2 HTTP/9.9\r\n\r\n",
}
GRPC = {
    "gRPC, nothing": b"",
    "gRPC, preface": PREFACE[:10],
    "gRPC, settings": GREETING,
    "gRPC, frame": GREETING + b"\0\0",
    "gRPC, headers": GREETING + frame(HEADERS, 0, 1, CALL[:20]),
    "gRPC, message": GREETING + frame(HEADERS, END_HEADERS, 1, CALL) +
    frame(DATA, 0, 1, struct.pack(">BI", 0, 5000) + b" "),
}
HELLO = {"handshake": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03"}


class Client:
    def __init__(self, kind, data, to, tls):
        self.kind = kind
        host, port = to.rsplit(":", 1)
        self.socket = socket.socket()
        self.socket.settimeout(wire.LIMIT)
        self.socket.connect((host, int(port)))
        self.port = self.socket.getsockname()[1]
        if tls:
            self.socket = tls.wrap_socket(self.socket,
                                          server_hostname="localhost")
        if data:
            self.send(data)

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:  # refused
            pass

    def hang_up(self, how):
        if how == "RST":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        elif how == "byte":
            self.send(b" ")
        self.socket.close()


def left(clients):
    """By kind: connections that the daemon has not closed, as the kernel shows
    them."""
    kinds = {client.port: client.kind for client in clients}
    found = collections.Counter()
    with open("/proc/net/tcp") as table:
        for line in list(table)[1:]:
            fields = line.split()
            far = int(fields[2].rpartition(":")[2], 16)
            if fields[3] in ("01", "08") and far in kinds:  # established, half
                found[kinds[far]] += 1
    return dict(found)


def attack(daemon):
    allow_files()
    files = wire.open_files()
    groups = [(HTTP, daemon.address, wire.trusted),
              (GRPC, daemon.grpc, wire.trusted)]
    if wire.trusted:
        groups.append((HELLO, daemon.address, None))
    kinds = [(kind, data, to, tls) for group, to, tls in groups
             for kind, data in group.items()]
    clients = [Client(*kinds[n % len(kinds)]) for n in range(COUNT)]
    time.sleep(OLD)
    most = wire.open_files() - files
    wire.true(f"only {most} connections are open", most > COUNT / 2)
    for number, client in enumerate(clients):
        client.hang_up(("FIN", "byte", "RST")[number // len(kinds) % 3])
    started = time.monotonic()
    back = wire.within(BACK, lambda: wire.open_files() <= files)
    seconds = time.monotonic() - started
    wire.true(f"{wire.open_files() - files} descriptors are still open, of "
              f"{left(clients)}", back)
    return (f"{COUNT} clients in {len(kinds)} states hung up, the last "
            f"descriptor was free after {seconds:.1f} s")


with tempfile.TemporaryDirectory() as folder:
    secure = certificate(folder) if ROW == "C15" else []
    fault = Fault(ROW, "clients that hang up" + (", over TLS" if secure else ""),
                  [f"--header-timeout={DEADLINE}", f"--body-timeout={DEADLINE}",
                   "--grpc-port=FREE", f"--max-connections={COUNT + 100}",
                   *secure])
    fault.run(attack)
