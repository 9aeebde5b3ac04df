"""A control group with a limit, version 2 or 1, below this process's own."""

import os
import time

from fault import Skip

ROOT = "/sys/fs/cgroup"


def own(controller):
    """This process's group in the hierarchy of `controller` ("" is version
    2)."""
    with open("/proc/self/cgroup") as groups:
        for line in groups:
            _, controllers, path = line.strip().split(":", 2)
            if controller in controllers.split(","):
                return path
    return "/"


def write(path, value):
    with open(path, "w") as file:
        file.write(str(value))


def read(path):
    with open(path) as file:
        return file.read()


class Group:
    """memory: bytes. cpu: share of a core."""

    def __init__(self, memory=0, cpu=0.0):
        self.two = os.path.exists(f"{ROOT}/cgroup.controllers")
        self.paths = []
        try:
            if memory:
                self.memory = self.make("memory")
                self.limit_memory(memory)
            if cpu:
                self.limit_cpu(self.make("cpu"), cpu)
        except OSError as error:
            self.close()
            raise Skip(f"no right to make a control group ({error})") from None

    def make(self, controller):
        base = ROOT if self.two else f"{ROOT}/{controller}"
        base += own("" if self.two else controller).rstrip("/")
        path = f"{base}/flipd-faults-{os.getpid()}"
        if not os.path.isdir(path):
            os.mkdir(path)
            self.paths.append(path)
        return path

    def limit_memory(self, size):
        if self.two:
            write(f"{self.memory}/memory.max", size)
            write(f"{self.memory}/memory.swap.max", 0)
            return
        write(f"{self.memory}/memory.limit_in_bytes", size)
        # Version 1 counts the sockets' buffers beside the rest, and only
        # when they have a limit.
        if os.path.exists(f"{self.memory}/memory.kmem.tcp.limit_in_bytes"):
            write(f"{self.memory}/memory.kmem.tcp.limit_in_bytes", size)

    def limit_cpu(self, path, share):
        if self.two:
            write(f"{path}/cpu.max", f"{int(share * 100000)} 100000")
        else:
            write(f"{path}/cpu.cfs_period_us", 100000)
            write(f"{path}/cpu.cfs_quota_us", int(share * 100000))

    def join(self):
        """Called in the daemon's process before it becomes the daemon."""
        for path in self.paths:
            write(f"{path}/cgroup.procs", os.getpid())

    def kills(self):
        """How often the kernel ended a process for memory, or refused some."""
        name = "memory.events" if self.two else "memory.oom_control"
        values = dict(line.split() for line in
                      read(f"{self.memory}/{name}").splitlines())
        return int(values.get("oom_kill", 0))

    def peak(self):
        """Bytes, with the sockets' buffers where the kernel counts them."""
        names = (["memory.peak"] if self.two else
                 ["memory.max_usage_in_bytes",
                  "memory.kmem.tcp.max_usage_in_bytes"])
        return sum(int(read(f"{self.memory}/{name}")) for name in names
                   if os.path.exists(f"{self.memory}/{name}"))

    def close(self):
        for path in self.paths:
            for _ in range(100):
                try:
                    os.rmdir(path)
                    break
                except OSError:
                    time.sleep(0.05)
