"""Large answers at the same time, on more connections than loops: a client that
does not read delays no other one, and each answer is exact."""

import threading

from question import Question, deaf
from wire import LIMIT, SCALE, Closed, Wire, fail, finish, true

# 4.8 MB in binary; less where all of this would take as long as the kernel waits
# for a client that does not read.
ROWS, WIDTH = 3000 if SCALE == 1 else 1000, 200


def question(tag, binary=True):
    return Question(tag, time=ROWS if binary else 400, batch=2, width=WIDTH,
                    binary=binary)


def client(number, questions, done):
    try:
        with Wire() as wire:
            for each in questions:
                wire.send(each.request())
                each.check(wire.reply(), f"client {number}, question")
        done.append(number)
    except (Closed, OSError) as error:
        fail(f"client {number}: {error}")


# Made before, for it takes long: the kernel ends a connection of which nothing is
# read for 30 s.
asked = [[question(number * 10 + step, binary=step != 1) for step in range(3)]
         for number in range(8)]
lazy = [(deaf(each), each) for each in list(map(question, range(100, 104)))]
done = []
clients = [threading.Thread(target=client, args=(n, questions, done))
           for n, questions in enumerate(asked)]
for thread in clients:
    thread.start()
for step in range(20):
    small = Question(step, binary=step % 2 == 0)
    with Wire() as wire:
        wire.send(small.request())
        small.check(wire.reply(), "a small one meanwhile, question")
for thread in clients:
    thread.join(3 * LIMIT)
true(f"{len(done)} of 8 were answered beside 4 that do not read",
     len(done) == 8)
for wire, each in lazy:
    each.check(wire.reply(), "an answer that was left unread, question")
    wire.socket.close()
finish()
