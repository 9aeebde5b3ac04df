"""C6: the link breaks while requests arrive, wait and are answered."""

import time

import network
from fault import Fault, pick, series, wire
from question import Question

ROUNDS, COUNT = pick((1, 20), (50, 20))
network.enter()


def attack(daemon):
    files, slowest = wire.open_files(), 0.0
    request = Question(3, 2000, 64, 16, True).request()
    for _ in range(ROUNDS):
        broken = [wire.Wire(receive_buffer=4096) for _ in range(COUNT)]
        for number, one in enumerate(broken):
            one.socket.settimeout(0.2)
            one.send_if_open(request[:len(request) // (number % 2 + 1)])
        ROW.network.cut()
        started = time.monotonic()
        gone = wire.within(30, lambda: wire.open_files() <= files)
        wire.true("connections stay open", gone)
        slowest = max(slowest, time.monotonic() - started)
        for one in broken:
            one.reset()
        ROW.network.restore()
        wire.true("no answer on the link",
                  wire.within(10, Fault.live))
    wire.true("bytes are held", wire.within(
        5, lambda: series("flipd_inflight_bytes") == 0))
    return (f"{ROUNDS} times {COUNT} connections on a link that broke, all "
            f"gone after {slowest:.1f} s")


ROW = network.Linked("C6", "half-open connections", ["--body-timeout=2"])
ROW.run(attack)
