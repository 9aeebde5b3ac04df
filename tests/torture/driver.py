#!/usr/bin/env python3
"""Lets each call of each class fail in turn, for every kind of request, for the
start and for the end: the answer is right, a proper error, or the connection is
closed; the daemon lives, answers the next request right and has lost nothing.

Usage: driver.py DAEMON LIBRARY [--all | --stacks N [--new] | --sample N]
                 [--seed N] [--only TEXT] [--class NAME]
  --all     each call of each class, with each of its errors
  --stacks  the same of so many calls with the same stack: the first, the last and
            some between
  --new     leaves out the stacks that have failed in an earlier kind
  --sample  otherwise: calls of so many stacks of each class and kind
The last lines are the counts, by class and by kind."""

import argparse
import os
import signal
import ssl
import subprocess
import sys

arguments = argparse.ArgumentParser()
arguments.add_argument("daemon")
arguments.add_argument("library")
arguments.add_argument("--all", action="store_true")
arguments.add_argument("--stacks", type=int, default=0)
arguments.add_argument("--new", action="store_true")
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--sample", type=int, default=2)
arguments.add_argument("--only", default="")
arguments.add_argument("--class", default="", dest="failing")
options = arguments.parse_args()
options.library = os.path.realpath(options.library)  # else it is searched for

from choice import Choice
from victim import Bad, Victim, wire
import host
import kinds
import kinds_grpc
import lifetime
from record import Record

choice = Choice(options)
record = Record(options.seed)


def attempt(kind):
    try:
        return kind()
    except kinds.CUT as error:
        if "nothing came" in str(error) or "timed out" in str(error):
            raise Bad(f"hangs: {error}") from None
        return "closed"


def once(victim, name, kind, failing, call):
    """One round. Returns how many errors the call has, 0 if none failed."""
    control = victim.control
    control.arm(failing, *call)
    try:
        outcome = attempt(kind)
    finally:
        control.disarm()
    victim.alive()
    return record.add(name, failing, control, outcome)


def recover(victim):
    """What a failed kind may have left, and the next request."""
    if "--allow-client-shm" in victim.command:
        attempt(kinds.forget_regions)
    outcome = attempt(lambda: kinds.infer(kinds.SMALL))
    if outcome != "right":
        raise Bad(f"the next request: {outcome}")


def rounds(victim, name, kind, failing):
    """Lets calls of one class fail in turn, alone and with those that follow."""
    for _ in choice.passes():
        victim.control.note(failing)
        outcome = attempt(kind)
        victim.control.disarm()
        if outcome != "right":
            raise Bad(f"{outcome} when nothing fails: {kinds.refusal}")
        stacks = victim.control.stacks()
        numbers = choice.numbers(stacks, record.failed(name, failing, options.new))
        record.know(name, failing, stacks)
        for number in numbers:
            for count in choice.counts():
                errors_in_turn(victim, name, kind, failing, number, count)


def errors_in_turn(victim, name, kind, failing, number, count):
    for variant in choice.variants():
        errors = 0
        try:
            errors = once(victim, name, kind, failing, (number, count, variant))
            recover(victim)
        except Bad as bad:
            report(victim, f"{name}: call {number} of {failing}, {count}, error "
                           f"{variant} ({victim.control.failed_call()}): {bad}")
        if variant + 1 >= errors:
            break


def ended(victim):
    """Waits, for a daemon that dies closes its port before it ends."""
    try:
        victim.process.wait(1)
        return True
    except subprocess.TimeoutExpired:
        return False


def report(victim, text):
    has_ended = ended(victim)
    record.fault(text)
    if has_ended:
        print(victim.log_text()[-6000:])
        if not victim.start():
            sys.exit(f"the daemon does not start again: {victim.log_text()}")


def lost(victim, files):
    if not wire.within(3, lambda: wire.open_files() <= files):
        raise Bad(f"{wire.open_files()} descriptors, at first {files}")
    if not wire.within(3, lambda: not wire.metric("flipd_inflight_bytes")):
        raise Bad(f"holds {wire.metric('flipd_inflight_bytes')} bytes")


def of_a_kind(victim, name, kind):
    recover(victim)
    files = wire.open_files()
    for failing in choice.classes():
        try:
            rounds(victim, name, kind, failing)
            lost(victim, files)
        except (Bad, *kinds.CUT) as bad:
            report(victim, f"{name}, {failing}: {bad}")


def torture(victim, table):
    names = [name for name in table if options.only in name]
    if not names:
        return
    if not victim.start():
        sys.exit(f"cannot start: {victim.log_text()}")
    victim.control.note("alloc")
    recover(victim)
    if not victim.control.stacks():
        sys.exit(f"{options.library} was not preloaded: {victim.log_text()[-300:]}")
    for name in names:
        try:
            of_a_kind(victim, name, table[name])
        except (Bad, *kinds.CUT) as bad:
            report(victim, f"{name}: {bad}")
    try:
        victim.stop()
    except Bad as bad:
        report(victim, str(bad))


# A request that nothing fails for must be answered: it waits as long as it must
# on a busy machine. One that hangs must not be ended by a time limit of the
# daemon before it is noticed.
BASE_OPTIONS = ["--http-thread-count=1", "--worker-count=2",
                "--max-queue-delay=0", "--header-timeout=3600",
                "--body-timeout=3600", "--idle-timeout=3600"]


def victims():
    """The daemons with their kinds."""
    port, grpc_port = host.free_port(), host.free_port()
    grpc = f"127.0.0.1:{grpc_port}"
    plain = Victim(options.daemon, options.library, [
        *BASE_OPTIONS, "--allow-client-shm",
        f"--admin-port={port}", f"--grpc-port={grpc_port}", "--access-log", "--log-level=debug",
        "--allow-log-changes"])
    models = f"{plain.folder.name}/models.json"
    with open(models, "w") as file:
        file.write('{"models": [{"name": "flip", "op": "onnx.ReverseSequence"}]}')
    plain.command.append(f"--models={models}")
    yield plain, kinds.plain_kinds(port) | kinds_grpc.plain(grpc)
    secure = Victim(options.daemon, options.library,
                    [*BASE_OPTIONS, f"--grpc-port={grpc_port}"])
    pem, key = host.certificate(secure.folder.name)
    secure.command += [f"--tls-key={key}", f"--tls-cert={pem}"]
    secure.secure = ssl.create_default_context(cafile=pem)
    trust = ssl.create_default_context(cafile=pem)
    trust.set_alpn_protocols(["h2"])
    yield secure, kinds.tls_kinds() | kinds_grpc.secure(grpc, trust)


def run():
    for victim, table in victims():
        try:
            torture(victim, table)
            for name in lifetime.NAMES:
                if options.only in name:
                    lifetime.torture(victim, name, choice, record)
        finally:
            victim.kill()
            victim.folder.cleanup()


signal.signal(signal.SIGTERM, lambda *unused: sys.exit("cut off"))
try:
    run()
finally:
    record.show()
sys.exit(record.faults > 0)
