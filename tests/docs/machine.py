"""What a snippet may need, and whether this machine has it."""
import os
import shutil
import socket
import subprocess


def _runs(*command):
    try:
        return subprocess.run(command, capture_output=True,
                              timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _has(python, module):
    return _runs(python, "-c", f"import {module}")


def _has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
    except OSError:
        return False
    return True


def python():
    """The interpreter of the snippets: the PATH's, or the system's where only
    that has NumPy."""
    first = shutil.which("python3")
    if not _has(first, "numpy") and _has("/usr/bin/python3", "numpy"):
        return "/usr/bin/python3"
    return first


def _imports(module):
    return lambda: _has(python(), module)


def _program(name):
    return lambda: shutil.which(name) is not None


NEEDS = {
    "docker": lambda: _runs("docker", "info"),
    "haproxy": _program("haproxy"),
    "ipv6": _has_ipv6,
    "library": _imports("flipd.operators, numpy"),
    "node": _program("node"),
    "numpy": _imports("numpy"),
    "openssl": _program("openssl"),
    "prometheus": _program("prometheus"),
    "requests": _imports("requests"),
    "root": lambda: os.geteuid() == 0,
    "tritonclient": _imports("tritonclient.http, numpy"),
}
# Beside these: `source`, a source tree; `isolated`, ports that a file of the
# repository names; and what no machine has: `long`, which takes minutes and is run
# by other tests anyway, and `nodes` of Kubernetes, which tests/deploy/kubernetes/test.sh
# names with the reason.


class Machine:
    """Looks once for each need. `mode` is run.py's option."""

    def __init__(self, mode):
        source = mode == "--source"
        self.container = mode == "--container"
        self.source = source or self.container
        self.has = {"source": source, "isolated": mode != "",
                    "long": False, "nodes": False}

    def lacks(self, needs):
        """The first need that is not met, or None. Containers publish their
        port outside the namespace, so docker needs the machine's own."""
        for need in needs:
            if need == "docker" and not self.source:
                return need
            if need == "source" and self.container and "docker" in needs:
                continue
            if need not in self.has:
                self.has[need] = NEEDS[need]()
            if not self.has[need]:
                return need
        return None
