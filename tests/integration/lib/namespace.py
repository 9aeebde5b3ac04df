"""A host of a test's own: a network namespace. Nothing of the machine's own network is
touched, and all of it is gone with the process that holds it."""

import ctypes
import signal
import subprocess

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """The kernel ends this process when the one that made it ends. Between fork and
    exec too."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Host:
    """A namespace, held by a process that sleeps."""

    def __init__(self):
        self.holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c",
             "ip link set lo up; echo; exec sleep 3600"],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
            preexec_fn=end_with_parent)
        if not self.holder.stdout.readline():
            raise OSError("no right to make a network namespace")
        self.pid = self.holder.pid

    def inside(self, *command):
        """The command, run in this host's network."""
        return ["nsenter", "-t", str(self.pid), "-n", *command]

    def run(self, *command):
        return subprocess.run(self.inside(*command), check=True, text=True,
                              capture_output=True).stdout

    def start(self, *command, **how):
        return subprocess.Popen(self.inside(*command), stdin=subprocess.DEVNULL,
                                preexec_fn=end_with_parent, **how)

    def close(self):
        self.holder.kill()
        self.holder.wait()
