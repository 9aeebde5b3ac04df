"""A normal client over gRPC in a process of its own, and what attackers of that
port share."""

import multiprocessing
import re
import time

import protobuf
import wire
from grpc_wire import SERVICE, Http2
from probe import Prober
from question import Question

INFER = SERVICE + "ModelInfer"
ATTACKER = "127.0.0.2"


class GrpcProber(Prober):
    """4 KiB at a steady pace, each reply compared."""

    def __init__(self, to, **how):
        self.question = Question(77, 32, 8, 4)
        super().__init__(protobuf.infer(self.question), b"", to, **how)
        self.to = to

    def connect(self):
        one = Http2(self.to, source=self.source)
        one.socket.settimeout(self.patience)
        return one

    def ask(self, one, started):
        """True when the daemon is going to close the connection."""
        try:
            call = one.call(INFER, self.request)
        except wire.Closed as error:
            raise ValueError(str(error)) from error
        if call.status != 0:
            raise ValueError(f"{call.status} {call.text}")
        if protobuf.all_of(call.messages()[0][1], 6) != [
                self.question.expected.tobytes()]:
            raise ValueError("WRONG ANSWER")
        if time.monotonic() - started > self.patience:
            raise ValueError("late")
        one.calls.clear()
        return one.goaway is not None


class Attack:
    """`act(count)` over and over in a process of its own, until the end of the
    block; it adds to count.value what it has sent."""

    def __init__(self, act):
        self.count = multiprocessing.Value("L", 0)
        self.process = multiprocessing.get_context("fork").Process(
            target=self.work, args=(act,), daemon=True)

    def work(self, act):
        while True:
            try:
                act(self.count)
            except (OSError, wire.Closed):
                time.sleep(0.001)

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.join()


def beside(to, act, seconds):
    """Normal clients without and with the attack; the share of answers must be
    whole. A text, and how much the attacker has sent in a second."""
    with GrpcProber(to) as normal:
        time.sleep(seconds)
        without = normal.result()
    with Attack(act) as attack:
        time.sleep(0.3)
        before, started = attack.count.value, time.monotonic()
        with GrpcProber(to) as normal:
            time.sleep(seconds)
            result = normal.result()
        rate = (attack.count.value - before) / (time.monotonic() - started)
    wire.true(f"{len(result.lost)} normal requests lost: {result.lost[:3]}",
              not result.lost)
    wire.true("the attack does not run", rate > 0)
    return (f"p99 {result.at(0.99):.1f} ms beside {without.at(0.99):.1f} "
            f"without, p50 {result.at(0.5):.1f} and {without.at(0.5):.1f}",
            rate)


def inside_the_plan(daemon):
    """The memory that the process has ever had, and what its plan says."""
    plan = int(re.findall(r"memory at most .*total=(\d+)",
                          daemon.log_text())[-1])
    peak = wire.memory_kib("VmHWM") * 1024
    wire.true(f"the peak of {peak} is over the plan's {plan}",
              wire.SCALE > 1 or peak <= plan)
    return f"peak {peak >> 20} of {plan >> 20} MiB"


def served(to, what):
    """One inference on a connection of its own."""
    question = Question(5)
    with Http2(to) as one:
        protobuf.check_call(question, one.call(INFER, protobuf.infer(question)),
                            what)
