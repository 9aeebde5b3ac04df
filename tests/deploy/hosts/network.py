"""Hosts on one machine: a network namespace each, joined by a switch (a bridge in a
namespace of its own). The lines of some are cables (tests/load/cable.c), which delay,
lose and are cut; those of the others are veth pairs."""

import os
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../integration/lib"))
from namespace import Host, end_with_parent  # noqa: E402

NET = "10.9.0"


class Network:
    """`hosts` are at the ends of cables, `others` at those of veth pairs; both give
    the last byte of each address by its name."""

    def __init__(self, cable, hosts, others):
        self.switch = Host()
        self.hosts = {name: Host() for name in [*hosts, *others]}
        self.switch.run("ip", "link", "add", "switch", "type", "bridge")
        self.switch.run("ip", "link", "set", "switch", "up")
        for name in others:
            self.switch.run("ip", "link", "add", name, "type", "veth", "peer",
                            "name", "eth0", "netns", str(self.hosts[name].pid))
        self.cable = subprocess.Popen(
            [cable, *(f"{name}:{self.hosts[name].pid}:{self.switch.pid}"
                      for name in hosts)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=end_with_parent)
        self.expect("ready")
        for name, last in [*hosts.items(), *others.items()]:
            self.plug(name, last)

    def plug(self, name, last):
        self.switch.run("ip", "link", "set", name, "master", "switch", "up")
        host = self.hosts[name]
        host.run("ip", "address", "add", f"{NET}.{last}/24", "dev", "eth0")
        host.run("ip", "link", "set", "eth0", "up")

    def expect(self, answer):
        said = self.cable.stdout.readline().strip()
        if said != answer:
            raise OSError(f"cable said {said!r}, not {answer!r}")

    def tell(self, command):
        self.cable.stdin.write(command + "\n")
        self.cable.stdin.flush()
        self.expect("ok")

    def weather(self, name, delay_ms=0.0, jitter_ms=0.0, loss=0.0):
        """Of one cable, each way."""
        self.tell(f"{name} {delay_ms * 1000:.0f} {jitter_ms * 1000:.0f} "
                  f"{loss * 1e6:.0f}")

    def carry(self, name, which):
        """up, forth (what it sends), back (what it receives) or cut."""
        self.tell(f"{name} {which}")

    def interface(self, name, state):
        """The host's own end: up or down."""
        self.hosts[name].run("ip", "link", "set", "eth0", state)

    def close(self):
        self.cable.stdin.close()
        self.cable.wait()
        for host in [self.switch, *self.hosts.values()]:
            host.close()
