"""Large messages in one burst each: in frames of one length, as clients send
them, and with everything between them that may come there.

Argument 3: the address of gRPC."""

import array
import random
import struct
import sys

import protobuf
import wire
from grpc_wire import (DATA, END_STREAM, INITIAL_WINDOW, PADDED, PING, SERVICE,
                       SETTINGS, WINDOW_UPDATE, Http2, frame, message)
from question import Question, reverse_sequence

ADDRESS = sys.argv[3]
INFER = SERVICE + "ModelInfer"
FRAME = 16384


class Burst:
    """The bytes of a call whose message is sent in frames of `size`."""

    def __init__(self, one, question, size=FRAME):
        self.one, self.question, self.size = one, question, size
        self.whole = message(protobuf.infer(question))
        self.stream, self.at = one.begin(INFER), 0

    def take(self, size):
        part = self.whole[self.at:self.at + size]
        self.at += len(part)
        return part

    def plain(self, size=None):
        part = self.take(size or self.size)
        last = self.at == len(self.whole)
        return frame(DATA, END_STREAM if last else 0, self.stream, part)

    def padded(self):
        return frame(DATA, PADDED, self.stream,
                     b"\x07" + self.take(self.size - 8) + bytes(7))

    def is_over(self):
        return self.at >= len(self.whole)

    def is_near_the_end(self):
        return self.at + 2 * self.size >= len(self.whole)

    def check(self, what):
        self.one.window -= len(self.whole)
        protobuf.check_call(self.question, self.one.await_call(self.stream),
                            what)


def question(tag, size=600 << 10):
    return Question(tag, size // 256 // 4, 4, 64)


def wide():
    """A connection whose windows let all be sent at once."""
    one = Http2(ADDRESS)
    if not one.until(lambda: one.theirs.get(INITIAL_WINDOW, 0) >= 1 << 20 and
                     one.window >= 32 << 20):
        wire.fail(f"the windows are {one.theirs} and {one.window}")
    return one


def of_one_length():
    for size in (16384, 16383, 12288, 4096, 1000, 40000, 1 << 20):
        with wide() as one:
            burst, sent = Burst(one, question(size), size), b""
            while not burst.is_over():
                sent += burst.plain()
            one.send(sent)
            burst.check(f"frames of {size}")


def strange(rng, burst, other):
    """Something between two frames of the message; `other`: a call whose
    message is sent meanwhile."""
    kinds = [
        lambda: frame(PING, 0, 0, bytes(8)),
        lambda: frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)),
        lambda: frame(WINDOW_UPDATE, 0, burst.stream, struct.pack(">I", 1)),
        lambda: frame(SETTINGS),
        lambda: frame(SETTINGS, 0, 0, struct.pack(">HI", 3, 100)),
        lambda: frame(99, 0, burst.stream, bytes(rng.randrange(40))),
        lambda: frame(DATA, 0, burst.stream),
        burst.padded,
        lambda: burst.plain(rng.randrange(1, burst.size)),
        lambda: burst.plain(rng.randrange(burst.size, 2 * burst.size)),
        lambda: b"" if other.is_over() else other.plain(),
    ]
    return rng.choice(kinds)()


def between_frames():
    rng = random.Random(5)
    for turn in range(40):
        with wide() as one:
            burst = Burst(one, question(turn), rng.choice((16384, 16384, 13000)))
            other = Burst(one, question(1000 + turn, 200 << 10))
            sent = b""
            while not burst.is_near_the_end():
                sent += burst.plain()
                if rng.randrange(4) == 0:
                    sent += strange(rng, burst, other)
            for rest in (burst, other):
                while not rest.is_over():
                    sent += rest.plain()
            # In parts that end anywhere.
            while sent:
                size = rng.choice((len(sent), 200000, 16400, 9, 5))
                one.send(sent[:size])
                sent = sent[size:]
            burst.check(f"turn {turn}, the one")
            other.check(f"turn {turn}, the other")


def heads_in_the_data():
    """Frames that are longer than those before, where the data looks like the
    head of another one."""
    for shift in range(18):
        with wide() as one:
            asked = question(shift)
            head = frame(DATA, 0, one.next, bytes(FRAME))[:9]
            data = b"".join(head + b"%9d" % i for i in range(1 << 16))
            asked.data = array.array("i", data[:4 * len(asked.data)])
            asked.expected = array.array("i")
            for row in reverse_sequence(asked.data, *asked.shape, asked.lens):
                asked.expected.extend(row)
            burst = Burst(one, asked)
            sent = burst.plain(FRAME + shift)
            while not burst.is_near_the_end():
                sent += burst.plain() + burst.plain(FRAME + 9 * 300)
            while not burst.is_over():
                sent += burst.plain()
            one.send(sent)
            burst.check(f"heads in the data, {shift}")


def ends_early():
    """In the middle of the message, with frames of the next call behind it."""
    with wide() as one:
        burst, other = Burst(one, question(1)), Burst(one, question(2))
        sent = b"".join(burst.plain() for _ in range(10))
        sent += frame(DATA, END_STREAM, burst.stream, burst.take(FRAME))
        while not other.is_over():
            sent += other.plain()
        one.send(sent)
        call = one.await_call(burst.stream)
        wire.equal("a message that ends early", 13, call.status)
        other.check("behind it")


def several_in_a_stream():
    """Messages that end within a frame; the next begins there."""
    with wide() as one:
        asked = [question(tag, 250 << 10) for tag in range(3)]
        stream = one.begin(SERVICE + "ModelStreamInfer")
        whole = b"".join(message(protobuf.infer(each)) for each in asked)
        one.send(b"".join(
            frame(DATA, END_STREAM if at + FRAME >= len(whole) else 0, stream,
                  whole[at:at + FRAME]) for at in range(0, len(whole), FRAME)))
        replies = one.await_call(stream).messages()
        wire.equal("replies", len(asked), len(replies))
        for each, (_, reply) in zip(asked, replies):
            protobuf.check(each, protobuf.one_of(reply, 2), "in a stream")


wire.run(of_one_length, between_frames, heads_in_the_data, ends_early,
         several_in_a_stream)
