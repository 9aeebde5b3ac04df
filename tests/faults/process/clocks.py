"""P14: the wall clock, and the monotonic clock too, jump by an hour and a day.
Deadlines do not follow the wall clock."""

import glob
import os
import signal
import time

from daemon import Daemon
from fault import BINARY, Fault, Skip, example, wire
from question import Question


def attack(daemon):
    found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not found:
        raise Skip("libfaketime is not installed")
    figure = []
    for monotonic in ("1", "0"):
        moved = os.path.join(daemon.folder.name, "clock")
        with open(moved, "w") as file:
            file.write("+0")
        with Daemon(BINARY, ["--header-timeout=5"], env={
                "LD_PRELOAD": found[0], "FAKETIME_TIMESTAMP_FILE": moved,
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": monotonic}) as one:
            right, asked, cut = 0, 0, 0
            for step in ("+3600", "-3600", "+0", "+86400", "+0"):
                with wire.Wire() as begun:
                    question = Question(asked)
                    data = question.request()
                    begun.send(data[:100])
                    time.sleep(0.2)
                    with open(moved, "w") as file:
                        file.write(step)
                    time.sleep(0.3)
                    begun.send_if_open(data[100:])
                    try:
                        reply = begun.reply()
                        cut += reply.status == 408
                        right += reply.status == 200 and question.check(reply)
                    except wire.Closed:
                        cut += 1
                asked += 1
                wire.true(f"after {step}: no right answer", example())
            if monotonic == "1":
                wire.equal("cut when only the wall clock moved", 0, cut)
            wire.true("ended", one.running())
            wire.true("does not end", one.stop(signal.SIGTERM) in (0, 1))
        name = "wall clock" if monotonic == "1" else "both clocks"
        figure.append(f"{name}: {right} of {asked} begun requests answered, "
                      f"{cut} cut")
    daemon.be_current()
    return "jumps of an hour and a day; " + "; ".join(figure)


Fault("P14", "clocks that jump").run(attack)
