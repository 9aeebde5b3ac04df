#!/usr/bin/env python3
"""A service manager of a test. Arguments: the daemon, a folder, a case."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import host
from wire import LIMIT, SCALE, finish, true

RESTARTS, CLIENTS = 5, 4
daemon, folder, case = sys.argv[1:]


class Manager:
    """The notify socket; `sockets` are passed to each daemon, by name."""

    def __init__(self, sockets=(), environment=None):
        self.path = os.path.join(folder, "notify")
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(LIMIT)
        self.sockets = sockets
        self.environment = environment or {}
        self.log = os.path.join(folder, "supervised.log")

    def start(self, *options):
        names = ":".join(name for name, _ in self.sockets)
        environment = dict(os.environ, NOTIFY_SOCKET=self.path, **self.environment)
        if self.sockets:
            environment.update(LISTEN_FDS=str(len(self.sockets)), LISTEN_FDNAMES=names)
        # The shell gives the daemon its own number as LISTEN_PID; the descriptors lie
        # high and are moved to 3 and those that follow, which are all open then.
        moves = " ".join(f"{3 + i}<&{each.fileno()}"
                         for i, (_, each) in enumerate(self.sockets))
        closes = " ".join(f"{each.fileno()}<&-" for _, each in self.sockets)
        script = f'export LISTEN_PID=$$; exec "$0" "$@" {moves} {closes}'
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", script, daemon, "--http-port=0", *options], stderr=log,
                env=environment, pass_fds=[each.fileno() for _, each in self.sockets])

    def hear(self, timeout=LIMIT):
        """The lines of the next message as a dictionary; {} without one."""
        self.socket.settimeout(timeout)
        try:
            text = self.socket.recv(4096).decode()
        except TimeoutError:
            return {}
        return dict(line.split("=", 1) for line in text.split("\n"))

    def await_message(self, name, value="1"):
        until = time.monotonic() + LIMIT
        while time.monotonic() < until:
            message = self.hear()
            if message.get(name) == value:
                return message
        true(f"no message {name}={value}; the log: {self.text()[-600:]}", False)
        return {}

    def text(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(LIMIT)


def listening(family, address):
    each = socket.socket(family, socket.SOCK_STREAM)
    each.bind(address)
    each.listen(4096)
    return high(each)


def high(each):
    """The socket out of the way of 3 and 4, to which it is moved."""
    moved = socket.socket(fileno=fcntl.fcntl(each.fileno(), fcntl.F_DUPFD, 100))
    each.close()
    return moved


def get(family, address, path="/v2/health/ready"):
    """The status of one request on a connection of its own, or what went wrong."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as client:
            client.settimeout(LIMIT)
            client.connect(address)
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n"
                           "Connection: close\r\n\r\n".encode())
            text = b""
            while part := client.recv(65536):
                text += part
        return int(text.split(b" ")[1]) if text else "closed"
    except (OSError, ValueError, IndexError) as error:
        return repr(error)


