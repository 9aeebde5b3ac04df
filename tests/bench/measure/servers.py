"""Servers on loopback, each pinned to a core on request, and stopped by process
id."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../integration/lib"))
from host import certificate, free_port  # noqa: E402, F401


class Failed(Exception):
    """A server or a client failed; the text says why."""


def is_open(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def children(pid):
    """The process ids of a process and its descendants."""
    found = [pid]
    for one in found:
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/children") as f:
                    found += map(int, f.read().split())
        except OSError:
            pass
    return found


class Server:
    """Starts `command` on `core` (None: any) and waits until `port` accepts. If
    `port` is None the log names it: "listening on 127.0.0.1:PORT"."""

    def __init__(self, name, command, log, core=None, port=None, echo=False,
                 patience=20, env=None, ready=None):
        self.name, self.echo, self.port, self.log = name, echo, port, log
        self.ready = ready or (lambda server: is_open(server.port))
        if core is not None:
            command = ["taskset", "-c", str(core), *command]
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                command, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                env=env, start_new_session=True)
        self.pid = self.process.pid
        try:
            self._await(patience)
        except BaseException:
            self.stop()
            raise

    def _await(self, patience):
        end = time.monotonic() + patience
        while True:
            if self.port is None:
                self.port = self._logged_port()
            if self.port and self.ready(self):
                return
            if self.process.poll() is not None:
                raise Failed(f"{self.name} ended at once: {self.last_words()}")
            if time.monotonic() > end:
                raise Failed(f"{self.name} did not start in {patience} s: "
                             f"{self.last_words()}")
            time.sleep(0.05)

    def _logged_port(self):
        with open(self.log, errors="replace") as f:
            found = re.search(r"listening on 127\.0\.0\.1:(\d+)", f.read())
        return int(found[1]) if found else None

    def last_words(self):
        with open(self.log, errors="replace") as f:
            lines = [line.strip() for line in f if line.strip()]
        return " / ".join(lines[-3:])[-400:] or "it said nothing"

    def cpu_seconds(self):
        """Processor time of all threads of the process and its children, in
        ns."""
        total = 0
        for pid in children(self.pid):
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/schedstat") as f:
                        total += int(f.read().split()[0])
            except OSError:
                pass
        return total / 1e9

    def resident_mib(self):
        with open(f"/proc/{self.pid}/status") as f:
            for line in f:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        return 0

    def stop(self):
        pids = children(self.pid)
        for how, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            for pid in pids:
                try:
                    os.kill(pid, how)
                except ProcessLookupError:
                    pass
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                continue
            pids = [p for p in pids[1:] if os.path.exists(f"/proc/{p}")]
            if not pids:
                return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def flipd(bench, core=None, name="flipd", env=None, more=()):
    """flipd; on a core of its own with one loop and one worker. The load keeps
    as many requests waiting as it has connections, so none is refused for its
    time in the queue."""
    pinned = ["--http-thread-count=1", "--worker-count=1"]
    return Server(
        name, [bench.program("flipd"), "--http-port=0",
               "--http-max-input-size=400000000", "--max-queue-delay=0",
               *(pinned if core is not None else []), *more],
        bench.file(f"{name.split()[-1]}.log"), core, env=env)


def flipd_plain(bench, core):
    """flipd as on a processor without AVX2."""
    return flipd(bench, core, "flipd, plain C",
                 {**os.environ, "FLIPD_SIMD": "generic"})


def mhd_echo(bench, core, memory_kib=32):
    """flipd uses 32 KiB a connection. libmicrohttpd clears this memory for each
    request, so more is slower at 4 KiB; large bodies gain up to 128 KiB."""
    name = "libmicrohttpd echo"
    if memory_kib != 32:
        name += f", {memory_kib} KiB"
    return Server(name, [bench.program("tests/bench/bench_echo_mhd"),
                         str(memory_kib << 10)],
                  bench.file(f"echo_mhd{memory_kib}.log"), core)


def tcp_echo(bench, core):
    return Server("raw TCP echo",
                  [bench.program("tests/bench/bench_echo_tcp")],
                  bench.file("echo_tcp.log"), core, echo=True)


NGINX = """
daemon off; master_process off; pid {dir}/nginx.pid; error_log stderr;
worker_processes 1;
events {{ worker_connections 1024; }}
http {{
    access_log off; keepalive_requests 1000000000; client_max_body_size 0;
    client_body_temp_path {dir}/nginx.body; proxy_temp_path {dir}/nginx.proxy;
    fastcgi_temp_path {dir}/nginx.fcgi; uwsgi_temp_path {dir}/nginx.uwsgi;
    scgi_temp_path {dir}/nginx.scgi;
    server {{ listen 127.0.0.1:{port}; location / {{ return 200; }} }}
}}
"""


def nginx_program(root):
    unpacked = os.path.join(root, "build/bench-tools/usr/sbin/nginx")
    return shutil.which("nginx") or unpacked


def nginx(bench, core):
    port = free_port()
    conf = bench.file("nginx.conf")
    with open(conf, "w") as f:
        f.write(NGINX.format(dir=bench.work, port=port))
    return Server("nginx return 200",
                  [nginx_program(bench.root), "-c", conf, "-e", "stderr"],
                  bench.file("nginx.log"), core, port)
