"""Many connections of one client, driven by one thread."""

import os
import resource
import select
import socket
import struct
import time

import wire


def allow_files():
    """As many descriptors as this user may open."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Member:
    def __init__(self, sock, opened):
        self.socket, self.opened = sock, opened
        self.closed = None  # seconds after `opened`
        self.error = None
        self.received = bytearray()
        self.unsent = memoryview(b"")

    def status(self):
        """The status of the first answer, or 0."""
        line = bytes(self.received[:16]).split()
        return int(line[1]) if len(line) > 1 and line[1].isdigit() else 0

    def send(self, data):
        """Sends what the socket takes; the rest with the next call."""
        if len(self.unsent) == 0:
            self.unsent = memoryview(data)
        try:
            self.unsent = self.unsent[self.socket.send(self.unsent):]
        except BlockingIOError:
            pass
        except OSError as error:
            self.error = self.error or error


class Crowd:
    """source: the address that the connections come from (all of 127/8 is this
    machine). deaf: received bytes stay in the kernel."""

    def __init__(self, source="127.0.0.1", receive_buffer=0, deaf=False,
                 to=None):
        allow_files()
        host, port = (to or wire.address).rsplit(":", 1)
        self.target, self.source = (host, int(port)), source
        self.receive_buffer, self.deaf = receive_buffer, deaf
        self.poll = select.epoll()
        self.members = {}

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def open(self, count, data=b"", rate=0):
        """Opens `count` connections, at `rate` a second when not 0, and sends
        `data` on each."""
        opened = []
        started = time.monotonic()
        for number in range(count):
            if rate:
                self.step(max(0, started + number / rate - time.monotonic()))
            member = self.add()
            if member is None:
                break
            if data:
                member.send(data)
            opened.append(member)
        return opened

    def add(self):
        sock = socket.socket()
        if self.receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                            self.receive_buffer)
        sock.settimeout(wire.LIMIT)
        try:
            # The port is chosen for the pair of addresses, not reserved.
            sock.setsockopt(socket.IPPROTO_IP, 24, 1)
            sock.bind((self.source, 0))
            sock.connect(self.target)
        except OSError:
            sock.close()
            return None
        sock.setblocking(False)
        member = Member(sock, time.monotonic())
        self.members[sock.fileno()] = member
        events = select.EPOLLRDHUP | select.EPOLLET
        self.poll.register(sock, events | (0 if self.deaf else select.EPOLLIN))
        return member

    def step(self, seconds=0):
        """Handles what is ready within `seconds`."""
        for fd, events in self.poll.poll(seconds, 4096):
            self.handle(fd, events)

    def handle(self, fd, events):
        member = self.members.get(fd)
        if member is None:
            return
        over = events & (select.EPOLLHUP | select.EPOLLERR | select.EPOLLRDHUP)
        try:
            while not self.deaf:
                data = member.socket.recv(1 << 16)
                os.sched_yield()  # the daemon shares the processors with it
                if not data:
                    over = True
                    break
                del member.received[1 << 16:]
                member.received += data
        except BlockingIOError:
            pass
        except OSError as error:
            member.error, over = error, True
        if over:
            self.end(fd, member)

    def end(self, fd, member):
        member.closed = time.monotonic() - member.opened
        self.poll.unregister(fd)
        member.socket.close()
        del self.members[fd]

    def wait(self, seconds, drip=b"", every=1.0, until=None):
        """Until all have been closed by the daemon (or `until` is true);
        `seconds`: what an idle machine takes at most. Each sends `drip` from
        time to time."""
        end = time.monotonic() + wire.BUSY + seconds * wire.SCALE
        due = time.monotonic() + every
        while self.members and time.monotonic() < end:
            if until and until():
                return True
            self.step(0.05)
            if drip and time.monotonic() >= due:
                due += every
                for member in list(self.members.values()):
                    member.send(drip)
        return until() if until else not self.members

    def linger(self, seconds, drip=b""):
        """Lives on for so long. Each sends `drip` first."""
        end = time.monotonic() + seconds
        for member in list(self.members.values()) if drip else ():
            member.send(drip)
        while time.monotonic() < end:
            self.step(0.05)

    def close(self, reset=False):
        for member in self.members.values():
            if reset:
                member.socket.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
            member.socket.close()
        self.members.clear()
        self.poll.close()


def spread(members, what="cut"):
    """A text: after how many seconds the daemon closed them."""
    times = sorted(m.closed for m in members if m.closed is not None)
    if not times:
        return f"0 of {len(members)} {what}"
    return (f"{len(times)} of {len(members)} {what} after "
            f"{times[0]:.1f} to {times[-1]:.1f} s")
