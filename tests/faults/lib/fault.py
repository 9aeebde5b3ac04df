"""One row of the catalogue, against a daemon of its own.

A program of the folders beside this one ends with
    Fault("C3", "slow read", ["--body-timeout=2"]).run(attack)
`attack(daemon)` does the harm and returns the figure, a text. Then the check at
the end of every row follows: the same process answers a health request and an
inference, byte for byte; descriptors and memory are back; the log has no line
of a sanitizer; SIGTERM ends the process with 0.

  argument 1              the daemon
  FAULTS_LONG=1           full size; otherwise the quick half's
  CK_TIMEOUT_MULTIPLIER   stretches every time limit; 1 = a release build

Prints `ID name: figure`. Exit code: 0 passed, 1 failed, 77 skipped."""

import os
import re
import sys
import time

BINARY = os.path.realpath(sys.argv[1]) if sys.argv[1:] else "flipd"
ARGUMENTS = sys.argv[2:]
sys.argv[1:] = ["", "0"]  # of wire.py: there is no daemon yet
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../integration/lib")]

import wire  # noqa: E402
from daemon import Daemon  # noqa: E402
from question import Question  # noqa: E402

LONG = os.environ.get("FAULTS_LONG") == "1"
SCALE = wire.SCALE
MIB = 1 << 20
KEEP = 40  # seconds until unused buffers and free heap have been given back
HEAP = 16  # MiB that the heap keeps for all threads
SANITIZER = re.compile(
    r"(Address|Leak|Thread|Memory)Sanitizer|runtime error:|Assertion|"
    r"stack smashing|double free|corrupted")

# README.md's first example, and the whole body of its answer.
EXAMPLE = (b'{"inputs":[{"name":"input","datatype":"FP32","shape":[4,4],'
           b'"data":[0,4,8,12,1,5,9,13,2,6,10,14,3,7,11,15]},'
           b'{"name":"sequence_lens","datatype":"INT64","shape":[4],'
           b'"data":[4,3,2,1]}]}')
EXAMPLE_ANSWER = (
    b'{"model_name":"onnx.ReverseSequence","model_version":"10","outputs":['
    b'{"name":"Y","datatype":"FP32","shape":[4,4],'
    b'"data":[3,6,9,12,2,5,8,13,1,4,10,14,0,7,11,15]}]}')
PATH = "/v2/models/onnx.ReverseSequence/infer"


class Skip(Exception):
    """This machine cannot run the row; the text says why."""


def pick(quick, long):
    return long if LONG else quick


def mib(count):
    return f"{count / MIB:.1f} MiB"


def example():
    """One inference on a connection of its own; True if its answer is right."""
    try:
        reply = wire.ask("POST", PATH, EXAMPLE)
    except (wire.Closed, OSError):
        return False
    return reply.status == 200 and reply.body == EXAMPLE_ANSWER


def series(name, text=None):
    """The value of a series of /metrics, or 0 without it."""
    text = text or wire.ask("GET", "/metrics").body.decode()
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)
    return float(found[1]) if found else 0


class Fault:
    """timeout: seconds that the daemon may take to give everything back.
    kept: MiB that may stay resident in the quick half: buffers that the next
    request would use."""

    def __init__(self, row, name, options=(), timeout=10, kept=64, **how):
        self.row, self.name = row, name
        self.timeout, self.kept = timeout, kept
        self.options, self.how = list(options), how

    def run(self, attack):
        try:
            figure = self.attacked(attack)
        except Skip as skip:
            print(f"{self.row} {self.name}: skipped: {skip}")
            sys.exit(77)
        print(f"{self.row} {self.name}: "
              f"{'FAILED: ' if wire.failures else ''}{figure}", flush=True)
        sys.exit(wire.failures > 0)

    def attacked(self, attack):
        with Daemon(BINARY, self.options, **self.how) as daemon:
            self.warm_up()
            files, memory = wire.open_files(), self.resident()
            try:
                figure = attack(daemon)
            except (wire.Closed, OSError) as error:
                wire.fail(f"{type(error).__name__}: {error}")
                figure = "ended early"
            if daemon.running():
                figure = f"{figure}; {self.recovered(daemon, files, memory)}"
            self.stopped(daemon)
            return figure

    def warm_up(self):
        """What a daemon allocates once, it allocates before the base is
        taken: each loop has answered, JSON and bytes, small and large."""
        for n in range(64):
            question = Question(n, 100, 8, 40, n % 2 == 0)
            with wire.Wire() as one:
                one.send(question.request())
                question.check(one.reply(), "warm-up")
        wire.true("the example is answered before", example())

    def resident(self):
        """Bytes, without the buffers that the daemon keeps for a while."""
        text = wire.ask("GET", "/metrics").body.decode()
        kept = series('flipd_budget_bytes{use="kept"}', text)
        return wire.memory_kib("VmRSS") * 1024 - kept

    def recovered(self, daemon, files, memory):
        wire.true("the process is another one", daemon.running())
        started = time.monotonic()
        wire.true("not live again",
                  wire.within(self.timeout + 2, self.live))
        answered = time.monotonic() - started
        wire.true("the example's answer is wrong", example())
        wire.true(f"{wire.open_files()} descriptors are open, {files} were",
                  wire.within(self.timeout + 2,
                              lambda: wire.open_files() <= files))
        # The long form waits until the kept buffers have gone. A sanitizer
        # keeps memory for itself.
        bound = memory + (2 + pick(self.kept, HEAP)) * MIB
        back = wire.SCALE > 1 or wire.within(
            pick(self.timeout + 2, self.timeout + 2 + KEEP),
            lambda: self.resident() <= bound)
        grown = self.resident() - memory
        wire.true(f"{mib(grown)} more memory than before", back)
        return (f"live after {answered * 1000:.0f} ms, "
                f"RSS {grown / MIB:+.1f} MiB")

    @staticmethod
    def live():
        try:
            return wire.ask("GET", "/v2/health/live").status == 200
        except (wire.Closed, OSError):
            return False

    @staticmethod
    def stopped(daemon):
        """The attack may have ended the daemon itself, and judged its end."""
        if daemon.running():
            code = daemon.stop()
            wire.equal("exit code after SIGTERM", 0, code)
        found = SANITIZER.search(daemon.log_text())
        if found:
            at = daemon.log_text()[found.start():]
            wire.fail(f"the log has: {at[:400]}")
