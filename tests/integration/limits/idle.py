"""Many connections that wait: what each costs, and that each works after it."""

import resource
import time

from question import Question, served
from wire import Wire, equal, finish, memory_kib, true, within

COUNT = 1000
WAITING_KIB = 8  # of each; libmicrohttpd has 35 KiB of a busy one

hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def grown():
    return memory_kib("VmRSS") - base


def all_served(wires, start):
    for number, wire in enumerate(wires, start):
        if not served("kept", wire, number):
            return


base = memory_kib("VmRSS")
wires = [Wire() for _ in range(COUNT)]
true(f"{grown()} KiB for {COUNT} silent connections",
     grown() <= WAITING_KIB * COUNT)
all_served(wires, 0)
true(f"{grown()} KiB for {COUNT} idle connections",
     within(10, lambda: grown() <= WAITING_KIB * COUNT))
# What was given back is taken anew, also by requests in pieces.
all_served(wires, COUNT)
time.sleep(1.5)
for number, wire in enumerate(wires[:50]):
    question = Question(number, 40, 4, 8)
    data = question.request()
    for at in range(0, len(data), len(data) // 3):
        wire.send(data[at:at + len(data) // 3])
    equal("in pieces", True, question.check(wire.reply()))
finish()
