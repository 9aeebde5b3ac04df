"""P2, P4, P5: signals.

  argument 2   the row"""

import os
import signal
import subprocess
import time

from daemon import Daemon
from fault import ARGUMENTS, BINARY, Fault, Skip, example, pick, wire
from host import free_port
from question import Question

ROW = ARGUMENTS[0]


def milliseconds(started):
    return (time.monotonic() - started) * 1000


def busy(count):
    """Connections whose requests run, and ones that do not read."""
    wires = [wire.Wire(receive_buffer=4096) for _ in range(count)]
    for number, one in enumerate(wires):
        one.send_if_open(Question(number, 3000, 64, 8, True).request())
    return wires


def another(*options):
    return Daemon(BINARY, options, current=False)


def terminated(daemon):
    """P2: SIGTERM at bad moments."""
    took = {}
    with another("--inline-limit=0", "--exit-timeout-secs=2") as one:
        wire.address = one.address
        readers = busy(8)
        started = time.monotonic()
        code = one.stop()
        took["with readers that do not read"] = milliseconds(started)
        wire.true(f"with slow readers: exit code {code}", code in (0, 1))
        for reader in readers:
            reader.socket.close()
    with another("--drain-delay=300") as one:
        one.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        started = time.monotonic()
        code = one.stop(seconds=10)
        took["twice"] = milliseconds(started)
        wire.true(f"twice: exit code {code}", code is not None)
    for delay in range(pick(10, 100)):
        one = subprocess.Popen([BINARY, "--http-port=0"],
                               stderr=subprocess.DEVNULL)
        time.sleep(delay * 0.0007)
        one.send_signal(signal.SIGTERM)
        code = one.wait(wire.LIMIT)
        wire.true(f"during the start, after {delay}: exit code {code}",
                  code in (0, -signal.SIGTERM))
    daemon.be_current()
    return ", ".join(f"{what}: ends after {ms:.0f} ms"
                     for what, ms in took.items()) + (
        f"; {pick(10, 100)} times during the start")


def stopped(daemon):
    """P4: SIGSTOP, then SIGCONT. Nothing expires in a mass."""
    seconds = pick(3, 10)
    kept = [wire.Wire() for _ in range(20)]
    question = Question(4)
    for one in kept:
        one.send(question.request())
        question.check(one.reply(), "before")
    wire.os.kill(daemon.pid, signal.SIGSTOP)
    for one in kept[:10]:
        one.send(question.request())
    time.sleep(seconds)
    wire.os.kill(daemon.pid, signal.SIGCONT)
    started = time.monotonic()
    for one in kept[:10]:
        question.check(one.reply(), "sent while it stood still")
    for one in kept[10:]:
        one.send(question.request())
        question.check(one.reply(), "a connection that was kept")
    return (f"20 connections kept over {seconds} s, all answered after "
            f"{milliseconds(started):.0f} ms")


def first_process(daemon):
    """P5: as process 1 of a container it ends at SIGTERM."""
    if os.geteuid() != 0 or subprocess.run(
            ["unshare", "-p", "-f", "true"], capture_output=True).returncode:
        raise Skip("no right to make a process namespace")
    port = free_port()
    outside = subprocess.Popen(
        ["unshare", "-p", "-f", "--kill-child", BINARY, f"--http-port={port}"],
        stderr=subprocess.DEVNULL)
    wire.address = f"127.0.0.1:{port}"
    wire.true("does not serve", wire.within(10, example))
    with open(f"/proc/{outside.pid}/task/{outside.pid}/children") as children:
        inside = int(children.read().split()[0])
    with open(f"/proc/{inside}/status") as status:
        wire.true("is not process 1", any(
            line.split()[-1] == "1" for line in status
            if line.startswith("NSpid:")))
    started = time.monotonic()
    os.kill(inside, signal.SIGTERM)
    wire.equal("exit code", 0, outside.wait(wire.LIMIT))
    daemon.be_current()
    return f"process 1 ends {milliseconds(started):.0f} ms after SIGTERM"


NAMES = {"P2": ("SIGTERM at bad moments", terminated),
         "P4": ("SIGSTOP", stopped), "P5": ("process 1", first_process)}
Fault(ROW, NAMES[ROW][0]).run(NAMES[ROW][1])
