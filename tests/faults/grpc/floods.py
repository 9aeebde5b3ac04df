"""G1 to G8: floods of frames at the gRPC port, beside a normal client.

  argument 2   the row"""

import random
import struct
import time

import wire
from fault import ARGUMENTS, Fault, pick
from grpc_probe import ATTACKER, INFER, beside, inside_the_plan, served
from grpc_wire import (CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS,
                       INITIAL_WINDOW, PADDED, PING, PRIORITY, RST_STREAM,
                       SETTINGS, WINDOW_UPDATE, Http2, block, frame, request_fields,
                       settings)

ROW = ARGUMENTS[0]
SECONDS = pick(2, 10)
RATE = 10000  # streams or frames a second
HEADS = block(request_fields(INFER))


class Endless:
    """A connection of the attacker's that is made anew when it was closed."""

    def __init__(self, to, **how):
        self.to, self.how, self.one = to, how, None

    def send(self, data):
        if self.one is None:
            self.one = Http2(self.to, source=ATTACKER, deaf=True, **self.how)
            self.one.socket.settimeout(5)
        try:
            self.one.send(data)
        except OSError:
            self.one.close()
            self.one = None
            raise


def paced(act, burst):
    """`burst` of RATE a second."""
    started, done = time.monotonic(), 0

    def step(count):
        nonlocal done
        act(count)
        done += burst
        ahead = started + done / RATE - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
    return step


def resets(to, spoil):
    """100 streams at a time: opened, and made to end by `spoil(stream)`."""
    state = {"one": None, "next": 1}

    def act(count):
        if state["one"] is None:
            state.update(one=Http2(to, source=ATTACKER), next=1)
        first = state["next"]
        data = b"".join(
            frame(HEADERS, END_HEADERS, stream, HEADS) + spoil(stream)
            for stream in range(first, first + 200, 2))
        state["next"] += 200
        try:
            count.value += 100
            state["one"].send(data)
            state["one"].socket.setblocking(False)
            try:
                if not state["one"].socket.recv(1 << 18):
                    raise ConnectionError
            except BlockingIOError:
                pass
            state["one"].socket.settimeout(5)
        except OSError:
            state["one"].close()
            state["one"] = None
    return paced(act, 100)


def rapid_reset(daemon):
    text, rate = beside(daemon.grpc, resets(daemon.grpc, lambda stream: frame(
        RST_STREAM, 0, stream, struct.pack(">I", 8))), SECONDS)
    return f"{rate:.0f} streams a second opened and reset: {text}"


def made_you_reset(daemon):
    """The daemon is made to reset: a window of no bytes more, each time."""
    text, rate = beside(daemon.grpc, resets(daemon.grpc, lambda stream: frame(
        WINDOW_UPDATE, 0, stream, bytes(4))), SECONDS)
    return f"{rate:.0f} streams a second spoilt: {text}"


def closes(to, first, more, most=64 << 20):
    """Sends `first`, then `more` until the daemon closes; the bytes sent."""
    sent = 0
    with Http2(to, source=ATTACKER, deaf=True) as one:
        one.socket.settimeout(wire.LIMIT)
        try:
            one.send(first)
            while sent < most:
                one.send(more)
                sent += len(more)
            wire.fail(f"not closed after {sent} bytes")
        except OSError as error:
            wire.true(f"{error!r}", not isinstance(error, TimeoutError))
    return sent


def continuation(daemon):
    """A header block without an end, never decoded into more than its bound."""
    sent = [closes(daemon.grpc, frame(HEADERS, 0, 1, HEADS), more) for more in (
        frame(CONTINUATION, 0, 1, block([("x", "y" * 1000)])),
        frame(CONTINUATION, 0, 1, b"\x88" * 16384),
        frame(CONTINUATION, 0, 1) * 100)]
    served(daemon.grpc, "afterwards")
    text, rate = beside(daemon.grpc, paced(lambda count: continue_(
        daemon.grpc, count), 1000), SECONDS)
    return (f"closed after {', '.join(str(n >> 10) for n in sent)} KiB; "
            f"{rate:.0f} frames a second: {text}; {inside_the_plan(daemon)}")


def continue_(to, count):
    with Http2(to, source=ATTACKER, deaf=True) as one:
        one.send(frame(HEADERS, 0, 1, HEADS))
        for _ in range(1000):
            one.send(frame(CONTINUATION, 0, 1, block([("x", "y" * 1000)])))
            count.value += 1


