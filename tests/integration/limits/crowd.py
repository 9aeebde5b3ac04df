"""--max-connections=64: one client opens twice as many connections, silent, idle
or with half a head, and opens each again that is closed. Another client's new
connections and its kept one are served. In the last part both come from one
address."""

import select
import socket
import threading
import time

from question import served
from wire import Closed, SCALE, Wire, address, finish, request, true

COUNT, SECONDS, BESIDE = 128, 3, "beside the crowd"
HOST, PORT = address.rsplit(":", 1)
WHOLE = request("GET", "/v2/health/live")


class Crowd(threading.Thread):
    def __init__(self, source, data):
        super().__init__(daemon=True)
        self.source, self.data = source, data
        self.poll, self.open = select.epoll(), {}
        self.closed = 0  # by the daemon
        self.stop = False

    def connect(self):
        each = socket.socket()
        each.bind((self.source, 0))
        each.setblocking(False)
        each.connect_ex((HOST, int(PORT)))
        self.open[each.fileno()] = each
        self.poll.register(each, select.EPOLLOUT | select.EPOLLRDHUP)

    def handle(self, fd, events):
        each = self.open[fd]
        if events & ~select.EPOLLOUT:
            self.closed += 1
            self.poll.unregister(fd)
            self.open.pop(fd).close()
            return
        self.poll.modify(fd, select.EPOLLRDHUP)
        if self.data:
            each.send(self.data)

    def run(self):
        while not self.stop:
            while len(self.open) < COUNT:
                self.connect()
            for fd, events in self.poll.poll(0.01):
                try:
                    self.handle(fd, events)
                except OSError:
                    pass
            time.sleep(0.005)
        for each in self.open.values():
            each.close()


def attack(what, source, data):
    crowd = Crowd(source, data)
    kept, asked, lost = Wire(), 0, []
    served(BESIDE, kept, 0)
    crowd.start()
    end = time.monotonic() + SECONDS * SCALE
    while time.monotonic() < end:
        asked += 2
        try:
            with Wire() as new:
                served(BESIDE, new, asked)
        except (Closed, OSError) as error:
            lost.append(f"new {error}")
        try:
            served(BESIDE, kept, asked + 1)
        except (Closed, OSError) as error:
            lost.append(f"kept {error}")
            kept = Wire()
        time.sleep(0.02)
    crowd.stop = True
    crowd.join()
    true(f"{what}: asked only {asked}", asked >= 4)
    true(f"{what}: the crowd was let alone", crowd.closed > 0)
    true(f"{what}: {len(lost)} of {asked} lost: {lost[:3]}",
         len(lost) <= asked / 100)


def silent_with_few():
    """Connections of one address that wait between requests make room beside silent
    ones of many addresses, which make none."""
    idle = [Wire(source="127.0.0.2") for _ in range(44)]
    for each in idle:
        each.send(WHOLE)
        true("an idle one", each.reply().status == 200)
    time.sleep(1.1)
    silent = [Wire(source=f"127.0.0.{10 + i}") for i in range(20)]
    for number in range(4):
        with Wire(limit=40) as new:  # less than --idle-timeout
            served(BESIDE, new, number)
    for each in idle + silent:
        each.socket.close()


def busy_with_many():
    """Who asks on many connections at a time closes none of the few of others."""
    kept = [Wire(source=f"127.0.0.{3 + i}") for i in range(3)]
    for number, each in enumerate(kept):
        served(BESIDE, each, number)
    busy = [Wire(source="127.0.0.2") for _ in range(57)]
    end = time.monotonic() + SECONDS * SCALE
    while time.monotonic() < end:
        for at, each in enumerate(busy):
            try:
                each.send(WHOLE)
                true("a busy one", each.reply().status == 200)
            except (Closed, OSError):  # it had to wait for its turn here
                busy[at] = Wire(source="127.0.0.2")
        time.sleep(0.1)
    for number, each in enumerate(kept):
        served(BESIDE, each, number)
    for each in busy + kept:
        each.socket.close()


silent_with_few()
busy_with_many()
attack("silent", "127.0.0.2", b"")
attack("idle", "127.0.0.2", WHOLE)
attack("half a head", "127.0.0.2", WHOLE[:-4])
attack("silent, same address", "127.0.0.1", b"")
finish()
