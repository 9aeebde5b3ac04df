"""C10: a network that delays by 50 ± 20 ms, loses 5 % of the packets and
reorders some: every answer is whole and right. Two tun devices with a program
between them are the network, for not every kernel has netem."""

import ctypes
import fcntl
import heapq
import multiprocessing
import os
import random
import select
import socket
import struct
import time

import network
from fault import Skip, pick, wire
from question import Question

COUNT, SIZE = pick((4, 1 << 16), (50, 1 << 20))
DELAY, SPREAD, LOSS = 0.05, 0.02, 0.05
TUNSETIFF, TUN_WITHOUT_HEADER = 0x400454CA, 0x1001
network.enter()


def open_tun(name):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH", name.encode(),
                                           TUN_WITHOUT_HEADER))
    return fd


def tun_inside(holder, name):
    """The same in the network namespace of another process: a child enters it
    and sends the descriptor back."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        with open(f"/proc/{holder}/ns/net") as space:
            ctypes.CDLL(None, use_errno=True).setns(space.fileno(), 0)
        socket.send_fds(theirs, [b"x"], [open_tun(name)])
        os._exit(0)
    _, files, _, _ = socket.recv_fds(ours, 1, 1)
    os.wait()
    return files[0]


def forward(ends):
    """Each packet comes out at the other end, late or never. The spread of the
    delays puts some before others."""
    dice, queue, number = random.Random(10), [], 0
    while True:
        wait = max(0, queue[0][0] - time.monotonic()) if queue else 1
        for fd in select.select(ends, [], [], wait)[0]:
            packet = os.read(fd, 65536)
            number += 1
            if dice.random() >= LOSS:
                heapq.heappush(queue, (
                    time.monotonic() + DELAY / 2 +
                    SPREAD * (dice.random() - 0.5),
                    number, ends[fd == ends[0]], packet))
        while queue and queue[0][0] <= time.monotonic():
            _, _, fd, packet = heapq.heappop(queue)
            try:
                os.write(fd, packet)
            except OSError:
                pass  # the queue of the device is full: lost, too


class Lossy(network.Linked):
    def connect(self):
        if not os.path.exists("/dev/net/tun"):
            raise Skip("there is no /dev/net/tun")
        ends = [open_tun("client"),
                tun_inside(self.network.host.pid, "server")]
        self.network.address("client", "server")
        multiprocessing.Process(target=forward, args=(ends,),
                                daemon=True).start()


def attack(daemon):
    right, started = 0, time.monotonic()
    wire.LIMIT = 120 * wire.SCALE
    for number in range(COUNT):
        question = Question(number, 64, 16, SIZE // 4096, True)
        with wire.Wire() as one:
            one.socket.settimeout(wire.LIMIT)
            one.send(question.request())
            right += question.check(one.reply(), "over a bad network")
    with wire.Wire() as one:
        one.send(wire.request("POST", "/v2/models/onnx.ReverseSequence/infer",
                              None, [f"Content-Length: {1 << 40}"]))
        one.send_if_open(bytes(1 << 20))
        wire.equal("too large", 413, one.reply().status)
    wire.equal("right answers", COUNT, right)
    return (f"{right} of {COUNT} answers of {SIZE >> 10} KiB right, and a 413 "
            f"read, in {time.monotonic() - started:.0f} s at 50 ± 20 ms, 5 % "
            f"lost")


ROW = Lossy("C10", "lossy network")
ROW.run(attack)
