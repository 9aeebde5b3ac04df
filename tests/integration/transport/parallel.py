"""Many clients at a time: each gets its own answers, small and large."""

import random
import threading

from question import Question
from wire import Closed, Wire, fail, finish, true

CLIENTS, REQUESTS = 16, 40
answered = []


def client(number):
    dice = random.Random(number)
    try:
        wire = Wire()
        for step in range(REQUESTS):
            question = Question(
                number * 1000 + step, dice.randint(1, 60),
                dice.randint(1, 8), dice.choice((1, 3, 16, 100)),
                dice.random() < 0.5)
            wire.send(question.request())
            if question.check(wire.reply(), f"client {number}, question"):
                answered.append(number)
            if dice.random() < 0.1:  # some clients open a new connection
                wire.socket.close()
                wire = Wire()
        wire.socket.close()
    except (Closed, OSError) as error:
        fail(f"client {number}: {error}")


threads = [threading.Thread(target=client, args=(n,)) for n in range(CLIENTS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
true(f"{len(answered)} of {CLIENTS * REQUESTS} were answered",
     len(answered) == CLIENTS * REQUESTS)
finish()
