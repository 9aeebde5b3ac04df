"""Bytes in, answers out. Each case of framing_cases.py is sent on a connection
of its own."""

from framing_cases import (CASES, CHUNKED, CLOSED, EITHER, END, GET, HOST, NONE,
                           POST)
from wire import Closed, SCALE, Wire, cpu_seconds, equal, fail, finish, true


def answers(what, wire, count):
    """Returns the statuses of the answers, NONE for an end without one."""
    got = []
    try:
        for _ in range(count):
            reply = wire.reply()
            got.append(reply.status)
            if reply.header("content-type") == "application/json" and \
                    reply.status >= 400:
                equal(f"{what}: keys", ["error"], list(reply.json()))
    except Closed as closed:
        got.append(NONE)
        if wire.buffer or "nothing came" in str(closed):
            fail(f"{what}: {closed}")
    return got


def afterwards(what, wire, state):
    """Checks that the connection closes or answers the next request, never the
    hidden one."""
    if state == CLOSED:
        return true(f"{what}: is not closed, or more came: {wire.buffer}",
                    wire.ends(3))
    if state == EITHER and not wire.silent(0.3) and not wire.buffer:
        return True
    try:
        wire.send((GET + HOST + END).encode())
        return equal(f"{what}: the next answer", 200, wire.reply().status)
    except (Closed, OSError) as error:
        return state == EITHER or true(f"{what}: not kept open: {error}", False)


def check(what, data, expected, state):
    with Wire() as wire:
        wire.send_if_open(data.encode("latin-1", "replace"))
        got = answers(what, wire, len(expected))
        for want, status in zip(expected, got):
            want = want if isinstance(want, set) else {want}
            true(f"{what}: expected {want}, got {status}", status in want)
        if not equal(f"{what}: answers", len(expected), len(got)):
            return
        if got[-1] != NONE:
            afterwards(what, wire, state)


def shorter_body():
    """The body ends before its announced length: no success, and no wait for
    the rest."""
    with Wire() as wire:
        wire.send((POST + HOST + "Content-Length: 9\r\n\r\n{}").encode())
        wire.half_close()
        rest = wire.rest()
        true(f"shorter body: {rest!r}",
             not rest or rest.startswith(b"HTTP/1.1 400"))


def half_close():
    """The client closes its sending side after a complete request: answered."""
    wires = [Wire() for _ in range(20)]
    for wire in wires:
        wire.send((GET + HOST + END).encode())
        wire.half_close()
        equal("half-closed", 200, wire.reply().status)
    for wire in wires:
        true("half-closed, but kept open", wire.ends(3))
        wire.socket.close()


def expectation():
    """100 arrives before the body is sent, and only after Expect."""
    with Wire() as wire:
        wire.send((POST + HOST + "Expect: 100-continue\r\n"
                   "Content-Length: 2\r\n\r\n").encode())
        equal("interim answer", 100, wire.head()[0])
        wire.send(b"{}")
        equal("after the interim answer", 400, wire.reply().status)
        wire.send(("POST /v2/nothing HTTP/1.1\r\n" + HOST +
                   "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n").encode())
        reply = wire.reply()
        equal("refused instead of 100", (404, []),
              (reply.status, reply.interim))
        true("refused before the body, but open", wire.ends(2))


def many_chunks():
    """65 537 one-byte chunks cost little processor time."""
    before = cpu_seconds()
    with Wire() as wire:
        wire.send((CHUNKED + END).encode() + b"1\r\n{\r\n" +
                  b"1\r\n \r\n" * 65535 + b"1\r\n}\r\n0\r\n\r\n")
        equal("65 537 chunks", 400, wire.reply().status)
    spent = cpu_seconds() - before
    true(f"65 537 chunks took {spent} s of CPU", spent < 0.5 * SCALE)


def idle_cost():
    """An unfinished header line costs no processor time."""
    with Wire() as first, Wire() as second:
        first.send_if_open((CHUNKED + END).encode() + b"2;" + b"a" * 100000)
        second.send_if_open(GET.encode() + b"A: " + b"b" * 8000)
        before = cpu_seconds()
        second.silent(1)
        spent = cpu_seconds() - before
        true(f"waiting took {spent} s of CPU in 1 s", spent < 0.2 * SCALE)


for cases in CASES.values():
    for case in cases:
        check(*case)
shorter_body()
half_close()
expectation()
many_chunks()
idle_cost()
finish()
