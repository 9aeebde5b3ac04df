"""Clients that disconnect in the headers, in the body, during execution and
during the answer, by FIN and by RST."""

import random
import sys
import time

from question import PATH, Question
from wire import (Closed, Wire, alive, finish, metric, open_files,
                  request, true, within)

rounds = int(sys.argv[3])
dice = random.Random(5)
small = Question(1)
json_large = Question(2, time=2000, batch=10, width=20)
binary_large = Question(3, time=2000, batch=64, width=16, binary=True)
REQUESTS = [question.request() for question in
            (small, json_large, binary_large)]
CHUNKED = request("POST", PATH, None, ["Transfer-Encoding: chunked"])


def half_close(wire):
    try:
        wire.half_close()
    except OSError:
        pass  # the daemon was faster


def end(wire):
    """FIN, RST, or FIN of the sending side followed by RST."""
    how = dice.randrange(3)
    if how == 0:
        wire.socket.close()
    elif how == 1:
        wire.reset()
    else:
        half_close(wire)
        time.sleep(0.001)
        wire.reset()


def in_headers(wire, data):
    wire.send_if_open(data[:dice.randrange(1, 60)])


def in_body(wire, data):
    wire.send_if_open(data[:dice.randrange(70, len(data))])


def before_last_byte(wire, data):
    wire.send_if_open(data[:-1])


def in_chunks(wire, data):
    wire.send_if_open(CHUNKED + b"8000\r\n" + bytes(dice.randrange(1, 0x8000)))


def while_it_runs(wire, data):
    wire.send_if_open(data)
    time.sleep(dice.random() * 0.01)


def while_it_is_sent(wire, data):
    wire.send_if_open(data)
    try:
        wire.more()
    except Closed:
        pass


def glued(wire, data):
    """The end follows the data at once."""
    wire.send_if_open(data[:len(data) // 2])
    half_close(wire)


def pipelined(wire, data):
    wire.send_if_open(REQUESTS[0] * 5 + data)


WAYS = [in_headers, in_body, before_last_byte, in_chunks, while_it_runs,
        while_it_is_sent, glued, pipelined]

files = open_files()
for number in range(rounds):
    way = WAYS[number % len(WAYS)]
    wire = Wire(receive_buffer=4096 if way is while_it_is_sent else 0)
    way(wire, dice.choice(REQUESTS))
    end(wire)
    if number % 25 == 0:
        with Wire() as other:
            other.send(small.request())
            small.check(other.reply(), f"after {number} aborts, question")

true("flipd has died", alive())
# The daemon looks for gone clients of running requests ten times a second.
true(f"bytes are still held: {metric('flipd_inflight_bytes')}",
     within(5, lambda: metric("flipd_inflight_bytes") == 0))
true(f"connections stay open: {metric('flipd_connections')}",
     within(5, lambda: metric("flipd_connections") <= 1))
true(f"descriptors stay open: {open_files()} after {files}",
     within(5, lambda: open_files() <= files + 1))
with Wire() as wire:
    for question in small, json_large, binary_large:
        wire.send(question.request())
        question.check(wire.reply(), "afterwards, question")
finish()
