"""A raw HTTP/1.1 client that sees every byte, and the checks of these scripts.

Arguments of every script: the daemon's address (HOST:PORT or unix:PATH) and its
process id. A script prints its failed checks; then its exit code is 1. With
TLS_CA in the environment the connection is TLS and the daemon's certificate
must be signed by that file; TLS_CERT holds a client's certificate and key."""

import json
import os
import select
import socket
import ssl
import struct
import sys
import time

SCALE = int(os.environ.get("CK_TIMEOUT_MULTIPLIER", "1"))
# Seconds that a busy neighbour may add to each wait: a limit ends a test that
# hangs, and judges no machine. What must not be confused with the event that is
# waited for, such as a time limit of the daemon, takes longer than that.
BUSY = 30
# Seconds for one answer: a worker is nice, so a busy neighbour leaves it less than
# a twentieth of a core.
LIMIT = 5 * BUSY + 10 * SCALE

address, pid = (sys.argv + ["", "0"])[1:3]
pid = int(pid) if pid.isdigit() else 0
failures = 0


def fail(text):
    global failures
    failures += 1
    print("    FAILED:", text[:600], flush=True)


def equal(what, expected, got):
    if expected != got:
        fail(f"{what}: expected {expected!r:.300}, got {got!r:.300}")
    return expected == got


def true(what, condition):
    if not condition:
        fail(what)
    return condition


def finish():
    sys.exit(failures > 0)


def within(seconds, condition):
    """True as soon as the condition holds. `seconds`: what an idle machine takes
    at most."""
    end = time.monotonic() + BUSY + seconds * SCALE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def trust():
    if "TLS_CA" not in os.environ:
        return None
    context = ssl.create_default_context(cafile=os.environ["TLS_CA"])
    if "TLS_CERT" in os.environ:
        context.load_cert_chain(os.environ["TLS_CERT"])
    return context


trusted = trust()


# The errors of a non-blocking socket without data.
WOULD_BLOCK = BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError


class Closed(Exception):
    """The connection ended before the end of an answer."""


class Reply:
    def __init__(self, status, headers, body, interim):
        self.status, self.headers, self.body = status, headers, body
        self.interim = interim  # statuses of 1xx answers before it

    def header(self, name):
        """The only header of that name, or None."""
        found = [v for n, v in self.headers if n == name.lower()]
        if len(found) > 1:
            fail(f"header {name} stands twice: {found}")
        return found[0] if found else None

    def json(self):
        return json.loads(self.body)

    def closes(self):
        return (self.header("connection") or "").lower() == "close"

    def __repr__(self):
        return f"{self.status} {self.body[:200]!r}"


