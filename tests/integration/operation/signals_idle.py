"""Sends the daemon several signals while nothing runs: connections are open
that have sent nothing, whose last request was answered, or that only wait.

Arguments: those of wire.py, the address of gRPC, then signals and the seconds
between two."""

import os
import signal
import sys
import time

import wire
from grpc_wire import SERVICE, Http2
from question import Question

GRPC, SIGNALS, PAUSE = sys.argv[3], sys.argv[4].split(","), float(sys.argv[5])

silent = wire.Wire()
kept = wire.Wire()
question = Question(1, 16, 4, 16)
kept.send(question.request())
question.check(kept.reply(), "kept alive")
large = wire.Wire()  # its answer has left by a fast path
question = Question(1, 600, 4, 100)
large.send(question.request())
question.check(large.reply(), "a large one")

watching, streaming, idle = Http2(GRPC), Http2(GRPC), Http2(GRPC)
watch = watching.ask("/grpc.health.v1.Health/Watch", b"")
wire.true("SERVING", watching.until(
    lambda: len(watching.calls[watch].messages()) == 1))
streaming.begin(SERVICE + "ModelStreamInfer")
streaming.call(SERVICE + "ServerLive")
wire.true("settings", idle.until(lambda: idle.theirs))

for name in SIGNALS:
    try:
        os.kill(wire.pid, getattr(signal, "SIG" + name))
    except ProcessLookupError:
        break
    time.sleep(PAUSE)
wire.finish()
