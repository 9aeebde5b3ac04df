"""--body-timeout=30: a client that pauses for 13 s in its body is answered. Slow
clients are looked at each second."""

import time

from question import Question
from wire import Wire, finish

question = Question(1)
data = question.request()
with Wire() as wire:
    wire.send(data[:-5])
    time.sleep(13)
    wire.send(data[-5:])
    question.check(wire.reply(), "after a pause, question")
finish()
