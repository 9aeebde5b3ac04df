"""Ends the daemon by two signals: the second comes when the admin port is closed
and waits for an unfinished request. Prints the milliseconds from the first signal
to the end.

Argument after those of wire.py: the admin port."""

import os
import select
import signal
import sys
import time

from wire import LIMIT, Wire, fail, finish, pid

admin = f"127.0.0.1:{sys.argv[3]}"


def listens():
    try:
        with Wire(admin):
            return True
    except OSError:
        return False


with Wire(admin) as unfinished:
    unfinished.send(b"GET /v2/health/live HTTP/1.1\r\n")
    process = os.pidfd_open(pid)
    began = time.monotonic()
    os.kill(pid, signal.SIGTERM)
    while listens() and time.monotonic() < began + LIMIT:
        time.sleep(0.001)
    os.kill(pid, signal.SIGTERM)
    if not select.select([process], [], [], LIMIT)[0]:
        fail(f"it does not end in {LIMIT} s")
    print(int((time.monotonic() - began) * 1000))
finish()
