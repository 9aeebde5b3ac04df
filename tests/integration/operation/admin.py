"""The admin port's own limit: connections beyond it wait, and are served when
others close."""

import sys

from wire import Closed, Wire, equal, finish, request, true

LIMIT = 64
port = sys.argv[3]
ready = request("GET", "/v2/health/ready", b"body")


def hold():
    """Served, and in its next body: one that is idle or in its headers makes room
    after a second, one that has sent nothing after 0.1 s."""
    while True:
        wire = Wire(f"127.0.0.1:{port}")
        try:
            wire.send(ready + ready[:-1])
            equal("a connection within the limit", 200, wire.reply().status)
            return wire
        except (Closed, OSError):
            wire.socket.close()


holders = [hold() for _ in range(LIMIT)]
more = [Wire(f"127.0.0.1:{port}") for _ in range(LIMIT)]
for wire in more:
    wire.send(ready)
true("served past the limit", more[0].silent(0.3))
holders[0].send(ready[-1:])
equal("beside those that wait", 200, holders[0].reply().status)
for wire in holders:
    wire.socket.close()
for number, wire in enumerate(more):
    equal(f"after waiting: {number}", 200, wire.reply().status)
    wire.socket.close()
finish()
