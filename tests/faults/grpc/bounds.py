"""G9 to G13: what a call may hold: windows, streams, messages, time.

  argument 2   the row"""

import gzip
import struct
import time
import zlib

import protobuf
import wire
from fault import ARGUMENTS, MIB, Fault, mib, pick, series
from grpc_probe import (ATTACKER, INFER, GrpcProber, inside_the_plan, served)
from grpc_wire import (DATA, END_HEADERS, END_STREAM, FLOW_CONTROL_ERROR,
                       HEADERS, INITIAL_WINDOW, MAX_STREAMS, REFUSED_STREAM,
                       RESOURCE_EXHAUSTED, WINDOW_UPDATE, Http2, block, frame,
                       message, request_fields)
from question import Question

ROW = ARGUMENTS[0]
BUDGET = 64 * MIB
TIMEOUT = pick(2, 5)  # --body-timeout


def zeros(size):
    """A request for `size` bytes of zeros, which gzip makes small."""
    lens = struct.pack("<q", 0)
    plain = (protobuf.field(1, "openvino.ReverseSequence") +
             protobuf.field(5, protobuf.tensor("data", "UINT8", [1, size])) +
             protobuf.field(5, protobuf.tensor("seq_lengths", "INT64", [1])) +
             protobuf.field(7, bytes(size)) + protobuf.field(7, lens))
    return gzip.compress(plain, 9)


GZIP = [("grpc-encoding", "gzip"), ("grpc-accept-encoding", "identity")]


def stalled_windows(daemon):
    """1,000 streams on 10 connections, each of whose replies of 1 MiB waits for
    a window that never opens."""
    asked = zeros(MIB)
    opened = []
    with GrpcProber(daemon.grpc) as normal:
        for _ in range(10):
            one = Http2(daemon.grpc, {INITIAL_WINDOW: 0}, ATTACKER, deaf=True)
            opened.append(one)
            wire.true("settings", one.until(lambda: one.theirs))
            streams = min(100, one.theirs.get(MAX_STREAMS, 100))
            for _ in range(streams):
                one.ask(INFER, asked, GZIP, 1)
        total, held, rejected = 0, 0, 0
        end = time.monotonic() + TIMEOUT * 2 * wire.SCALE
        while time.monotonic() < end:
            held = max(held, series("flipd_inflight_bytes"))
            time.sleep(0.05)
        result = normal.result()
        for one in opened:
            one.until(lambda: False, 0.2)
            total += len(one.calls)
            rejected += sum(call.status not in (None, 0)
                            for call in one.calls.values())
    back = wire.within(TIMEOUT * 3 + 10,
                       lambda: series("flipd_inflight_bytes") == 0)
    wire.true("the stalled calls are still held", back)
    for one in opened:
        one.close()
    wire.true(f"held {held}", held <= BUDGET)
    wire.true(f"{len(result.lost)} lost beside it: {result.lost[:3]}",
              not result.lost)
    return (f"{total} streams of 10 connections: {mib(held)} held of "
            f"{mib(BUDGET)}, {rejected} refused, others {result}; "
            f"{inside_the_plan(daemon)}")


def overflow(daemon):
    """Windows that grow past 2^31 - 1."""
    most = struct.pack(">I", (1 << 31) - 1)
    with Http2(daemon.grpc, source=ATTACKER) as one:
        one.send(frame(WINDOW_UPDATE, 0, 0, most) * 2)
        wire.true("the connection's window", one.closed())
        wire.equal("GOAWAY", FLOW_CONTROL_ERROR, (one.goaway or (0, 0))[1])
    with Http2(daemon.grpc, source=ATTACKER) as one:
        stream = one.begin(INFER)
        one.send(frame(WINDOW_UPDATE, 0, stream, most) * 2)
        wire.true("a stream's window", one.until(
            lambda: one.calls[stream].ended or one.goaway))
        wire.true(f"{one.calls[stream]}",
                  FLOW_CONTROL_ERROR in (one.calls[stream].reset,
                                         (one.goaway or (0, 0))[1]))
    served(daemon.grpc, "afterwards")
    return "a connection and a stream were ended"


