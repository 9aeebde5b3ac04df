"""A connection that is older than --max-connection-age=1 (a tenth more or less) ends
with its next reply, which says so; with "forever" there is no such age."""

import sys
import time

from wire import Wire, equal, finish, request, true

forever = sys.argv[3:] == ["forever"]


def ask(wire):
    wire.send(request("GET", "/v2/health/live"))
    return wire.reply()


wire = Wire()
began = time.monotonic()
first = ask(wire)
equal("the first reply", 200, first.status)
if time.monotonic() < began + 0.8:
    true("a young connection is kept", not first.closes())
time.sleep(1.3)
last = ask(wire)
equal("the reply after the age", 200, last.status)
equal("it says that the connection ends", not forever, last.closes())
if not forever:
    true("the connection is closed", not wire.socket.recv(1))
finish()
