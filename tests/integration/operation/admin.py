"""The admin port's own limit: connections beyond it wait, and are served when
others close."""

import sys

from wire import Wire, equal, finish, request, true

LIMIT = 64
port = sys.argv[3]
ready = request("GET", "/v2/health/ready")


def served(what, wire):
    wire.send(ready)
    equal(what, 200, wire.reply().status)


holders = [Wire(f"127.0.0.1:{port}") for _ in range(LIMIT)]
for number, wire in enumerate(holders):
    served(f"connection {number}", wire)
more = [Wire(f"127.0.0.1:{port}") for _ in range(LIMIT)]
for wire in more:
    wire.send(ready)
true("served past the limit", more[0].silent(0.3))
served("beside those that wait", holders[0])
for wire in holders:
    wire.socket.close()
for number, wire in enumerate(more):
    equal(f"after waiting: {number}", 200, wire.reply().status)
    wire.socket.close()
finish()
