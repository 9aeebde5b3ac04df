"""A daemon that a program starts and stops, known to wire.py by its address."""

import os
import re
import signal
import subprocess
import tempfile
import time

import host
import wire


class NotStarted(Exception):
    """The process ended, or did not listen; the text ends with its log."""


def certificate(folder):
    """The options of a daemon with TLS; wire.py trusts it from now on."""
    cert, key = host.certificate(folder)
    os.environ["TLS_CA"] = cert
    wire.trusted = wire.trust()
    return [f"--tls-key={key}", f"--tls-cert={cert}"]


class Daemon:
    """launcher: a command that execs the daemon, such as prlimit.
    options: `=FREE` becomes a free port.
    env: variables beside the caller's, of which FLIPD_* are left out.
    current: wire.py talks to this one from now on."""

    def __init__(self, binary, options=(), launcher=(), env=(), current=True,
                 stderr=None, port=0, before=None):
        self.folder = tempfile.TemporaryDirectory()
        self.log = os.path.join(self.folder.name, "log")
        options = [option.replace("=FREE", f"={host.free_port()}")
                   for option in options]
        self.command = [*launcher, binary, f"--http-port={port}", *options]
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("FLIPD_")}
        self.environment.update(env)
        self.current, self.stderr, self.before = current, stderr, before
        self.process = self.address = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *unused):
        if self.running():
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def start(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL,
                stderr=self.stderr or log, env=self.environment,
                preexec_fn=self.before)
        if self.stderr:
            return
        end = time.monotonic() + wire.LIMIT
        while not self.listening():
            if not self.running() or time.monotonic() > end:
                raise NotStarted(" ".join(self.command) + "\n" +
                                 self.log_text()[-2000:])
            time.sleep(0.01)
        if self.current:
            self.be_current()

    def be_current(self):
        wire.address, wire.pid = self.address, self.pid

    def listening(self):
        found = re.findall(r'listening on ([^\s"]+)', self.log_text())
        if not found:
            return False
        self.address = found[0]
        return True

    @property
    def pid(self):
        return self.process.pid

    @property
    def admin(self):
        """The address of --admin-port."""
        return re.findall(r'admin port at ([^\s"]+)', self.log_text())[-1]

    @property
    def grpc(self):
        """The address of --grpc-port."""
        return re.findall(r'gRPC port at ([^\s"]+)', self.log_text())[-1]

    def log_text(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def running(self):
        return self.process.poll() is None

    def stop(self, sign=signal.SIGTERM, seconds=15):
        """Returns the exit code, negative for a signal; None when it runs
        on. `seconds`: what an idle machine takes at most."""
        self.process.send_signal(sign)
        return self.ended(seconds)

    def ended(self, seconds):
        try:
            return self.process.wait(wire.BUSY + seconds * wire.SCALE)
        except subprocess.TimeoutExpired:
            return None
