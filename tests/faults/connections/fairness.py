"""C12: one connection pipelines as fast as it can; others are not delayed."""

import threading

from fault import EXAMPLE, PATH, Fault, pick, wire
from probe import Prober, normal_request

SECONDS = pick(2, 15)
FLOOD = wire.request("POST", PATH, EXAMPLE) * 500


def attack(daemon):
    stop = threading.Event()
    with Prober(*normal_request(), pause=0.005) as normal:
        stop.wait(SECONDS)
        control = normal.result()
    with wire.Wire() as one, Prober(*normal_request(), pause=0.005) as normal:
        sent = threading.Thread(target=flood, args=(one, stop))
        sent.start()
        received = 0
        try:
            while True:
                one.more()
                received += len(one.buffer)
                one.buffer.clear()
        except wire.Closed:
            sent.join()
        result = normal.result()
    wire.true(f"lost {result.lost[:3]}", not result.lost)
    return (f"p99 {result.at(0.99):.1f} ms beside a flood that was answered "
            f"{received / SECONDS / (1 << 20):.0f} MiB/s, alone "
            f"{control.at(0.99):.1f} ms")


def flood(one, stop):
    timer = threading.Timer(SECONDS, stop.set)
    timer.start()
    try:
        while not stop.is_set():
            one.socket.sendall(FLOOD)
    except OSError:
        pass
    one.half_close()


Fault("C12", "fairness to one that pipelines").run(attack)