class Wire:
    def __init__(self, to=None, receive_buffer=0, source=None, limit=None):
        """source: an address of this machine to come from; limit: seconds."""
        to = to or address
        if to.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            target = to[5:]
        else:
            self.socket = socket.socket()
            host, port = to.rsplit(":", 1)
            target = (host, int(port))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if receive_buffer:
            self.socket.setsockopt(
                socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.socket.bind((source, 0))
        self.socket.settimeout(limit or LIMIT)
        self.socket.connect(target)
        if to == address and trusted:
            self.socket = trusted.wrap_socket(
                self.socket, server_hostname="localhost")
        self.buffer = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def send_and_receive(self, data, step):
        """Sends in steps and receives in between. A TLS session belongs to one
        thread at a time, so there is no second thread."""
        self.socket.settimeout(0)
        at, end = 0, time.monotonic() + LIMIT
        while at < len(data):
            ready = select.select([self.socket], [self.socket], [], LIMIT)
            if not any(ready) or time.monotonic() > end:
                raise Closed(f"not taken in {LIMIT} s: byte {at}")
            try:
                at += self.socket.send(data[at:at + step])
            except WOULD_BLOCK:
                pass
            try:
                self.more()
            except WOULD_BLOCK:
                pass
        self.socket.settimeout(LIMIT)

    def send_if_open(self, data):
        """Sends a request that may be refused before its end."""
        try:
            self.socket.sendall(data)
        except OSError:
            pass

    def more(self):
        try:
            data = self.socket.recv(1 << 20)
        except WOULD_BLOCK:
            raise
        except socket.timeout:
            raise Closed(f"nothing came in {LIMIT} s, after "
                         f"{bytes(self.buffer[:80])!r}") from None
        except (ConnectionError, ssl.SSLError) as error:
            raise Closed(str(error)) from None
        if not data:
            raise Closed(f"ended after {bytes(self.buffer[:80])!r}")
        self.buffer += data

    def read_slowly(self, seconds, step, pause):
        """Receives for so long, with a pause after each `step` bytes; reply()
        goes on from there."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.buffer += self.socket.recv(step)
            time.sleep(pause)

    def take(self, count):
        while len(self.buffer) < count:
            self.more()
        taken = bytes(self.buffer[:count])
        del self.buffer[:count]
        return taken

    def line(self, end=b"\r\n"):
        while (at := self.buffer.find(end)) < 0:
            self.more()
        return self.take(at + len(end))[:-len(end)]

    def head(self):
        first = self.line().decode("latin-1")
        if not first.startswith("HTTP/1."):
            raise Closed(f"not an answer: {first!r}")
        headers = []
        while text := self.line().decode("latin-1"):
            name, _, value = text.partition(":")
            headers.append((name.lower(), value.strip()))
        return int(first.split()[1]), headers

    def reply(self, method="GET"):
        """Returns the next complete answer. Raises Closed."""
        interim = []
        status, headers = self.head()
        while 100 <= status < 200:
            interim.append(status)
            status, headers = self.head()
        reply = Reply(status, headers, b"", interim)
        if method == "HEAD" or status in (204, 304):
            return reply
        if (reply.header("transfer-encoding") or "") == "chunked":
            reply.body = self.chunked()
        elif reply.header("content-length") is not None:
            reply.body = self.take(int(reply.header("content-length")))
        else:
            reply.body = self.rest()
        return reply

    def chunked(self):
        parts = []
        while size := int(self.line().split(b";")[0], 16):
            parts.append(self.take(size))
            self.line()
        while self.line():
            pass
        return b"".join(parts)

    def rest(self):
        """Returns all bytes until the daemon closes."""
        try:
            while True:
                self.more()
        except Closed:
            return self.take(len(self.buffer))

    def ends(self, seconds=1):
        """True if the daemon closes within `seconds` and sends no byte
        before."""
        self.socket.settimeout(BUSY + seconds * SCALE)
        try:
            return not self.buffer and self.socket.recv(1) == b""
        except socket.timeout:
            return False
        except (ConnectionError, ssl.SSLError):
            return True
        finally:
            self.socket.settimeout(LIMIT)

    def silent(self, seconds):
        """True if neither a byte nor the end arrives within `seconds`."""
        self.socket.settimeout(seconds)
        try:
            self.buffer += self.socket.recv(1 << 16)
            return False
        except socket.timeout:
            return True
        except ConnectionError:
            return False
        finally:
            self.socket.settimeout(LIMIT)

    def half_close(self):
        """Closes the sending side. SSLSocket.shutdown() would end TLS."""
        socket.socket.shutdown(self.socket, socket.SHUT_WR)

    def reset(self):
        """Ends the connection with RST."""
        self.socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def run(*parts):
    """Calls each: an end of its connection that it has not expected is a failed
    check of its own."""
    for part in parts:
        try:
            part()
        except (Closed, OSError) as error:
            fail(f"{part.__name__}: {type(error).__name__}: {error}")
    finish()


def request(method, path, body=None, headers=()):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


def ask(method, path, body=None, headers=(), to=None):
    """One request on a connection of its own."""
    with Wire(to) as wire:
        wire.send(request(method, path, body, [*headers, "Connection: close"]))
        return wire.reply(method)


def queues(wire):
    """Bytes in the daemon's socket of this TCP connection: what the client's
    kernel has not taken, and what the daemon has not read."""
    ours, theirs = (f":{end[1]:04X}" for end in (
        wire.socket.getsockname(), wire.socket.getpeername()))
    with open("/proc/net/tcp", encoding="ascii") as f:
        for line in f:
            local, remote, _, both = line.split()[1:5]
            if local.endswith(theirs) and remote.endswith(ours):
                return tuple(int(each, 16) for each in both.split(":"))
    return 0, 0


def metric(series):
    for line in ask("GET", "/metrics").body.decode().splitlines():
        name, _, value = line.rpartition(" ")
        if name == series:
            return float(value)
    return None


def log_lines(log, **fields):
    """The lines of a log in JSON that are whole and have these values."""
    with open(log, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.endswith("\n")]
    return [line for line in lines if fields.items() <= line.items()]


def logged(log, count=1, **fields):
    """Those lines, once there are so many: a line may follow the answer."""
    found = []

    def look():
        found[:] = log_lines(log, **fields)
        return len(found) >= count
    arrived = within(5, look)
    true(f"{len(found)} of {count} lines with {fields}", arrived)
    return found


def alive():
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False


def memory_kib(field):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1])


class Stopwatch:
    """Seconds, without those for which this process or a thread of the daemon
    was ready to run and had no processor: what a busy neighbour takes is not the
    daemon's."""

    def __init__(self):
        self.began = self.now()

    @staticmethod
    def now():
        waited = 0
        for process in "self", pid:
            for task in os.listdir(f"/proc/{process}/task"):
                try:
                    with open(f"/proc/{process}/task/{task}/schedstat") as stat:
                        waited += int(stat.read().split()[1])
                except FileNotFoundError:
                    pass  # it has ended
        return time.monotonic() - waited / 1e9

    def seconds(self):
        return self.now() - self.began


def cpu_seconds(of=None):
    """Processor time of the daemon, or of another process, in user and system mode."""
    with open(f"/proc/{of or pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def open_files():
    return len(os.listdir(f"/proc/{pid}/fd"))
