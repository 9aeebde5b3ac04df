"""One page: its empty folder, and the daemon that its snippets ask."""
import http.client
import os
import re
import signal
import subprocess
import time

PORT = 8000  # of a daemon without options
SCALE = float(os.environ.get("CK_TIMEOUT_MULTIPLIER", "1"))
# A busy neighbour makes seconds minutes: these limits end what hangs.
SECONDS = 240 + 60 * SCALE
START_SECONDS = 60 + 20 * SCALE
BUILD_SECONDS = 1200  # of a block that serves: it may build first
# Lines that leave a process in the background.
STARTS = re.compile(r"^.*[^&]&( echo \$! >\S+)?$", re.M)
COMMANDS = {"sh": ["bash", "-e", "-o", "pipefail", "-c"],
            "python": ["python3", "-c"],
            "js": ["node", "--input-type=module", "-e"]}


def started(code):
    """The commands that go on in the background."""
    return [match[0] for match in STARTS.finditer(code.replace("\\\n", " "))]


def ports(blocks):
    """All ports that the daemons of a page listen on. 0 is no port."""
    return sorted({PORT}.union(
        int(port) for block in blocks for command in started(block.code)
        for port in re.findall(r"-port[ =]([1-9]\d+)", command)))


class Page:
    """Starts a daemon before the first snippet that starts none. A snippet that
    starts daemons ends those before it, as its reader would."""

    def __init__(self, folder, daemon, python, taken):
        self.folder, self.taken = folder, taken  # the port in place of the page's
        self.tools = folder + ".bin"
        os.mkdir(self.tools)
        os.symlink(daemon, f"{self.tools}/flipd")
        with open(f"{self.tools}/python3", "w") as file:
            file.write(f'#!/bin/sh\nexec {python} "$@"\n')
        os.chmod(f"{self.tools}/python3", 0o755)
        self.environment = dict(
            os.environ, PATH=f"{self.tools}:{os.environ['PATH']}")
        self.port = taken[PORT]
        if self.port != PORT:
            self.environment["FLIPD_HTTP_PORT"] = str(self.port)
        self.groups = []  # of processes that serve
        self.started = False
        self.logs = open(f"{self.tools}/log", "w+b")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        self.logs.close()
        for name in os.listdir(self.tools):
            os.unlink(f"{self.tools}/{name}")
        os.rmdir(self.tools)

    def translate(self, text):
        return re.sub(r"\b\d+\b", lambda match: str(
            self.taken.get(int(match[0]), match[0])), text)

    def run(self, block):
        """Returns why the block failed, or None, and what it printed."""
        serves = block.serves or started(block.code)
        if serves:
            why = self.close()
            if why:
                return why, ""
        elif not self.started:
            self._start(["flipd"])
            if not self._ready(START_SECONDS):
                return "flipd did not start", ""
        self.started = True
        command = COMMANDS[block.language] + [self.translate(block.code)]
        if block.serves:
            self._start(command)
            return (None if self._ready(BUILD_SECONDS) else "it does not serve",
                    "")
        return self._run(command, sum(line.startswith("flipd ") for line in
                                      started(block.code)))

    def _start(self, command):
        one = subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdout=self.logs,
            stderr=self.logs, stdin=subprocess.DEVNULL, start_new_session=True)
        self.groups.append(one.pid)
        self.started = True

    def _run(self, command, flipds):
        before = self._listening()
        with open(f"{self.tools}/out", "w+b") as out:
            one = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=out,
                stderr=self.logs, stdin=subprocess.DEVNULL,
                start_new_session=True)
            self.groups.append(one.pid)
            try:
                code = one.wait(SECONDS)
            except subprocess.TimeoutExpired:
                return f"it still runs after {SECONDS:.0f} s", ""
            if flipds and code == 0 and not self._listen(
                    one.pid, before + flipds):
                return "the daemon that it starts does not listen", ""
            out.seek(0)
            text = out.read().decode(errors="replace")
        if code:
            return f"exit code {code}\n{text}", text
        return None, text

    def _log(self):
        self.logs.flush()
        with open(f"{self.tools}/log", "rb") as file:
            return file.read().decode(errors="replace")

    def said(self):
        """The end of what daemons and snippets wrote to standard error."""
        return "\n".join(f"    | {line}"
                         for line in self._log().splitlines()[-20:])

    def _listening(self):
        return self._log().count("listening on ")

    def _listen(self, group, count):
        """Waits until `count` daemons have said that they listen. False at once
        when none of the group is left."""
        return self._within(START_SECONDS, lambda: self._listening() >= count or
                            self._reaped(group)) and self._listening() >= count

    def _within(self, seconds, holds):
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def _is_ready(self):
        one = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            one.request("GET", "/v2/health/ready")
            return one.getresponse().status == 200
        except OSError:
            return False
        finally:
            one.close()

    def _ready(self, seconds):
        return self._within(seconds, self._is_ready)

    def close(self):
        """Ends what serves, gently. Returns why that failed, or None."""
        why = None
        for group in self.groups:
            self._signal(group, signal.SIGTERM)
        for group in self.groups:
            if not self._within(START_SECONDS, lambda: self._reaped(group)):
                self._signal(group, signal.SIGKILL)
                self._within(20, lambda: self._reaped(group))
                why = f"a daemon did not end within {START_SECONDS:.0f} s"
        self.groups = []
        return why

    @staticmethod
    def _signal(group, number):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            pass

    @staticmethod
    def _reaped(group):
        """Daemons in the background are this process's own when their shell has
        ended: it is a subreaper."""
        try:
            while os.waitpid(-group, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return True
        return False
