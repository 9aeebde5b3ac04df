"""Connections that clients begin all the time while the daemon stops, each with
one request: who could connect gets its answer."""

import os
import signal
import threading
import time

from question import Question
from wire import Closed, LIMIT, Wire, fail, finish, pid, true, within

CLIENTS = 8
answered = []


def client(number):
    """Until a connection is refused."""
    end = time.monotonic() + LIMIT
    for tag in range(number, 1 << 30, CLIENTS):
        try:
            wire = Wire()
        except OSError:
            return
        if time.monotonic() > end:
            return fail("connections are accepted on and on")
        question = Question(tag)
        try:
            with wire:
                wire.send(question.request())
                question.check(wire.reply())
        except (Closed, OSError) as error:
            return fail(f"question {tag} is lost: {error}")
        answered.append(tag)


threads = [threading.Thread(target=client, args=(n,)) for n in range(CLIENTS)]
for thread in threads:
    thread.start()
time.sleep(0.2)
within(5, lambda: answered)
before = len(answered)
os.kill(pid, signal.SIGTERM)
for thread in threads:
    thread.join()
true(f"{before} of {len(answered)} were answered before the signal",
     0 < before < len(answered))
finish()
