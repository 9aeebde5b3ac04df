"""Two network namespaces with a link between them: the program runs in one, the
daemon in the other."""

import os
import subprocess
import sys

from fault import Fault, Skip
from namespace import Host

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
        self.host = Host()
        self.launcher = self.host.inside()

    def link(self):
        ip("link", "add", "client", "type", "veth", "peer", "name", "server",
           "netns", str(self.host.pid))
        self.address("client", "server")

    def address(self, ours, theirs):
        ip("addr", "add", f"{CLIENT}/24", "dev", ours)
        ip("link", "set", ours, "up")
        self.host.run("ip", "addr", "add", f"{SERVER}/24", "dev", theirs)
        self.host.run("ip", "link", "set", theirs, "up")

    def cut(self):
        ip("link", "set", "client", "down")

    def restore(self):
        ip("link", "set", "client", "up")


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
            self.network.host.close()

    def connect(self):
        self.network.link()