def life(*options):
    models = os.path.join(folder, "models.json")
    with open(models, "w", encoding="utf-8") as file:
        file.write('{"models": []}')
    manager = Manager(environment={"WATCHDOG_USEC": "400000"})
    manager.start("--models", models, "--drain-delay=1", "--exit-timeout-secs=7",
                  *options)
    status = manager.await_message("READY").get("STATUS", "")
    true(f"status {status!r}", status.startswith("serving at 127.0.0.1:"))
    for _ in range(3):
        manager.await_message("WATCHDOG")
    for content, after in ((None, status), ("{", status + "; the last reload failed")):
        if content:
            with open(models, "w", encoding="utf-8") as file:
                file.write(content)
        before = time.monotonic_ns() // 1000
        manager.process.send_signal(signal.SIGHUP)
        told = int(manager.await_message("RELOADING").get("MONOTONIC_USEC", 0))
        true("the time of the reload", before <= told <= time.monotonic_ns() // 1000)
        got = manager.await_message("READY").get("STATUS", "")
        true(f"status after a reload: {got!r}", got.startswith(after))
    manager.process.send_signal(signal.SIGTERM)
    stopping = manager.await_message("STOPPING")
    true(f"time to stop: {stopping}",
         8_000_000 < int(stopping.get("EXTEND_TIMEOUT_USEC", 0)) < 20_000_000)
    true("exit code", manager.process.wait(LIMIT) == 0)


def life_with_tls():
    """A certificate that can be read makes up for no models file that cannot."""
    cert, key = host.certificate(folder)
    life(f"--tls-cert={cert}", f"--tls-key={key}")


def hang():
    """A thread that is stopped gives no sign of life, although the main thread runs."""
    manager = Manager(environment={"WATCHDOG_USEC": str(400000 * SCALE)})
    manager.start()
    manager.await_message("WATCHDOG")
    pid = manager.process.pid
    # A tracer stops one thread alone: a worker and a loop. The second may be a
    # sanitizer's own.
    threads = sorted(int(each) for each in os.listdir(f"/proc/{pid}/task"))
    for thread in (threads[2], threads[-1]):
        if not stop_thread(thread):
            print("    threads cannot be stopped here: ptrace is refused")
            break
        manager.hear(0.3 * SCALE)  # one that was under way
        true("a sign of life of a daemon that hangs", not manager.hear(1 * SCALE))
        continue_thread(thread)
        manager.await_message("WATCHDOG")
    true("exit code", manager.end() == 0)


def ptrace(request, thread):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    return libc.ptrace(request, thread, None, None) == 0


def stop_thread(thread):
    seize, interrupt = 0x4206, 0x4207
    if not ptrace(seize, thread) or not ptrace(interrupt, thread):
        return False
    os.waitpid(thread, 0x40000000)  # __WALL
    return True


def continue_thread(thread):
    detach = 17
    ptrace(detach, thread)


def restart(family, address):
    """Clients connect anew for each request while the daemon is stopped and started
    again: not one is refused, reset or left without an answer."""
    given = listening(family, address)
    if family == socket.AF_INET:
        address = given.getsockname()
    manager = Manager([("http", given)])
    answers, stop = [], threading.Event()

    def ask():
        while not stop.is_set():
            answers.append(get(family, address))

    manager.start()
    manager.await_message("READY")
    clients = [threading.Thread(target=ask) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    for _ in range(RESTARTS):
        before, until = len(answers), time.monotonic() + LIMIT
        while len(answers) <= before + CLIENTS and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.2)
        true("exit code", manager.end() == 0)
        time.sleep(0.2)  # nobody serves; clients wait in the socket
        manager.start()
        manager.await_message("READY")
    stop.set()
    for client in clients:
        client.join()
    wrong = [answer for answer in answers if answer not in (200, 503)]
    true(f"{len(wrong)} of {len(answers)} lost: {wrong[:3]}", not wrong)
    true("nothing was asked", len(answers) > RESTARTS * CLIENTS)
    true("log: " + manager.text()[-300:], manager.text().count(
        f" listening on unix:{address} from=\"service manager\"\n"
        if family == socket.AF_UNIX else " from=\"service manager\"\n")
        == RESTARTS + 1)
    true("exit code", manager.end() == 0)
    if family == socket.AF_UNIX:
        true("the file of the socket is gone", os.path.exists(address))


def ports():
    """A port for health and metrics that only the manager names; and one of each kind."""
    given = listening(socket.AF_INET, ("127.0.0.1", 0))
    path = os.path.join(folder, "main")
    manager = Manager([("admin", given), ("http", listening(socket.AF_UNIX, path))])
    manager.start()
    manager.await_message("READY")
    address = given.getsockname()
    true("admin port: ready", get(socket.AF_INET, address) == 200)
    true("admin port: models", get(socket.AF_INET, address, "/v2/models") == 404)
    true("main port: models", get(socket.AF_UNIX, path, "/v2/models") == 200)
    true("exit code", manager.end() == 0)


def refused():
    """A socket that does not fit: the daemon does not start and says why."""
    datagrams = high(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    manager = Manager([("http", datagrams)])
    manager.start()
    true("exit code", manager.process.wait(LIMIT) == 1)
    true(manager.text()[-300:], "descriptor 3 is no stream socket" in manager.text())


cases = {"life": life, "life-with-tls": life_with_tls, "hang": hang,
         "ports": ports, "refused": refused,
         "restart-tcp": lambda: restart(socket.AF_INET, ("127.0.0.1", 0)),
         "restart-unix": lambda: restart(socket.AF_UNIX, os.path.join(folder, "given"))}
cases[case]()
finish()
