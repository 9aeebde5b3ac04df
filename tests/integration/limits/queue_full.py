"""--max-queue-size=1 --worker-count=1: of many requests at once some are
answered, the others get 503 at once, and no slot of the queue is lost."""

import zlib

from question import Question
from wire import Wire, equal, finish, true

questions = [Question(n, time=500, batch=10, width=20) for n in range(24)]
wires = [Wire() for _ in questions]

# The last bytes follow together, so all requests are complete at one moment.
# Compression makes them slow.
requests = [question.request(["Accept-Encoding: gzip"])
            for question in questions]
for wire, data in zip(wires, requests):
    wire.send(data[:-1])
for wire, data in zip(wires, requests):
    wire.send(data[-1:])

answered = refused = 0
for index, question in enumerate(questions):
    reply = wires[index].reply()
    if reply.status == 503:
        refused += 1
        true(f"Retry-After is {reply.header('retry-after')}",
             (reply.header("retry-after") or "").isdigit())
        equal("keys", ["error"], list(reply.json()))
        if reply.header("connection") == "close":  # before its body was read
            wires[index].socket.close()
            wires[index] = Wire()
    else:
        if reply.status == 200:
            reply.body = zlib.decompress(reply.body, 31)
        answered += question.check(reply)
true(f"{answered} answered, {refused} refused", answered and refused)
equal("all are answered", len(wires), answered + refused)

# Later the same connections are served, or new ones.
for wire, question in zip(wires, questions):
    wire.send(question.request())
    question.check(wire.reply(), "one after the other, question")
    wire.socket.close()
finish()