def streams(daemon):
    """More streams at once than the settings allow are refused, and none of the
    others suffers."""
    with Http2(daemon.grpc, source=ATTACKER) as one:
        wire.true("settings", one.until(lambda: MAX_STREAMS in one.theirs))
        most = one.theirs[MAX_STREAMS]
        opened = [one.begin(INFER) for _ in range(most + 20)]
        wire.true("refused", one.until(lambda: sum(
            one.calls[s].reset == REFUSED_STREAM for s in opened) == 20 or
            one.goaway))
        if not one.goaway:
            question = Question(3)
            one.data(opened[0], message(protobuf.infer(question)))
            protobuf.check_call(question, one.await_call(opened[0]))
    # Numbers that fall, or that are the daemon's.
    for stream in (2, 1):
        with Http2(daemon.grpc, source=ATTACKER) as one:
            one.next = 5
            one.call(INFER, b"")
            one.send(frame(HEADERS, END_HEADERS | END_STREAM, stream,
                           block(request_fields(INFER))))
            wire.true(f"stream {stream}", one.closed())
    served(daemon.grpc, "afterwards")
    return f"20 streams over {most} refused"


def messages(daemon):
    """Lengths of 4 GiB that nothing follows, and bombs: 1030 to 1."""
    memory = wire.memory_kib("VmHWM")
    for size in ((1 << 32) - 1, 1 << 31, BUDGET + 1):
        with Http2(daemon.grpc, source=ATTACKER) as one:
            for _ in range(20):
                stream = one.begin(INFER)
                one.send(frame(DATA, 0, stream, struct.pack(">BI", 0, size)))
                wire.equal(f"{size} announced", RESOURCE_EXHAUSTED,
                           one.await_call(stream).status)
    grown = wire.memory_kib("VmHWM") - memory
    wire.true(f"{grown} KiB for lengths", wire.SCALE > 1 or grown < 8192)
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(MIB))
                    for _ in range(pick(1 << 10, 10 << 10))) + packer.flush()
    spent, started = wire.cpu_seconds(), time.monotonic()
    with Http2(daemon.grpc, source=ATTACKER) as one:
        call = one.call(INFER, bomb, GZIP, 1)
        wire.equal(f"a bomb: {call}", RESOURCE_EXHAUSTED, call.status)
        question = Question(4)
        protobuf.check_call(question, one.call(INFER, protobuf.infer(question)))
    spent = wire.cpu_seconds() - spent
    wire.true(f"{spent} s of CPU", spent < 5 * wire.SCALE)
    return (f"60 lengths refused, {grown:+d} KiB; a bomb of "
            f"{mib(len(bomb))} after {time.monotonic() - started:.2f} s, "
            f"{spent:.2f} s of CPU; {inside_the_plan(daemon)}")


def slow(daemon):
    """Connections that say nothing, half a preface, half a head, half a
    message: each is ended."""
    files = wire.open_files()
    held = []
    head = frame(HEADERS, END_HEADERS, 1, block(request_fields(INFER)))
    for data in (b"", b"PRI * HT", frame(HEADERS, 0, 1, b"\0"), head,
                 head + frame(DATA, 0, 1, struct.pack(">BI", 0, MIB) + b"a"),
                 b"GET / HTTP/1.1\r\n\r\n"):
        for _ in range(20):
            one = Http2(daemon.grpc, source=ATTACKER, deaf=True,
                        greet=data[:1] in (b"\0", b"") and data != b"")
            one.send(data)
            held.append(one)
    started = time.monotonic()
    gone = wire.within(TIMEOUT * 5 + 10, lambda: wire.open_files() <= files)
    wire.true(f"{wire.open_files() - files} connections are still open", gone)
    seconds = time.monotonic() - started
    for one in held:
        one.close()
    served(daemon.grpc, "afterwards")
    return f"{len(held)} connections ended within {seconds:.1f} s"


NAMES = {"G9": ("windows that stall", stalled_windows),
         "G10": ("windows that overflow", overflow),
         "G11": ("streams over the limit", streams),
         "G12": ("lengths and bombs", messages),
         "G13": ("slow calls", slow)}
Fault(ROW, NAMES[ROW][0],
      ["--grpc-port=0", f"--max-inflight-bytes={BUDGET}",
       f"--http-max-input-size={BUDGET}", f"--body-timeout={TIMEOUT}",
       f"--header-timeout={TIMEOUT}", f"--idle-timeout={TIMEOUT}"],
      timeout=TIMEOUT * 3 + 10, kept=210 if ROW == "G12" else 64).run(
          NAMES[ROW][1])
