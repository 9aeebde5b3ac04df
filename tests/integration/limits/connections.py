"""limit N, address N, descriptors N, admin N PORT: more connections than the bound."""

import sys
import time

from question import Question, served
from wire import (Closed, SCALE, Stopwatch, Wire, ask, cpu_seconds, equal,
                  finish, open_files, true, within)

how, count = sys.argv[3], int(sys.argv[4])


def limit():
    """Connections beyond the limit wait in the kernel; each is served as soon
    as another one closes. Those before them have a request that is not whole:
    idle ones would make room after a second."""
    held = [Question(n).request() for n in range(count)]
    holders = []
    for request in held:
        holders.append(Wire())
        holders[-1].send(request[:-1])
    waiting = [Wire() for _ in range(2 * count)]
    questions = [Question(100 + n) for n in range(len(waiting))]
    for wire, question in zip(waiting, questions):
        wire.send(question.request())
    true("served past the limit", waiting[0].silent(0.3) and not any(
        wire.buffer for wire in waiting))
    for number, wire in enumerate(holders):
        wire.send(held[number][-1:])
        Question(number).check(wire.reply(), "beside those that wait, question")
    watch = Stopwatch()
    for wire in holders:
        wire.socket.close()
    for wire, question in zip(waiting, questions):
        question.check(wire.reply(), "after waiting, question")
        wire.socket.close()
    true("waited long after there was room", watch.seconds() < 2 * SCALE)


def address():
    """Beyond the limit of an address a connection is closed at once."""
    holders = [Wire() for _ in range(count)]
    for number, wire in enumerate(holders):
        served("within the share", wire, number)
    for _ in range(5):
        with Wire() as more:
            true("open past the share", more.ends(2))
    holders.pop().socket.close()

    def has_room():
        with Wire() as wire:
            try:
                wire.send(Question(1).request())
                return Question(1).check(wire.reply())
            except (Closed, OSError):
                return False

    true("no room after one has gone", within(3, has_room))
    for wire in holders:
        wire.socket.close()


def descriptors():
    """More connections than descriptors, repeatedly: no busy loop, and full
    service afterwards."""
    files = open_files()
    for step in range(3):
        question = Question(step)
        wires = [Wire()]
        wires[0].send(question.request())
        wires += [Wire() for _ in range(count - 1)]
        question.check(wires[0].reply(), "the first of many, question")
        before = cpu_seconds()
        time.sleep(0.5)
        spent = cpu_seconds() - before
        true(f"waiting for descriptors took {spent} s of CPU in 0.5 s",
             spent < 0.1 * SCALE)
        for wire in wires:
            wire.socket.close()
        with Wire() as wire:
            served("after many", wire, step)
    true(f"{open_files()} descriptors are open, {files} were",
         within(5, lambda: open_files() <= files + 1))


def admin():
    """The admin port answers while the main port has more clients than
    descriptors."""
    wires = [Wire() for _ in range(count)]
    for _ in range(20):
        reply = ask("GET", "/v2/health/ready", to=f"127.0.0.1:{sys.argv[5]}")
        equal("ready at the admin port", 200, reply.status)
    for wire in wires:
        wire.socket.close()


{"limit": limit, "address": address, "descriptors": descriptors,
 "admin": admin}[how]()
finish()