def unread(daemon, data, each):
    """Frames that ask for an answer each, which nobody reads."""
    attacker = Endless(daemon.grpc, receive_buffer=4096)

    def act(count):
        attacker.send(data)
        count.value += each

    text, rate = beside(daemon.grpc, paced(act, each), SECONDS)
    return f"{rate:.0f} a second: {text}; {inside_the_plan(daemon)}"


def pings(daemon):
    return unread(daemon, frame(PING, 0, 0, bytes(8)) * 500, 500)


def settings_flood(daemon):
    one = frame(SETTINGS, 0, 0, settings({INITIAL_WINDOW: 65535}))
    return unread(daemon, one * 500, 500)


def idle_frames(daemon):
    """Frames that change nothing: PRIORITY, windows, DATA without bytes, padded
    too, and types that are not known."""
    start = frame(HEADERS, END_HEADERS, 1, HEADS)
    kinds = [frame(PRIORITY, 0, 1, struct.pack(">IB", 3, 9)),
             frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)),
             frame(DATA, 0, 1), frame(DATA, PADDED, 1, b"\0"),
             frame(10, 0, 0, bytes(2)), frame(99)]
    texts = []
    for kind in kinds:
        state = {"one": None}

        def act(count, kind=kind, state=state):
            if state["one"] is None:
                state["one"] = Http2(daemon.grpc, source=ATTACKER)
                state["one"].send(start)
            try:
                state["one"].send(kind * 500)
                count.value += 500
            except OSError:
                state["one"].close()
                state["one"] = None

        text, rate = beside(daemon.grpc, paced(act, 500), SECONDS / 4)
        texts.append(f"{rate:.0f} a second: {text}")
    return "; ".join(texts)


def header_lists(daemon):
    """Heads beyond the bound: as they are, and as references to a table's
    entry of 4 KB, which is 16 MB in a block of 16 KB."""
    large = block([("x", "y" * 4000)]) * 50
    bomb = b"\x40\x01x" + b"\x7f\xa1\x1e" + b"y" * 4000 + b"\xbe" * 12000
    refused = 0
    for number, data in enumerate((large, bomb)):
        with Http2(daemon.grpc, source=ATTACKER) as one:
            pieces = [data[at:at + 16384] for at in range(0, len(data), 16384)]
            one.send(frame(HEADERS, END_STREAM, 1, HEADS) + b"".join(
                frame(CONTINUATION, END_HEADERS if piece is pieces[-1] else 0,
                      1, piece) for piece in pieces))
            one.until(lambda: one.calls[1].ended or one.goaway or one.over)
            call = one.calls[1]
            wire.true(f"list {number}: {call} {one.goaway}",
                      one.over or one.goaway or call.reset is not None or
                      call.status not in (None, 0) or
                      call.field(":status", 0) == "431")
            refused += 1
    served(daemon.grpc, "afterwards")
    return f"{refused} lists refused; {inside_the_plan(daemon)}"


def garbage(daemon):
    """Frames and bytes by lot."""
    lot, rounds = random.Random(15), pick(300, 5000)
    for _ in range(rounds):
        try:
            with Http2(daemon.grpc, source=ATTACKER,
                       greet=lot.random() < 0.9) as one:
                one.send(b"".join(frame(
                    lot.randrange(12), lot.randrange(256),
                    lot.choice((0, 1, 1, 2, 3, 1 << 31 | 1, lot.getrandbits(32))),
                    lot.choice((b"", HEADS, lot.randbytes(lot.randrange(300)))))
                    for _ in range(lot.randrange(1, 30))))
        except ConnectionError:
            pass
    served(daemon.grpc, "afterwards")
    return f"{rounds} connections of frames by lot; {inside_the_plan(daemon)}"


NAMES = {"G1": ("rapid reset", rapid_reset),
         "G2": ("made you reset", made_you_reset),
         "G3": ("headers without an end", continuation),
         "G4": ("pings", pings), "G5": ("settings", settings_flood),
         "G6": ("frames that change nothing", idle_frames),
         "G7": ("lists of headers", header_lists),
         "G8": ("frames by lot", garbage)}
Fault(ROW, NAMES[ROW][0], ["--grpc-port=0"]).run(NAMES[ROW][1])
