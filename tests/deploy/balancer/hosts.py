"""The hosts of the test: network namespaces named one, two and three, made by
test.sh, with a replica each at port 8000, known to the balancer by the name
`flipd`; and the balancer, with its file of deploy/balancer/ as it stands, on the
host of the test itself."""

import atexit
import os
import re
import subprocess
import sys
import time
import urllib.request

from loads import BALANCER, ROOT, wire
from daemon import Daemon

HERE = os.path.dirname(os.path.abspath(__file__))
HOSTS = {"one": "10.77.0.11", "two": "10.77.0.12", "three": "10.77.0.13"}
NAMES = os.environ["NAMES"]


def name_of(*hosts):
    """From now on these hosts have the name `flipd`."""
    with open(NAMES + ".new", "w") as file:
        print("flipd", *(HOSTS[host] for host in hosts), file=file)
        print("balancer 127.0.0.1", file=file)
    os.rename(NAMES + ".new", NAMES)


class Replica(Daemon):
    """A flipd with the options that compose.yaml gives it."""

    def __init__(self, host, *options):
        super().__init__(
            os.environ["DAEMON"], ["--http-address=0.0.0.0", "--admin-port=8002",
                                   "--drain-delay=3", *options],
            launcher=["ip", "netns", "exec", host], current=False, port=8000)
        self.host = host
        atexit.register(self.kill)
        self.start()
        wire.true(f"{host} is ready", wire.within(10, self.ready))

    def ready(self):
        try:
            return wire.ask("GET", "/v2/health/ready", to=f"{HOSTS[self.host]}:8000").status == 200
        except (OSError, wire.Closed):
            return False

    def end(self):
        wire.equal(f"exit code of {self.host}", 0, self.stop(seconds=20))
        self.folder.cleanup()

    def kill(self):
        end_now(self.process)


def end_now(process):
    if process.poll() is None:
        process.kill()
        process.wait()


class BadReplica:
    def __init__(self, host, fault):
        self.file = os.path.join(os.environ["work"], f"posts-{fault}")
        open(self.file, "w").close()
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", host, sys.executable,
             f"{HERE}/bad_replica.py", fault, self.file])

        atexit.register(end_now, self.process)

    def posts(self):
        return os.path.getsize(self.file)


def page(url):
    """Status, headers and text, of errors too."""
    try:
        with urllib.request.urlopen(url, timeout=wire.LIMIT) as reply:
            return reply.status, reply.headers, reply.read().decode()
    except urllib.error.HTTPError as reply:
        return reply.code, reply.headers, reply.read().decode()


class Balancer:
    def __init__(self):
        self.log = open(os.path.join(os.environ["work"], "haproxy.log"), "wb")
        self.process = subprocess.Popen(
            ["haproxy", "-db", "-f", os.path.join(ROOT, "deploy/balancer/haproxy.cfg")],
            stdout=self.log, stderr=self.log,
            env={**os.environ, "FLIPD_REPLICAS": "flipd:8000", "FLIPD_GRPC": "flipd:8001",
                 "STATISTICS": "*:8404"})
        atexit.register(end_now, self.process)
        wire.true(f"HAProxy has a replica:\n{self.said()}", wire.within(15, self.serves))

    def serves(self):
        try:
            return wire.ask("GET", "/v2/health/ready", to=BALANCER).status == 200
        except (OSError, wire.Closed):
            return False

    def said(self):
        with open(self.log.name, errors="replace") as file:
            return file.read()[-2000:]

    def statistics(self):
        return page("http://127.0.0.1:8404/metrics")[2]

    def replicas(self, backend="flipd"):
        """How many the balancer sends requests to."""
        return len(re.findall(
            rf'haproxy_server_status\{{proxy="{backend}",server="[^"]*",state="UP"\}} 1\n',
            self.statistics()))

    def balanced(self, count, backend="flipd"):
        wire.true(f"HAProxy uses {self.replicas(backend)} replicas, not {count}",
                  wire.within(10, lambda: self.replicas(backend) == count))


class Pair:
    """Two replicas with these options, which a backend of the balancer uses."""

    def __init__(self, *options, backend="flipd"):
        self.options, self.backend = options, backend
        self.running = [Replica(host, *options) for host in ("one", "two")]
        name_of("one", "two")
        self.proxy = Balancer()
        self.balanced(2)

    def balanced(self, count):
        self.proxy.balanced(count, self.backend)

    def replace(self):
        """Starts one on the host of the one that has gone."""
        host = "one" if self.running[0].host == "two" else "two"
        self.running.append(Replica(host, *self.options))
        self.balanced(2)

    def restart(self):
        """One host after the other is told to stop and started again, as by hand."""
        for _ in range(2):
            self.running.pop(0).end()
            self.replace()

    def kill(self):
        """SIGKILL, again and again."""
        for _ in range(4):
            self.running.pop(0).kill()
            time.sleep(1)
            self.replace()
