"""A control group with a limit, version 2 or 1, below this process's own."""

import multiprocessing
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
        self.paths, self.watcher = [], None
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

    def usage(self):
        """Bytes now, and those of them that sockets' buffers take. Version 1
        counts the two apart, version 2 together."""
        if self.two:
            stat = dict(line.split() for line in
                        read(f"{self.memory}/memory.stat").splitlines())
            return (int(read(f"{self.memory}/memory.current")),
                    int(stat.get("sock", 0)))
        sockets = f"{self.memory}/memory.kmem.tcp.usage_in_bytes"
        held = int(read(sockets)) if os.path.exists(sockets) else 0
        return int(read(f"{self.memory}/memory.usage_in_bytes")) + held, held

    def watch(self):
        """Remembers the highest usage() from now on."""
        self.highest = multiprocessing.Array("Q", 2)
        self.watcher = multiprocessing.Process(target=self.follow, daemon=True)
        self.watcher.start()

    def follow(self):
        while True:
            now = self.usage()
            if now[0] > self.highest[0]:
                self.highest[:] = now
            time.sleep(0.005)

    def peak(self):
        """Bytes, and those of sockets among them, at the highest moment since
        watch(). (Version 1's own maxima are of two moments.)"""
        return tuple(self.highest)

    def close(self):
        if self.watcher:
            self.watcher.kill()
            self.watcher.join()
        for path in self.paths:
            for _ in range(100):
                try:
                    os.rmdir(path)
                    break
                except OSError:
                    time.sleep(0.05)
