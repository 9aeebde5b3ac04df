"""Connections that wait to be accepted when the daemon is told to stop: each has
sent a request, and each gets its answer."""

import os
import signal

from question import Question, all_answered
from wire import Wire, finish, pid

COUNT = 120

os.kill(pid, signal.SIGSTOP)
try:
    waiting = [(Wire(), Question(n)) for n in range(COUNT)]
    for wire, question in waiting:
        wire.send(question.request())
    os.kill(pid, signal.SIGTERM)
finally:
    os.kill(pid, signal.SIGCONT)
all_answered(waiting)
finish()
