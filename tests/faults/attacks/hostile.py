"""What one hostile client does, from one address, with 100 KB/s at most. Each
attack is a function of a `Client`; it goes on until its process is killed."""

import gzip
import multiprocessing
import os
import ssl
import time

import wire
from crowd import Crowd
from fault import EXAMPLE, PATH
from namespace import end_with_parent
from question import announce, column

RATE = 100000  # bytes a second
BURST = RATE / 10  # bytes that may be sent at once after a pause
CONNECT = 200  # bytes of packets for a connection
MIB = 1 << 20


class Client:
    """A crowd of connections, and what may be sent on them. sent: a counter of
    bytes, shared with who measures."""

    def __init__(self, target, source, sent):
        self.source, self.target, self.sent = source, target, sent
        self.crowd = Crowd(source, to=target)
        self.rate, self.due = RATE, time.monotonic()

    def deaf(self):
        self.crowd = Crowd(self.source, 4096, True, to=self.target)

    def pay(self, count):
        """Waits until `count` bytes more may be sent. What was not sent earlier
        is lost, but for a burst."""
        self.due = max(self.due, time.monotonic() - BURST / self.rate)
        self.due += count / self.rate
        while (ahead := self.due - time.monotonic()) > 0:
            self.crowd.step(min(ahead, 0.05))
        with self.sent.get_lock():
            self.sent.value += count

    def fill(self, count, data=b""):
        """Opens a connection if there are fewer than `count`; False if not."""
        if len(self.crowd.members) >= count:
            self.crowd.step(0.01)
            return False
        self.pay(CONNECT + len(data))
        if not self.crowd.open(1, data):
            time.sleep(0.1)
        self.flush()
        return True

    def flush(self):
        for member in list(self.crowd.members.values()):
            if member.unsent and not member.error:
                member.send(b"")

    def drip(self, data):
        """Sends `data` on each connection, as the rate allows."""
        for member in list(self.crowd.members.values()):
            self.pay(60 + len(data))
            if member.closed is None:
                member.send(data)

    def repeat(self, count, data):
        """Asks `data` again and again on `count` connections, and reads."""
        while True:
            self.flush()
            if self.fill(count, data):
                continue
            for member in list(self.crowd.members.values()):
                if not member.received:
                    continue
                member.received.clear()
                self.pay(len(data))
                if member.closed is None:
                    member.send(data)


def headers_only(client):
    """Bodies of 64 KiB announced, never sent."""
    while True:
        client.fill(1500, announce(65536))


def bombs(client):
    """64 KB each, 64 MiB when inflated."""
    client.repeat(4, wire.request("POST", PATH, gzip.compress(
        bytes(64 * MIB)), ["Content-Encoding: gzip"]))


def coded(datatype, count, size, *headers, **parameters):
    """A request for zeros, which is small on the wire."""
    return column(datatype, count, bytes(size), [
        "Content-Encoding: gzip", *headers], gzip.compress, **parameters)


def never_reads(client):
    """1 KB asks for 1 MiB, which is never read."""
    client.deaf()
    data = coded("UINT8", MIB, MIB)
    while True:
        client.fill(500, data)


def header_drip(client):
    while True:
        while client.fill(1000, b"GET / HTTP/1.1\r\nA: "):
            pass
        client.drip(b"b")


def silent(client):
    """More connections than the daemon has, without a byte."""
    while True:
        client.fill(5000)


def slow_bodies(client):
    while True:
        while client.fill(1000, announce(65536)):
            pass
        client.drip(b" ")


def churn(client):
    """Connections that are closed at once."""
    while True:
        client.fill(1)
        client.crowd.close(reset=client.sent.value % 400 == 0)
        client.crowd = Crowd(client.source, to=client.target)


def costly(client):
    """8 KB: 8 MiB of UINT1, to be answered as JSON."""
    client.repeat(40, coded("UINT1", 64 * MIB, 8 * MIB,
                           binary_data_output=False))


def pipelining(client):
    client.repeat(4, (wire.request("GET", "/v2/health/live") * 50 +
                      wire.request("POST", PATH, EXAMPLE) * 20))


def documents(client):
    """Deep, long and odd documents of 100 KB."""
    deep = b'{"inputs":' + b"[" * 100000
    long = b'{"id":' + b"9" * 100000 + b"}"
    many = b'{"x":[' + b"{}," * 33000 + b"{}]}"
    client.repeat(2, b"".join(wire.request("POST", PATH, body)
                              for body in (deep, long, many)))


def overload(client):
    """1 KB each: 1 MiB to inflate, reverse and deflate."""
    client.repeat(64, coded("FP32", MIB // 4, MIB, "Accept-Encoding: gzip"))


def both(client):
    """Announced bodies and bombs, from one address, with half of the bytes
    each."""
    if os.fork() == 0:
        end_with_parent()
        client = Client(client.target, client.source, client.sent)
        client.rate = RATE / 2
        bombs(client)
    client.rate = RATE / 2
    headers_only(client)


def client_hello():
    outgoing = ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        context.wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def handshakes(client):
    """A TLS hello, sent again and again on new connections; each ends when the
    daemon has done the costly half."""
    hello = client_hello()
    while True:
        client.fill(200, hello)
        for fd, member in list(client.crowd.members.items()):
            if member.received:
                client.crowd.end(fd, member)


ATTACKS = {"headers only": headers_only, "gzip bombs": bombs,
           "both of these": both, "never reads": never_reads,
           "header drip": header_drip, "silent crowd": silent,
           "slow bodies": slow_bodies, "churn": churn,
           "costly gzip": costly, "pipelining": pipelining,
           "documents": documents, "overload": overload,
           "TLS handshakes": handshakes}


class Hostile:
    """An attack in a process of its own, until the end of the `with`."""

    def __init__(self, name, source="127.0.0.2", to=None):
        self.args = ATTACKS[name], to or wire.address, source

    @staticmethod
    def work(attack, target, source, sent):
        os.setsid()
        end_with_parent()  # no attack outlives the program that started it
        os.nice(15)  # the attacker's own cost is not what is measured
        while True:
            try:
                attack(Client(target, source, sent))
            except OSError:
                time.sleep(0.1)

    def __enter__(self):
        context = multiprocessing.get_context("fork")
        self.sent = context.Value("Q")
        self.process = context.Process(target=self.work,
                                       args=(*self.args, self.sent))
        self.process.start()
        return self

    def sent_bytes(self):
        return self.sent.get_obj().value  # the lock may be a dead process's

    def __exit__(self, *unused):
        try:
            os.killpg(self.process.pid, 9)
        except OSError:
            self.process.kill()
        self.process.join()
