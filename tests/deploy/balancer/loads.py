"""Clients of the balancer at port 8000, which ask while something happens to the
replicas behind it."""

import os
import sys
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path[:0] = [f"{ROOT}/tests/faults/lib", f"{ROOT}/tests/integration/lib"]
BALANCER = "127.0.0.1:8000"
ARGUMENTS, sys.argv[1:] = sys.argv[1:], [BALANCER, "0"]  # of wire.py

import wire  # noqa: E402
from load import Load  # noqa: E402, F401


def is_refusal(text):
    """A replica was full: on a machine that others use that may be, now and then."""
    return "max-queue-delay" in text


def under_load(loads, act, what):
    """Runs `act` while clients ask; none of their requests may be lost."""
    for load in loads:
        load.start()
    time.sleep(0.5)
    act()
    time.sleep(0.5)
    results = [load.stop() for load in loads]
    answered = sum(result.answered for result in results)
    others = [text for result in results for text in result.lost]
    lost = [text for text in others if not is_refusal(text)]
    refused = len(others) - len(lost)
    wire.true(f"{len(lost)} of {answered + len(others)} lost: {lost[:5]}", not lost)
    wire.true(f"{refused} refused, {answered} answered", refused * 1000 <= answered)
    wire.true(f"only {answered} were answered", answered > 200)
    full = f", {refused} refused by a full replica" if refused else ""
    print(f"seen    {what}: {answered} requests, {len(lost)} lost{full}", flush=True)
