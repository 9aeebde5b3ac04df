"""Announced and streamed sizes beyond --http-max-input-size=1048576: bytes
read, memory held, and an answer that the client can read."""

from question import announce, endless
from wire import (Closed, Wire, equal, finish, memory_kib, open_files, SCALE, true,
                  within)

MIB = 1 << 20


def refused(what, wire, close=True):
    reply = wire.reply()
    equal(f"{what}: status of {reply}", 413, reply.status)
    equal(f"{what}: type", "application/json", reply.header("content-type"))
    equal(f"{what}: keys", ["error"], list(reply.json()))
    true(f"{what}: the limit is not in {reply}",
         "1048576" in reply.json()["error"])
    equal(f"{what}: interim answers", [], reply.interim)
    true(f"{what}: does not close", not close or wire.ends(2))


def claims():
    """Refused after the headers; no memory is allocated for the body."""
    before, files = memory_kib("VmRSS"), open_files()
    wires = []
    for length in [60 << 30, 2 ** 63 - 1, 10 * MIB] * 10:
        for headers in [], ["Expect: 100-continue"]:
            wire = Wire()
            wire.send(announce(length, *headers))
            refused(f"claim of {length} {headers}", wire, close=False)
            wires.append(wire)
    grown = memory_kib("VmRSS") - before
    true(f"60 claims took {grown} KiB", SCALE > 1 or grown < 2048)
    for wire in wires:
        true("a refused claim stays open", wire.ends(3))
        wire.socket.close()
    true(f"{open_files()} descriptors are open, {files} were",
         within(5, lambda: open_files() <= files))


def naive_clients():
    """The client sends everything before it reads: the answer arrives."""
    for size in (MIB + 1, 2 * MIB, 8 * MIB):
        with Wire() as wire:
            wire.send_if_open(announce(size) + bytes(size))
            refused(f"{size} bytes sent at once", wire)


def streams():
    """A chunked body announces no size: reading stops within a bound."""
    before = memory_kib("VmRSS")
    with Wire() as wire:
        sent = endless(wire, 200 * MIB)
        try:
            refused("a stream without end", wire)
        except Closed:
            pass
    true(f"{sent} bytes were taken", sent < 150 * MIB)
    grown = memory_kib("VmRSS") - before
    true(f"a stream without end took {grown} KiB", SCALE > 1 or grown < 8192)


claims()
naive_clients()
streams()
finish()
