"""Behaviour of TLS itself. tls.sh names the part as an argument."""

import ssl
import sys
import time

from question import Question
from wire import (LIMIT, SCALE, Wire, equal, finish, metric, request, true,
                  trusted, within)
import wire as wires

READY = request("GET", "/v2/health/ready")
PENDING = ('nv_inference_pending_request_count{'
           'model="onnx.ReverseSequence",version="10"}')


def plain():
    """A TCP connection before the handshake."""
    wires.trusted = None
    try:
        return Wire()
    finally:
        wires.trusted = trusted


def takes(wire):
    try:
        wire.send(b"x")
        return True
    except OSError:
        return False


def unread():
    """The daemon reads on until a refused client has seen the reason: a socket
    closed before would be reset, and the client's next send would fail."""
    context = ssl.create_default_context(cafile=wires.os.environ["TLS_CA"])
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    with plain() as wire:  # ends its part of the handshake before it is refused
        wire.socket = context.wrap_socket(
            wire.socket, server_hostname="localhost")
        reason = "the end of the connection"
        try:
            for _ in range(5):
                time.sleep(0.05)
                wire.send(READY)
            wire.socket.recv(1)
        except OSError as error:
            reason = getattr(error, "reason", error)
        equal("no certificate", "TLSV13_ALERT_CERTIFICATE_REQUIRED", reason)
    with plain() as wire:
        wire.send(request("POST", "/v2", bytes(4 << 20)))
        equal("4 MiB of plain HTTP", 400, wire.reply().status)
    with plain() as wire:  # but not for ever
        wire.send(b"GET / HTTP/1.1\r\n\r\n")
        equal("plain HTTP", b"HTTP/1.1 400", wire.rest()[:12])
        true("who sends on is kept", within(6, lambda: not takes(wire)))


def slow():
    """--header-timeout=1 limits the handshake."""
    waits = [plain() for _ in range(3)]
    waits[1].send(b"\x16")
    waits[2].send(bytes.fromhex("16030100a0010000"))
    start = time.monotonic()
    for number, wire in enumerate(waits):
        true(f"{number}: an unfinished handshake is kept open", wire.ends(3))
    true("unfinished handshakes are closed too early",
         time.monotonic() - start > 0.5)
    # The request has its own time, counted from its first byte.
    with Wire() as late:
        time.sleep(1.5 if SCALE == 1 else 0)
        late.send(READY)
        equal("asked late", 200, late.reply().status)


def held():
    """A connection held open; lines on standard input are its commands."""
    with Wire() as wire:
        print("open", flush=True)
        sys.stdin.readline()
        wire.send(READY)
        equal("held", 200, wire.reply().status)
        print("answered", flush=True)
        wire.socket.settimeout(60 * SCALE)
        wire.socket.suppress_ragged_eofs = False
        print("farewell" if wire.socket.recv(1) == b"" else "data", flush=True)


def suspended():
    """--worker-count=1 --inline-limit=0 --max-queue-delay=0: bytes that arrive
    while a request waits for the worker are decrypted, and served afterwards."""
    # A worker needs time to compress tens of MB. These wait for each other.
    busy, first, third = (Question(n, 500, 100, 100, True) for n in (1, 2, 3))
    second = Question(4, 20, 2, 2)
    with Wire() as holder, Wire() as wire, Wire() as leaver:
        data = busy.request(["Accept-Encoding: gzip"])
        holder.send(data[:-1])
        waiting = [(one, question.request(["Accept-Encoding: gzip"]))
                   for one, question in ((wire, first), (leaver, third))]
        for one, request in waiting:
            one.send(request[:-1])
        holder.send(data[-1:])  # the worker begins with the last byte
        true("the worker has none", within(5, lambda: metric(PENDING) == 1))
        for one, request in waiting:
            one.send(request[-1:])
        true("none waits", within(5, lambda: metric(PENDING) == 3))
        wire.send(second.request())
        leaver.socket.setblocking(False)
        try:
            leaver.socket.unwrap()  # close_notify, and the socket stays open
        except ssl.SSLError:
            pass
        equal("the busy one", 200, holder.reply().status)
        equal("the first that waits", 200, wire.reply().status)
        second.check(wire.reply(), "pipelined while it waits, question")
        leaver.socket.settimeout(LIMIT)
        reply = leaver.reply()
        equal("said farewell", (503, True),
              (reply.status, b"cancelled" in reply.body))


{"unread": unread, "slow": slow, "held": held, "suspended": suspended}[sys.argv[3]]()
finish()
