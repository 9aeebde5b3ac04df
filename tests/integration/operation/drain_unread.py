"""A request on a connection kept alive, unread when the daemon looks which
clients are idle at its stop: it gets its answer. A daemon that is halted for
longer than such a connection has to send a request is in this state when it
goes on, for it looks before it reads. Exit code 2: all were closed already, so
nothing was asked."""

import os
import signal
import sys
import time

from question import Question, all_answered
from wire import Wire, finish, pid

COUNT = 8


def ask(wire, tag):
    question = Question(tag)
    wire.send(question.request())
    return question


waiting = [Wire() for _ in range(COUNT)]
for number, wire in enumerate(waiting):
    ask(wire, number).check(wire.reply(), "before")
os.kill(pid, signal.SIGTERM)
time.sleep(0.05)
os.kill(pid, signal.SIGSTOP)
try:
    # On a busy machine the daemon has rightly closed some already.
    waiting = [wire for wire in waiting if wire.silent(0.001)]
    asked = [(wire, ask(wire, number)) for number, wire in enumerate(waiting)]
    time.sleep(0.2)
finally:
    os.kill(pid, signal.SIGCONT)
if not asked:
    sys.exit(2)
all_answered(asked)
finish()
