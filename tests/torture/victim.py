"""A daemon under the torture library, and the library's control."""

import mmap
import os
import socket
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LEAKS = os.path.join(HERE, "leaks.supp")
sys.path.insert(0, os.path.join(HERE, "..", "integration", "lib"))
sys.argv = sys.argv[:1]  # wire.py reads the address there
import wire
from daemon import Daemon, NotStarted

CLASSES = ["", "alloc", "map", "receive", "send", "socket", "event", "thread",
           "file", "log"]  # as in control.h


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


class Victim(Daemon):
    """A daemon whose `start()` may fail, and says so."""

    def __init__(self, daemon, library, options):
        super().__init__(daemon, options)
        self.secure = None
        self.control = Control(self.folder.name)
        self.environment |= preload(daemon, library) | {
            "TORTURE_CONTROL": self.control.path,
            "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=1:"
            "allocator_may_return_null=1:fast_unwind_on_malloc=0:detect_stack_use_after_return=1",
            "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0"}

    def start(self, port=0):
        """True if the daemon listens, False if it ended before. Its port is
        read in the log, which may fail for a port that is given."""
        self.port, self.command[1] = port, f"--http-port={port}"
        try:
            super().start()
        except NotStarted:
            if self.running():
                raise Bad("neither starts nor ends: "
                          f"{self.log_text()[-300:]}") from None
            return False
        return True

    def listening(self):
        if not self.port:
            return super().listening()
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except OSError:
            return False
        self.address = f"127.0.0.1:{self.port}"
        return True

    def be_current(self):
        super().be_current()
        wire.trusted = self.secure

    def alive(self):
        if not self.running():
            raise Bad(f"ended with {self.process.returncode}: "
                      f"{self.log_text()[-3000:]}")

    def wait(self, seconds):
        code = self.ended(seconds)
        if code is None:
            raise Bad(f"does not end in {seconds} s: {self.log_text()[-300:]}")
        return code

    def stop(self):
        """Ends the daemon, which must say that nothing is lost."""
        self.control.disarm()
        self.process.terminate()
        if self.wait(wire.LIMIT) != 0:
            raise Bad(f"exit code {self.process.returncode}: "
                      f"{self.log_text()[-3000:]}")

    def kill(self):
        if self.process and self.running():
            self.process.kill()
            self.process.wait()
