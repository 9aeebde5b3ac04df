"""C11: connection requests from addresses that never answer."""

import multiprocessing
import random
import socket
import struct
import time

import network
from fault import example, pick, wire

SECONDS = pick(2, 10)
network.enter()


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def packet(dice, port):
    """A SYN from a made-up address of 10.9.0.0/24's other half."""
    source = socket.inet_aton(f"10.9.0.{dice.randrange(130, 250)}")
    target = socket.inet_aton(network.SERVER)
    tcp = struct.pack("!HHLLBBHHH", dice.randrange(1024, 65536), port,
                      dice.randrange(1 << 32), 0, 5 << 4, 2, 64240, 0, 0)
    pseudo = source + target + struct.pack("!BBH", 0, 6, len(tcp))
    tcp = tcp[:16] + struct.pack("!H", checksum(pseudo + tcp)) + tcp[18:]
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 0, 0, 64, 6, 0, source,
                       target) + tcp


def flood(port, sent):
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    dice = random.Random(11)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for _ in range(100):
            try:
                raw.sendto(packet(dice, port), (network.SERVER, 0))
                sent.value += 1
            except OSError:
                pass


def attack(daemon):
    sent = multiprocessing.Value("L", 0)
    port = int(daemon.address.rsplit(":", 1)[1])
    flooding = multiprocessing.Process(target=flood, args=(port, sent))
    flooding.start()
    answered, slowest = 0, 0.0
    while flooding.is_alive():
        started = time.monotonic()
        answered += example()
        slowest = max(slowest, time.monotonic() - started)
    flooding.join()
    started = time.monotonic()
    wire.true("no answer after the flood", wire.within(5, example))
    return (f"{sent.value} SYNs in {SECONDS} s; {answered} requests answered "
            f"meanwhile, the slowest after {slowest:.1f} s; an answer "
            f"{(time.monotonic() - started) * 1000:.0f} ms after it")


network.Linked("C11", "SYN flood").run(attack)
