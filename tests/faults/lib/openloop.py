"""Requests at a constant rate, whatever the daemon answers: an open loop, in a
process of its own. A latency counts from the moment at which the request was
due, so a client that waits does not hide the wait."""

import multiprocessing
import select
import socket
import time

import wire

IDLE = 2000  # connections at most


class Outcome:
    """ok, refused: latencies in ms of 200 and 503. lost: texts."""

    def __init__(self, seconds, ok, refused, lost):
        self.seconds, self.ok, self.refused, self.lost = (
            seconds, ok, refused, lost)

    @property
    def goodput(self):
        return len(self.ok) / self.seconds

    @staticmethod
    def at(values, share):
        ordered = sorted(values) or [0.0]
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Pending:
    def __init__(self, sock, due):
        self.socket, self.due, self.data = sock, due, bytearray()


class OpenLoop:
    """answer: the whole body of a right answer."""

    def __init__(self, request, answer, to=None):
        self.request, self.answer = request, answer
        host, port = (to or wire.address).rsplit(":", 1)
        self.target = host, int(port)

    def run(self, rate, seconds):
        return self.forked(lambda: self.paced(rate, seconds))

    def peak(self, clients, seconds):
        """The same requests in a closed loop: the most that is answered."""
        return self.forked(lambda: self.paced(0, seconds, clients))

    def forked(self, work):
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=lambda: theirs.send(work()),
                                  daemon=True)
        process.start()
        theirs.close()
        result = Outcome(*ours.recv())
        process.join()
        return result

    def paced(self, rate, seconds, clients=0):
        self.poll, self.busy, self.idle = select.epoll(), {}, []
        self.ok, self.refused, self.lost = [], [], []
        started = time.monotonic()
        end, sent = started + seconds, 0
        while (now := time.monotonic()) < end:
            while (now >= started + sent / rate if rate
                   else len(self.busy) < clients):
                self.send(started + sent / rate if rate else now)
                sent += 1
            self.receive(0.001)
        while self.busy and time.monotonic() < end + wire.LIMIT:
            self.receive(0.05)
        self.lost += ["no answer"] * len(self.busy)
        return seconds, self.ok, self.refused, self.lost

    def connection(self):
        if self.idle:
            return self.idle.pop()
        sock = socket.create_connection(self.target, wire.LIMIT)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setblocking(False)
        self.poll.register(sock, select.EPOLLIN)
        return sock

    def send(self, due):
        if len(self.busy) >= IDLE:
            self.lost.append("no connection left")
            return
        try:
            sock = self.connection()
            self.busy[sock.fileno()] = Pending(sock, due)
            sock.send(self.request)
        except OSError as error:
            self.lost.append(str(error))

    def receive(self, seconds):
        for fd, _ in self.poll.poll(seconds, 1024):
            pending = self.busy.get(fd)
            if pending is None:
                self.drop_idle(fd)
                continue
            try:
                part = pending.socket.recv(1 << 16)
            except OSError:
                part = b""
            if not part:
                self.lost.append(f"closed after {len(pending.data)} bytes")
                self.close(fd, pending.socket)
                continue
            pending.data += part
            self.judge(fd, pending)

    def judge(self, fd, pending):
        head = pending.data.find(b"\r\n\r\n")
        if head < 0:
            return
        lines = bytes(pending.data[:head]).lower()
        length = int(lines.split(b"\r\ncontent-length:")[1].split(b"\r\n")[0])
        if len(pending.data) < head + 4 + length:
            return
        took = (time.monotonic() - pending.due) * 1000
        status = int(lines[9:12])
        if status == 200 and pending.data[head + 4:] == self.answer:
            self.ok.append(took)
        elif status == 503:
            self.refused.append(took)
        else:
            self.lost.append(f"{status}, or a wrong answer")
        if b"connection: close" in lines:
            self.close(fd, pending.socket)
            return
        del self.busy[fd]
        self.idle.append(pending.socket)

    def drop_idle(self, fd):
        for sock in self.idle:
            if sock.fileno() == fd:
                self.poll.unregister(fd)
                self.idle.remove(sock)
                sock.close()
                return

    def close(self, fd, sock):
        self.busy.pop(fd, None)
        self.poll.unregister(fd)
        sock.close()
