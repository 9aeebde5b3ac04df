"""Two network namespaces with a link between them: the program runs in one, the
daemon in the other. Nothing of the machine's own network is touched."""

import os
import subprocess
import sys

from fault import Fault, Skip

CLIENT, SERVER = "10.9.0.1", "10.9.0.2"
INSIDE = "FAULTS_NETWORK"


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def enter():
    """Starts the program again in a namespace of its own."""
    if os.environ.get(INSIDE):
        return
    if os.geteuid() != 0 or subprocess.run(
            ["unshare", "-n", "ip", "link"], capture_output=True).returncode:
        return
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "-n", sys.executable,
                          *sys.orig_argv[1:]])


class Network:
    """`launcher` starts a program in the other namespace."""

    def __init__(self):
        if not os.environ.get(INSIDE):
            raise Skip("no right to make a network namespace")
        ip("link", "set", "lo", "up")
        self.holder = subprocess.Popen(
            ["unshare", "-n", "sh", "-c", "echo; exec sleep 3600"],
            stdout=subprocess.PIPE)
        self.holder.stdout.readline()
        self.launcher = ["nsenter", "-t", str(self.holder.pid), "-n"]
        self.inside("ip", "link", "set", "lo", "up")

    def inside(self, *command):
        subprocess.run([*self.launcher, *command], check=True)

    def link(self):
        ip("link", "add", "client", "type", "veth", "peer", "name", "server",
           "netns", str(self.holder.pid))
        self.address("client", "server")

    def address(self, ours, theirs):
        ip("addr", "add", f"{CLIENT}/24", "dev", ours)
        ip("link", "set", ours, "up")
        self.inside("ip", "addr", "add", f"{SERVER}/24", "dev", theirs)
        self.inside("ip", "link", "set", theirs, "up")

    def cut(self):
        ip("link", "set", "client", "down")

    def restore(self):
        ip("link", "set", "client", "up")

    def sockets(self):
        """TCP sockets of the daemon's namespace, without those that listen or
        wait for the last packets to die."""
        text = subprocess.run([*self.launcher, "cat", "/proc/net/tcp"],
                              capture_output=True, text=True).stdout
        states = [line.split()[3] for line in text.splitlines()[1:]]
        return sum(state not in ("0A", "06") for state in states)

    def close(self):
        self.holder.kill()
        self.holder.wait()


class Linked(Fault):
    """A row whose daemon is at the other end of `self.network`."""

    def attacked(self, attack):
        self.network = Network()
        self.connect()
        self.how["launcher"] = self.network.launcher
        self.options.append(f"--http-address={SERVER}")
        try:
            return super().attacked(attack)
        finally:
            self.network.close()

    def connect(self):
        self.network.link()
