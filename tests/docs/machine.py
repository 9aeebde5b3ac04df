"""What a snippet may need, and whether this machine has it."""
import os
import shutil
import subprocess


def _runs(*command):
    try:
        return subprocess.run(command, capture_output=True,
                              timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _has(python, module):
    return _runs(python, "-c", f"import {module}")


def _has_tls(daemon):
    """A daemon built with -DMHD_IO=plain says so before it looks for files."""
    done = subprocess.run([daemon, "--http-port=0", "--tls-cert=no file",
                           "--tls-key=no file"], capture_output=True,
                          check=False, text=True, timeout=60)
    return "without TLS" not in done.stderr


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
    "node": _program("node"),
    "numpy": _imports("numpy"),
    "openssl": _program("openssl"),
    "prometheus": _program("prometheus"),
    "requests": _imports("requests"),
    "root": lambda: os.geteuid() == 0,
    "tritonclient": _imports("tritonclient.http, numpy"),
}
# Beside these: `tls`, a daemon built with it; `source`, a source tree; `isolated`,
# ports beside 8000; and what no machine has: `long`, which takes minutes and is run by
# other tests anyway, and `nodes` of Kubernetes, which deploy/kubernetes/test.sh names
# with the reason.


class Machine:
    """Looks once for each need. `mode` is run.py's option."""

    def __init__(self, daemon, mode):
        source = mode == "--source"
        self.container = mode == "--container"
        self.source = source or self.container
        self.has = {"source": source, "isolated": mode != "",
                    "long": False, "nodes": False, "tls": _has_tls(daemon)}

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
