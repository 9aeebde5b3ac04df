"""A name server for the test's hosts, as a container engine has one.

Usage: names.py FILE
FILE has a line `NAME ADDRESS...` for each name and is read for each question, so a
replica comes and goes with its address. Answers at port 53 of 127.0.0.1; like
Docker's, it says that an address holds for ten minutes."""

import socket
import struct
import sys

A, CLASS_IN, TTL = 1, 1, 600


def addresses(name):
    with open(sys.argv[1]) as file:
        for line in file:
            words = line.split()
            if words and words[0] == name:
                return words[1:]
    return None


def question(packet):
    """The name that is asked for, its type, and where the question ends."""
    labels, at = [], 12
    while packet[at]:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode())
        at += 1 + packet[at]
    kind, = struct.unpack("!H", packet[at + 1:at + 3])
    return ".".join(labels), kind, at + 5


def answer(packet):
    name, kind, end = question(packet)
    found = addresses(name)
    records = found if kind == A and found else []
    flags = 0x8580 | (3 if found is None else 0)  # 3: there is no such name
    reply = packet[:2] + struct.pack("!5H", flags, 1, len(records), 0, 0)
    reply += packet[12:end]
    for address in records:
        reply += struct.pack("!3HLH", 0xC00C, A, CLASS_IN, TTL, 4)
        reply += socket.inet_aton(address)
    return reply


with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
    server.bind(("127.0.0.1", 53))
    while True:
        packet, asker = server.recvfrom(4096)
        server.sendto(answer(packet), asker)
