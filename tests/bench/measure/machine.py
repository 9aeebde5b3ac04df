"""The machine and the versions of a measurement: lines of "name: value"."""

import os
import platform
import subprocess


def _first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "not installed"
    text = (done.stdout or done.stderr).strip()
    return text.splitlines()[0].strip() if text else "unknown"


def _field(path, name):
    with open(path) as lines:
        for line in lines:
            if line.startswith(name):
                return line.split(":", 1)[1].strip()
    return "unknown"


def _release():
    with open("/etc/os-release") as lines:
        for line in lines:
            if line.startswith("PRETTY_NAME="):
                return line.split("=", 1)[1].strip().strip('"')
    return "unknown"


def package(name):
    """The version of a Debian package."""
    return _first_line("dpkg-query", "-W", "-f", "${Version}", name)


def library(root, name):
    """The version that pkg-config finds, .deps/ first like the build."""
    return _first_line(
        "env", f"PKG_CONFIG_PATH={root}/.deps/lib/pkgconfig",
        "pkg-config", "--modversion", name)


def program(path):
    """The first line of a program's --version."""
    return _first_line(path, "-v").rpartition("/")[2]


def commit(root):
    described = _first_line("git", "-C", root, "describe", "--always",
                            "--dirty")
    return described if " " not in described else "unknown"


def describe(root):
    memory = int(_field("/proc/meminfo", "MemTotal").split()[0]) >> 20
    model = _field("/proc/cpuinfo", "model name")
    flags = _field("/proc/cpuinfo", "flags").split()
    vector = [f for f in ("avx2", "avx512bw", "avx512vbmi") if f in flags]
    return [
        f"machine: {model}, {os.cpu_count()} cores "
        f"({', '.join(vector) or 'no AVX2'}), {memory} GiB",
        f"system: {_release()}, Linux {platform.release().split('-')[0]}",
        f"compiler: {_first_line('cc', '--version')}",
        f"flipd: {commit(root)}",
    ]
