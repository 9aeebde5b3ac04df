"""Clients that behave like a load balancer while the daemon stops: they reuse a
connection until `Connection: close`, and open no new one once the daemon is not
ready. Every request must get its right answer.

Argument after those of wire.py: the seconds of --drain-delay."""

import os
import signal
import sys
import threading
import time

from question import Question
from wire import (Closed, LIMIT, SCALE, Stopwatch, Wire, ask, equal, fail,
                  finish, pid, true, within)

delay = int(sys.argv[3])
draining = threading.Event()  # set once the daemon is not ready
stopping = threading.Event()  # set just before the signal
answered, begun = [], []


def client(number):
    """Keep-alive requests of different size, one at a time."""
    sent = 0
    wire = None
    try:
        while not (draining.is_set() if delay else stopping.is_set()):
            if wire is None:
                wire = Wire()
            question = Question(number * 10000 + sent, sent * 7 % 400 + 1, 4,
                                number * 5 + 1, sent % 2 == 0)
            wire.send(question.request())
            reply = wire.reply()
            question.check(reply, f"client {number}, question")
            answered.append(number)
            sent += 1
            if reply.closes():
                wire.socket.close()
                wire = None
    except (Closed, OSError) as error:
        fail(f"client {number}, request {sent} is lost: {error}")


def slow_client(question, seconds):
    """The body begins before the signal and ends long after it."""
    data = question.request()
    step = len(data) // 20 + 1
    try:
        with Wire() as wire:
            for at in range(0, len(data), step):
                wire.send(data[at:at + step])
                begun.append("slow")
                time.sleep(seconds / 20)
            reply = wire.reply()
            question.check(reply, "slow, question")
            true(f"slow: {reply.headers}", reply.closes())
            answered.append("slow")
    except (Closed, OSError) as error:
        fail(f"the slow request is lost: {error}")


def slow_reader(question, seconds):
    """The client reads the answer only after the signal."""
    try:
        with Wire(receive_buffer=8192) as wire:
            wire.send(question.request())
            begun.append("reader")
            time.sleep(seconds)
            question.check(wire.reply(), "slow to read, question")
            answered.append("reader")
    except (Closed, OSError) as error:
        fail(f"the answer that was read slowly is lost: {error}")


def watch_readiness():
    """Sends readiness requests until the daemon is not ready."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        reply = ask("GET", "/v2/health/ready")
        if reply.status == 503:
            equal("body while draining", {"ready": False}, reply.json())
            equal("live while draining", 200,
                  ask("GET", "/v2/health/live").status)
            return True
        equal("ready before", 200, reply.status)
        time.sleep(0.01)
    return true("readiness was never refused", False)


threads = [threading.Thread(target=client, args=(n,)) for n in range(6)]
threads.append(threading.Thread(
    target=slow_client, args=(Question(1, 500, 4, 20, True), delay + 2)))
threads.append(threading.Thread(
    target=slow_reader, args=(Question(2, 5000, 4, 100, True), delay + 1)))
for thread in threads:
    thread.start()
time.sleep(0.5)
true("nothing was answered before the signal",
     within(5, lambda: answered and {"slow", "reader"} <= set(begun)))
if not delay:
    stopping.set()
    time.sleep(0.1)
os.kill(pid, signal.SIGTERM)
watch = Stopwatch()
if delay and watch_readiness():
    true("readiness took long to be refused", watch.seconds() < 0.5 * SCALE)
    # A balancer between two probes still sends requests.
    before = len(answered)
    time.sleep(0.3)
    true("nothing was answered while draining", len(answered) > before)
    draining.set()
for thread in threads:
    thread.join()
true("the slow request was not answered", "slow" in answered)
true("the slow reader was not answered", "reader" in answered)
finish()
