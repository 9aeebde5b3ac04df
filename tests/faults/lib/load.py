"""Keep-alive clients in a process of their own, driven by one epoll loop: each
sends a request, compares the whole answer, and sends the next one. A client
that is told `Connection: close` connects again, as HTTP says; a connection that
ends in any other way has lost its request."""

import multiprocessing
import select
import socket
import time

import wire
from question import Question


class Result:
    def __init__(self, answered, lost):
        self.answered, self.lost = answered, lost


class Client:
    def __init__(self, target, request, answer):
        self.target, self.request, self.answer = target, request, answer
        self.socket = None

    def connect(self):
        self.socket = socket.create_connection(self.target, wire.LIMIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self):
        self.data = bytearray()
        self.started = time.monotonic()
        self.socket.settimeout(wire.LIMIT)
        self.socket.sendall(self.request)
        self.socket.setblocking(False)

    def receive(self):
        """None while the answer is not complete; then "" or what is wrong."""
        part = self.socket.recv(1 << 18)
        if not part:
            return f"closed after {bytes(self.data[:60])}"
        self.data += part
        head = self.data.find(b"\r\n\r\n")
        if head < 0:
            return None
        lines = bytes(self.data[:head]).lower()
        length = int(lines.split(b"\r\ncontent-length:")[1].split(b"\r\n")[0])
        if len(self.data) < head + 4 + length:
            return None
        self.closes = b"connection: close" in lines
        if not lines.startswith(b"http/1.1 200"):
            return bytes(self.data[:300]).decode("latin-1")
        return "" if self.data[head + 4:] == self.answer else "WRONG ANSWER"


class Load:
    """size: bytes of the tensor. pause: seconds between a client's requests."""

    def __init__(self, address, clients, size, pause):
        host, port = address.rsplit(":", 1)
        question = Question(size, 32, 8, size // 1024, True)
        with wire.Wire() as one:
            one.send(question.request())
            reply = one.reply()
        question.check(reply, "before the load")
        self.pause = pause
        self.clients = [Client((host, int(port)), question.request(),
                               reply.body) for _ in range(clients)]
        self.answered = multiprocessing.Value("L", 0)

    def start(self):
        context = multiprocessing.get_context("fork")
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=self.work, args=(theirs,),
                                       daemon=True)
        self.process.start()

    def count(self):
        return self.answered.value

    def stop(self):
        """Every request that was sent is answered first, or lost."""
        self.ours.send("stop")
        lost = self.ours.recv()
        self.process.join()
        return Result(self.answered.value, lost)

    def work(self, pipe):
        self.poll, self.lost = select.epoll(), []
        self.by_fd, self.due = {}, [(0, client) for client in self.clients]
        stopping = False
        while self.by_fd or not stopping:
            stopping = stopping or pipe.poll()
            self.send_due(stopping)
            for fd, _ in self.poll.poll(0.02, 256):
                self.handle(self.by_fd[fd])
            self.expire()
        pipe.send(self.lost)

    def send_due(self, stopping):
        now = time.monotonic()
        waiting = []
        for when, client in self.due:
            if stopping or when > now:
                waiting.append((when, client))
            else:
                self.send(client)
        self.due = [] if stopping else waiting

    def send(self, client):
        try:
            if client.socket is None:
                client.connect()
                self.poll.register(client.socket, select.EPOLLIN)
            self.by_fd[client.socket.fileno()] = client
            client.send()
        except OSError as error:
            self.end(client, f"not sent: {error}")

    def handle(self, client):
        try:
            wrong = client.receive()
        except (OSError, ValueError, IndexError) as error:
            wrong = f"{type(error).__name__} {error}"
        if wrong is None:
            return
        if wrong:
            self.end(client, wrong)
            return
        self.answered.value += 1
        del self.by_fd[client.socket.fileno()]
        if client.closes:
            self.close(client)
        self.due.append((time.monotonic() + self.pause, client))

    def end(self, client, text):
        self.lost.append(text)
        if client.socket:
            self.by_fd.pop(client.socket.fileno(), None)
            self.close(client)
        self.due.append((time.monotonic() + 0.1, client))

    def close(self, client):
        self.poll.unregister(client.socket)
        client.socket.close()
        client.socket = None

    def expire(self):
        late = time.monotonic() - 2 * wire.LIMIT
        for client in list(self.by_fd.values()):
            if client.started < late:
                self.end(client, f"no answer in {2 * wire.LIMIT} s")
