"""The measuring client: one attack after another from 127.0.0.2, at 100 KB/s at
most, beside a normal client at 127.0.0.1: 4 KiB requests, half of them on a
kept connection and half on new ones, compared byte for byte. Prints a line for
each: the share of requests that were answered, and their p99, beside the same
without the attack.

  argument 2...   seconds of each attack (10), then names of attacks, or all
  FAULTS_MEMORY   MiB of a control group for the daemon; 0 (the default): none"""

import os
import subprocess
import sys
import time

import cgroup
import wire
from daemon import Daemon
from fault import ARGUMENTS, BINARY, MIB, Skip
from hostile import ATTACKS, Hostile
from probe import Prober, Result, normal_request

NUMBERS = [float(word) for word in ARGUMENTS if word.isdigit()]
SECONDS = NUMBERS[0] if NUMBERS else 10
CHOSEN = [word for word in ARGUMENTS if not word.isdigit()] or list(ATTACKS)
MEMORY = int(os.environ.get("FAULTS_MEMORY", "0"))


def measured(request, answer, seconds):
    with Prober(request, answer) as kept, \
            Prober(request, answer, fresh=1) as fresh:
        time.sleep(seconds)
        results = [one.result() for one in (kept, fresh)]
    return Result([ms for r in results for ms in r.latencies],
                  [text for r in results for text in r.lost])


def certificate(folder):
    key, cert = f"{folder}/key.pem", f"{folder}/cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", key, "-out", cert], check=True, capture_output=True)
    os.environ["TLS_CA"] = cert
    wire.trusted = wire.trust()
    return [f"--tls-key={key}", f"--tls-cert={cert}"]


def attacked(name):
    """Prints one line; True if the others were served."""
    group = cgroup.Group(MEMORY * MIB) if MEMORY else None
    daemon = Daemon(BINARY, before=group and group.join)
    wire.trusted = None
    if name == "TLS handshakes":
        daemon.command += certificate(daemon.folder.name)
    try:
        with daemon:
            request, answer = normal_request()
            control = measured(request, answer, min(5, SECONDS))
            with Hostile(name):
                time.sleep(1)
                beside = measured(request, answer, SECONDS)
            alive = daemon.running()
    finally:
        if group:
            group.close()
    ratio = beside.at(0.99) / control.at(0.99)
    good = alive and beside.share >= 0.99
    print(f"| {name} | {100 * beside.share:.2f} % of "
          f"{len(beside.latencies) + len(beside.lost)} | "
          f"{beside.at(0.5):.1f} / {control.at(0.5):.1f} ms | "
          f"{beside.at(0.99):.1f} / {control.at(0.99):.1f} ms | {ratio:.1f} |"
          f"{'' if good else ' FAILED ' + str(beside.lost[:2])}", flush=True)
    return good


print(f"| attack, {SECONDS:.0f} s | answered | p50 with / without | "
      f"p99 with / without | ratio |\n| --- | --- | --- | --- | --- |",
      flush=True)
try:
    results = [attacked(name) for name in CHOSEN]
except Skip as skip:
    print(f"skipped: {skip}")
    sys.exit(77)
sys.exit(not all(results))
