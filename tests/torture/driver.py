#!/usr/bin/env python3
"""Lets each call of each class fail in turn, for every kind of request, for the
start and for the end: the answer is right, a proper error, or the connection is
closed; the daemon lives, answers the next request right and has lost nothing.

Usage: driver.py DAEMON LIBRARY [--all] [--seed N] [--sample N] [--only TEXT]
                 [--class NAME]
  --all     each call of each class, with each of its errors
  --sample  otherwise: so many calls of each class and kind
The last lines are the counts, by class and by kind."""

import argparse
import collections
import os
import random
import shutil
import signal
import ssl
import subprocess
import sys
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("daemon")
arguments.add_argument("library")
arguments.add_argument("--all", action="store_true")
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--sample", type=int, default=2)
arguments.add_argument("--only", default="")
arguments.add_argument("--class", default="", dest="failing")
options = arguments.parse_args()
options.library = os.path.realpath(options.library)  # else it is searched for

from victim import CLASSES, Bad, Victim, wire
import kinds
import lifetime

MOST = 100000 if options.all else options.sample
chance = random.Random(options.seed)
counts = collections.Counter()  # by (class, kind)
outcomes = collections.Counter()
found = []


def pick(number):
    """The calls to fail, of `number`: all, or a sample in their order."""
    numbers = range(1, number + 1)
    return numbers if number <= MOST else sorted(chance.sample(numbers, MOST))


def attempt(kind):
    try:
        return kind()
    except kinds.CUT as error:
        if "nothing came" in str(error) or "timed out" in str(error):
            raise Bad(f"hangs: {error}") from None
        return "closed"


def once(victim, name, kind, failing, number, count, variant):
    """One round. Returns how many errors the call has, 0 if none failed."""
    control = victim.control
    control.arm(failing, number, count, variant)
    try:
        outcome = attempt(kind)
    finally:
        control.disarm()
    victim.alive()
    failed = control.get("failed")
    counts[failing, name] += failed
    outcomes[outcome] += failed > 0
    return control.get("variants") if failed else 0


def recover(victim):
    """What a failed kind may have left, and the next request."""
    if "--allow-client-shm" in victim.options:
        attempt(kinds.forget_regions)
    if attempt(lambda: kinds.infer(kinds.SMALL)) != "right":
        raise Bad("the next request is not answered")


def rounds(victim, name, kind, failing):
    """Lets calls of one class fail in turn, alone and with those that follow."""
    victim.control.arm(failing, 0, 0)
    if attempt(kind) != "right":
        raise Bad(f"is not right when nothing fails")
    for number in pick(victim.control.calls(failing)):
        for count in (1, 4) if options.all else (chance.choice((1, 1, 4)),):
            variant = 0 if options.all else chance.randrange(12)
            errors = 1
            while variant < errors or (not options.all and errors == 1):
                where = f"call {number} of {failing}, {count}, error {variant}"
                try:
                    errors = once(victim, name, kind, failing, number, count,
                                  variant)
                    recover(victim)
                except Bad as bad:
                    report(victim, f"{name}: {where} "
                                   f"({victim.control.failed_call()}): {bad}")
                variant += 1
                if not options.all:
                    break


def note(text):
    found.append(text)
    print("FAILED:", text, flush=True)


def report(victim, text):
    note(text)
    if victim.process.poll() is not None:
        if not victim.start():
            sys.exit("the daemon does not start again")


def lost(victim, files):
    if not wire.within(3, lambda: wire.open_files() <= files):
        raise Bad(f"{wire.open_files()} descriptors, at first {files}")
    if not wire.within(3, lambda: not wire.metric("flipd_inflight_bytes")):
        raise Bad(f"holds {wire.metric('flipd_inflight_bytes')} bytes")


def torture(victim, table):
    names = [name for name in table if options.only in name]
    if not names:
        return
    if not victim.start():
        sys.exit(f"cannot start: {victim.text()}")
    if not victim.control.calls("alloc"):
        sys.exit(f"{options.library} was not preloaded: {victim.text()[-300:]}")
    for name in names:
        recover(victim)
        files = wire.open_files()
        for failing in [options.failing] if options.failing else CLASSES[1:]:
            try:
                rounds(victim, name, table[name], failing)
                lost(victim, files)
            except Bad as bad:
                report(victim, f"{name}, {failing}: {bad}")
    try:
        victim.stop()
    except Bad as bad:
        report(victim, str(bad))


def certificate(folder):
    """A self-signed one: its key and its file."""
    key, pem = f"{folder}/key", f"{folder}/pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", pem,
         "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    return key, pem


def victims():
    """The daemons with their kinds."""
    port = lifetime.free_port()
    plain = Victim(options.daemon, options.library, [
        "--http-thread-count=1", "--worker-count=2", "--allow-client-shm",
        f"--admin-port={port}", "--access-log", "--log-level=debug",
        "--allow-log-changes"])
    models = f"{plain.folder}/models.json"
    with open(models, "w") as file:
        file.write('{"models": [{"name": "flip", "op": "onnx.ReverseSequence"}]}')
    plain.options.append(f"--models={models}")
    yield plain, kinds.plain_kinds(port)
    secure = Victim(options.daemon, options.library,
                    ["--http-thread-count=1", "--worker-count=2"])
    key, pem = certificate(secure.folder)
    secure.options += [f"--tls-key={key}", f"--tls-cert={pem}"]
    secure.secure = ssl.create_default_context(cafile=pem)
    yield secure, kinds.tls_kinds()


def show():
    for title, at in (("class", 0), ("kind", 1)):
        sums = collections.Counter()
        for key, count in counts.items():
            sums[key[at]] += count
        print(f"calls that failed, by {title}:")
        for key, count in sorted(sums.items(), key=lambda row: -row[1]):
            print(f"  {count:7} {key}")
    print(f"seed {options.seed}: {sum(counts.values())} calls failed in "
          f"{sum(outcomes.values())} rounds: "
          + ", ".join(f"{n} {o}" for o, n in sorted(outcomes.items()))
          + f"; {len(found)} faults, {time.monotonic() - begun:.0f} s")


def run():
    for victim, table in victims():
        try:
            torture(victim, table)
            for name in lifetime.NAMES:
                if options.only in name:
                    lifetime.torture(victim, name, pick, note, counts, outcomes,
                                     options.all)
        finally:
            victim.kill()
            shutil.rmtree(victim.folder)


begun = time.monotonic()
signal.signal(signal.SIGTERM, lambda *unused: sys.exit("cut off"))
try:
    run()
finally:
    show()
sys.exit(len(found) > 0)
