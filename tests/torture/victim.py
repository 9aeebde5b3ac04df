"""A daemon under the torture library, and the library's control."""

import mmap
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LEAKS = os.path.join(HERE, "leaks.supp")
sys.path.insert(0, os.path.join(HERE, "..", "integration", "lib"))
sys.argv = sys.argv[:1]  # wire.py reads the address there
import wire

CLASSES = ["", "alloc", "map", "receive", "send", "socket", "event", "thread",
           "file", "log"]  # as in control.h
WAIT = wire.LIMIT  # seconds after which nothing comes any more


class Bad(Exception):
    """What the daemon must never do."""


class Control:
    """The file that the library maps: struct torture_control."""

    FIELDS = {"failing": 0, "first": 1, "count": 2, "variant": 3, "failed": 4,
              "variants": 5, "calls": 6}
    NAME = 4 * len(FIELDS)
    STACKS = NAME + 36
    MOST_STACKS = 1 << 15
    SIZE = STACKS + 8 * MOST_STACKS

    def __init__(self, folder):
        self.path = os.path.join(folder, "control")
        with open(self.path, "wb") as file:
            file.write(bytes(self.SIZE))
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), self.SIZE)

    def put(self, field, value):
        struct.pack_into("=I", self.map, 4 * self.FIELDS[field], value)

    def get(self, field):
        return struct.unpack_from("=I", self.map, 4 * self.FIELDS[field])[0]

    def arm(self, name, first, count=1, variant=0):
        """Lets the calls `first` to `first + count - 1` of a class fail."""
        self.disarm()
        for field, value in (("first", first), ("count", count), ("failed", 0),
                             ("variant", variant), ("variants", 0), ("calls", 0)):
            self.put(field, value)
        self.put("failing", CLASSES.index(name))

    def disarm(self):
        self.put("failing", 0)

    def note(self, name):
        """Lets none fail, and notes the stacks of the calls of a class."""
        self.arm(name, 0, 0)

    def stacks(self):
        """One number for the stack of each call since note(), in their order."""
        count = min(self.get("calls"), self.MOST_STACKS)
        return struct.unpack_from(f"={count}Q", self.map, self.STACKS)

    def failed_stack(self):
        return struct.unpack_from("=Q", self.map, self.STACKS)[0]

    def failed_call(self):
        return self.map[self.NAME:self.STACKS].split(b"\0")[0].decode()


def preload(daemon, library):
    """The variable that does it. `flipd.emulated` calls qemu, whose own libraries
    are this machine's."""
    if daemon.endswith(".emulated"):
        return {"QEMU_SET_ENV": f"LD_PRELOAD={library}"}
    return {"LD_PRELOAD": library}


class Victim:
    """Starts the daemon; `start()` may fail, `started` says whether."""

    def __init__(self, daemon, library, options, secure=None):
        self.folder = tempfile.mkdtemp(prefix="flipd-torture-")
        self.daemon, self.library, self.options = daemon, library, options
        self.secure = secure
        self.control = Control(self.folder)
        self.log = os.path.join(self.folder, "log")
        self.process = None

    def start(self, port=0):
        """True if the daemon listens, False if it ended before. Its port is
        read in the log, which may fail for a port that is given."""
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(("FLIPD_", "TORTURE_"))}
        environment |= preload(self.daemon, self.library) | {
            "TORTURE_CONTROL": self.control.path,
            "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=1:"
            "allocator_may_return_null=1:fast_unwind_on_malloc=0:detect_stack_use_after_return=1",
            "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0"}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [self.daemon, f"--http-port={port}", *self.options],
                stderr=log, stdout=log, env=environment)
        end = time.monotonic() + WAIT
        while not (found := self.listens(port)):
            if self.process.poll() is not None:
                return False
            if time.monotonic() > end:
                raise Bad(f"neither starts nor ends: {self.text()[-300:]}")
            time.sleep(0.002)
        self.take(found)
        return True

    def listens(self, port):
        """The address once the daemon listens there."""
        if not port:
            found = re.search(r"listening on ([^ \"\n]+)", self.text())
            return found and found.group(1)
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return f"127.0.0.1:{port}"
        except OSError:
            return None

    def take(self, address=None):
        """Directs wire.py to this daemon."""
        self.address = address or self.address
        wire.address, wire.pid = self.address, self.process.pid
        wire.trusted = self.secure
        wire.LIMIT = WAIT

    def text(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def alive(self):
        if self.process.poll() is not None:
            raise Bad(f"ended with {self.process.returncode}: "
                      f"{self.text()[-3000:]}")

    def wait(self, seconds):
        try:
            return self.process.wait(wire.BUSY + seconds * wire.SCALE)
        except subprocess.TimeoutExpired:
            raise Bad(f"does not end in {seconds} s: "
                      f"{self.text()[-300:]}") from None

    def stop(self):
        """Ends the daemon, which must say that nothing is lost."""
        self.control.disarm()
        self.process.terminate()
        if self.wait(WAIT) != 0:
            raise Bad(f"exit code {self.process.returncode}: "
                      f"{self.text()[-3000:]}")

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
