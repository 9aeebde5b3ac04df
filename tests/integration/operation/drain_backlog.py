"""Connections that wait to be accepted when the daemon is told to stop: each has
sent a request, and each gets its answer."""

import os
import signal

from question import Question
from wire import Closed, Wire, equal, fail, finish, pid

COUNT = 120

os.kill(pid, signal.SIGSTOP)
try:
    waiting = [(Wire(), Question(n)) for n in range(COUNT)]
    for wire, question in waiting:
        wire.send(question.request())
    os.kill(pid, signal.SIGTERM)
finally:
    os.kill(pid, signal.SIGCONT)
answered = 0
for wire, question in waiting:
    try:
        answered += question.check(wire.reply())
    except Closed as error:
        fail(f"question {question.tag}: {error}")
equal("answered", COUNT, answered)
finish()
