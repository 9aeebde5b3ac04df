"""A normal client in a process of its own: small requests at a steady pace
from 127.0.0.1, each answer compared byte for byte, each latency kept."""

import multiprocessing
import socket
import time

import wire
from question import Question


def normal_request():
    """4 KiB of INT32 as bytes, and the whole body of the right answer, taken
    from an idle daemon and checked."""
    question = Question(77, 32, 8, 4, True)
    with wire.Wire() as one:
        one.send(question.request())
        reply = one.reply()
    question.check(reply, "the normal request")
    return question.request(), reply.body


class Result:
    """latencies: ms, of right answers. lost: texts, one for each request
    without a right answer within `patience`."""

    def __init__(self, latencies, lost):
        self.latencies, self.lost = latencies, lost

    @property
    def share(self):
        asked = len(self.latencies) + len(self.lost)
        return len(self.latencies) / asked if asked else 0.0

    def at(self, share):
        ordered = sorted(self.latencies) or [float("inf")]
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def __str__(self):
        return (f"{100 * self.share:.2f} % of "
                f"{len(self.latencies) + len(self.lost)}, "
                f"p50 {self.at(0.5):.1f} ms, p99 {self.at(0.99):.1f} ms")


class Prober:
    """pause: seconds between two requests. fresh: a new connection for every
    n-th request; 0 keeps one until the daemon closes it. patience: seconds for
    one answer."""

    def __init__(self, request, answer, to=None, pause=0.01, fresh=0,
                 patience=5, source="127.0.0.1"):
        self.request, self.answer = request, answer
        host, port = (to or wire.address).rsplit(":", 1)
        self.target, self.source = (host, int(port)), source
        self.pause, self.fresh = pause, fresh
        self.patience = wire.BUSY + patience * wire.SCALE

    def __enter__(self):
        context = multiprocessing.get_context("fork")
        self.ours, theirs = context.Pipe()
        self.process = context.Process(
            target=self.work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        return self

    def __exit__(self, *unused):
        if self.process.is_alive():
            self.process.kill()
        self.process.join()

    def result(self):
        """Ends the client."""
        self.ours.send("stop")
        return Result(*self.ours.recv())

    def work(self, pipe):
        latencies, lost, number, one = [], [], 0, None
        while not pipe.poll(self.pause):
            number += 1
            if one and self.fresh and number % self.fresh == 0:
                one.close()
                one = None
            started = time.monotonic()
            try:
                one = one or self.connect()
                closes = self.ask(one, started)
                latencies.append((time.monotonic() - started) * 1000)
                if closes:
                    one.close()
                    one = None
            except (OSError, ValueError) as error:
                lost.append(f"{type(error).__name__} {error}")
                if one:
                    one.close()
                one = None
        pipe.send((latencies, lost))

    def connect(self):
        one = socket.socket()
        try:
            one.settimeout(self.patience)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            one.bind((self.source, 0))
            one.connect(self.target)
            if wire.trusted:
                one = wire.trusted.wrap_socket(
                    one, server_hostname="localhost")
        except OSError:
            one.close()
            raise
        return one

    def ask(self, one, started):
        """True when the daemon is going to close the connection."""
        one.sendall(self.request)
        data = bytearray()
        while (head := data.find(b"\r\n\r\n")) < 0:
            self.more(one, data, started)
        lines = bytes(data[:head]).lower()
        if not lines.startswith(b"http/1.1 200"):
            raise ValueError(lines[:40].decode("latin-1"))
        length = int(lines.split(b"\r\ncontent-length:")[1].split(b"\r\n")[0])
        while len(data) < head + 4 + length:
            self.more(one, data, started)
        if bytes(data[head + 4:]) != self.answer:
            raise ValueError("WRONG ANSWER")
        return b"connection: close" in lines

    def more(self, one, data, started):
        left = started + self.patience - time.monotonic()
        if left <= 0:
            raise ValueError("late")
        one.settimeout(left)
        part = one.recv(1 << 16)
        if not part:
            raise ValueError("closed")
        data += part
