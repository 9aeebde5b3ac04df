"""What calls that wait for their client, or for their turn, may hold.

Argument 3: the address of gRPC; 4: the part."""

import os
import signal
import sys
import time

import protobuf
import wire
from grpc_wire import (INITIAL_WINDOW, OK, PING, REFUSED_STREAM, SERVICE,
                       UNAVAILABLE, Http2, frame, message)
from question import Question

ADDRESS = sys.argv[3]
INFER, STREAM = SERVICE + "ModelInfer", SERVICE + "ModelStreamInfer"
WATCH = "/grpc.health.v1.Health/Watch"
SMALL = Question(1, 4, 3, 1)
MIB = 1 << 20
CONNECTIONS = 16  # of the daemon of `ports`
REFUSED = 'flipd_rejected_total{reason="crowd"}'


def queue():
    """Messages that come faster than they are answered: no more of them wait
    than the first window holds, and the budget counts them."""
    many, sent, answered, held = message(protobuf.field(99, bytes(246))) * 64, 0, 0, 0
    with Http2(ADDRESS) as one:
        stream = one.begin(STREAM)
        call = one.calls[stream]
        while answered < 3000 and not call.ended:
            while one.room(stream) >= len(many) and sent < 8 * MIB:
                one.data(stream, many, end=False)
                sent += len(many)
            if not wire.true("the connection", one.step()):
                return
            while len(call.data) >= 5:  # the last one may be cut
                size = 5 + int.from_bytes(call.data[1:5], "big")
                if size > len(call.data):
                    break
                del call.data[:size]
                answered += 1
            if not held and answered >= 1000:
                held = wire.metric("flipd_inflight_bytes")
        wire.true(f"ended: {call}", not call.ended)
        wire.true(f"{sent >> 10} KiB of messages, {answered} answered",
                  sent < 2 * MIB)
        # Less than half of 1.1 MiB has been answered; a buffer is at most twice as
        # large as its bytes.
        wire.true(f"they are counted: {held}", MIB / 2 < held < 3 * MIB)


def tiny():
    """Hundreds of thousands of messages in a queue take about their bytes, all
    of them counted; nothing is left when they are gone; and who reads gets
    every answer."""
    base = wire.memory_kib("VmRSS")
    opened = [Http2(ADDRESS, {INITIAL_WINDOW: 0}, deaf=True) for _ in range(4)]
    for one in opened:
        wire.true("settings", one.until(lambda: one.window > 8 * MIB))
        for _ in range(4):
            one.data(one.begin(STREAM), message(b"") * 200000, end=False)
        one.send(frame(PING, 0, 0, bytes(8)))
        wire.true("all are read", one.until(lambda: one.pongs))
    held = wire.metric("flipd_inflight_bytes")
    grown = wire.memory_kib("VmRSS") - base
    wire.true(f"16 MB of messages hold {held}", 16e6 < held < 40e6)
    wire.true(f"and {grown} KiB, of which 4 MiB are the connections'",
              wire.SCALE > 1 or grown << 10 < held + 4 * MIB)
    for one in opened:
        one.close()
    # Buffers are kept for half a minute, as the metric says.
    wire.true("given back", wire.SCALE > 1 or wire.within(20, lambda: (
        wire.memory_kib("VmRSS") - base << 10 <
        wire.metric('flipd_budget_bytes{use="kept"}') + 8 * MIB)))
    with Http2(ADDRESS) as one:
        stream = one.begin(STREAM)
        one.data(stream, message(b"") * 10000)
        call = one.await_call(stream)
        wire.equal("answers, status", (10000, OK),
                   (len(call.messages()), call.status))


def leases():
    """Replies that are not read are counted."""
    path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    asked = protobuf.field(4, "inference.GRPCInferenceService")
    with Http2(ADDRESS, {INITIAL_WINDOW: 0}, deaf=True) as one:
        for _ in range(20):
            one.ask(path, asked)
        wire.true("replies", wire.within(5, lambda: wire.metric(
            "flipd_inflight_bytes") > 19 * 16000))


def budget():
    """Calls that wait hold all bytes there are: they make room."""
    with Http2(ADDRESS) as first, Http2(ADDRESS) as second:
        streams = [(one, begin(one)) for one in (first, second)
                   for begin in [lambda one: one.begin(STREAM),
                                 lambda one: one.ask(WATCH, b"")] * 64]
        wire.true("held", wire.within(5, lambda: wire.metric(
            "flipd_inflight_bytes") > 900000))
        question = Question(1, 10, 10, 400)

        def served():
            with Http2(ADDRESS) as third:
                call = third.call(INFER, protobuf.infer(question))
                return call.status == OK and protobuf.check_call(question, call)
        wire.true("another one is served", wire.within(10, served))

        def ended():
            for one in (first, second):
                one.until(lambda: False, 0.2)
            return [one.calls[stream] for one, stream in streams
                    if one.calls[stream].ended and
                    one.calls[stream].reset != REFUSED_STREAM]
        wire.true("some were ended", wire.within(10, ended))
        told = ended()
        wire.equal("by a status", {UNAVAILABLE},
                   {call.status for call in told})
        wire.true(f"with a text: {told[:1]}", any(
            "max-inflight-bytes" in (call.text or "") for call in told))


def crowd():
    """Watches of many clients that fill the port make room for others. There is no
    connection that sooner could."""
    opened = []
    for number in range(70):
        one = Http2(ADDRESS, source=f"127.0.0.{2 + number // 3}")
        call = one.calls[one.ask(WATCH, b"")]
        opened.append(one)
        wire.true(f"client {number} is told", one.until(lambda: call.data))
    told = 0
    for one in opened:
        one.until(lambda: False, 0.01)
        told += one.goaway is not None
        one.close()
    wire.true("those that made room were told", told > 0)


def ports():
    """Sockets that wait for room take what is planned for them, and not that for
    each port."""
    planned = int(wire.metric('flipd_memory_bytes{term="waiting"}')) // (134 << 10)
    own = wire.open_files()
    clients = [wire.Wire()]  # another client's: so the crowd has its share and waits
    clients += [wire.Wire(port, source="127.0.0.2") for port in (wire.address, ADDRESS)
                for _ in range(CONNECTIONS + planned)]
    wire.true(f"{planned} are planned", 16 < planned < 400)
    held = []

    def settled():
        """They make room for each other, so all but these are refused in time."""
        held.append(wire.open_files() - own)
        return wire.metric(REFUSED) >= len(clients) - CONNECTIONS - planned
    wire.true("each is open or refused", wire.within(1, settled))
    wire.true(f"{max(held)} at a time", planned // 2 < max(held) <= CONNECTIONS + planned)


def stop():
    """A client that never stops sending is told, too."""
    many = message(protobuf.infer(SMALL)) * 100
    with Http2(ADDRESS) as one:
        wire.true("settings", one.until(lambda: one.window > MIB))
        stream = one.begin(STREAM)
        call = one.calls[stream]
        os.kill(wire.pid, signal.SIGTERM)
        end = time.monotonic() + wire.LIMIT
        while not call.ended and time.monotonic() < end:
            while one.room(stream) > len(many):
                one.data(stream, many, end=False)
            if not one.step():
                break
            call.data.clear()
        wire.equal("status", UNAVAILABLE, call.status)
        wire.true("GOAWAY", one.goaway)


try:
    {"queue": queue, "tiny": tiny, "leases": leases, "budget": budget,
     "crowd": crowd, "ports": ports, "stop": stop}[sys.argv[4]]()
except (wire.Closed, OSError) as error:
    wire.fail(f"{sys.argv[4]}: {type(error).__name__}: {error}")
wire.finish()
