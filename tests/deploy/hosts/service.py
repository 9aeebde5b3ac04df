"""What runs on the hosts: flipd, HAProxy with the configuration of
deploy/, and the clients."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import time

from network import NET

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "../../.."))
CONFIGURATION = os.path.join(ROOT, "deploy/balancer/haproxy.cfg")
LIMIT = 30  # seconds that anything may take


def within(check, what, seconds=LIMIT):
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.05)


class Flipd:
    """One daemon, on a host of its own."""

    def __init__(self, network, name, last, folder):
        self.host, self.name = network.hosts[name], name
        self.address = f"{NET}.{last}"
        self.log = open(os.path.join(folder, f"{name}.log"), "wb")
        self.process = None

    def start(self, binary):
        self.process = self.host.start(
            binary, f"--http-address={self.address}", "--http-port=8000",
            "--admin-port=8002", "--drain-delay=2", stderr=self.log)
        within(self.ready, f"{self.name} is not ready")

    def ready(self):
        return subprocess.run(self.host.inside(
            "curl", "-sf", "-m", "1", f"http://{self.address}:8002/v2/health/ready"),
            capture_output=True).returncode == 0

    def version(self):
        """Version and revision of what runs there."""
        text = self.host.run("curl", "-sf", f"http://{self.address}:8002/metrics")
        lines = [line for line in text.splitlines()
                 if line.startswith("flipd_build_info{")]
        return lines[0].partition("{")[2].partition("}")[0]

    def end(self):
        """SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LIMIT)

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Balancer:
    """HAProxy on a host of its own, in front of those of `servers`."""

    def __init__(self, network, name, last, servers, folder):
        self.host, self.address = network.hosts[name], f"{NET}.{last}:8000"
        path = os.path.join(folder, "haproxy.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.configuration(servers))
        self.log = open(os.path.join(folder, "haproxy.log"), "wb")
        self.process = self.host.start("haproxy", "-db", "-f", path,
                                       stdout=self.log, stderr=self.log)
        within(lambda: self.states() == ["UP"] * len(servers),
               "HAProxy does not see all hosts")

    @staticmethod
    def configuration(servers):
        """The file as it is, but for the line of each server, and with a log of what
        was repeated or failed."""
        with open(CONFIGURATION, encoding="utf-8") as file:
            text = file.read()
        first = re.search(r"^    server first 127.0.0.1:8001(.*)\n", text, re.M)
        text = re.sub(r"^    server second .*\n", "", text, flags=re.M)
        text = text.replace("    mode http\n", "    mode http\n    option httplog\n"
                            "    log stdout format raw daemon\n"
                            "    option dontlog-normal\n", 1)
        return text.replace(first[0], "".join(
            f"    server {one.name} {one.address}:8000{first[1]}\n"
            for one in servers))

    def rows(self):
        """Its statistics, of each server."""
        done = subprocess.run(self.host.inside(
            "curl", "-sf", "-m", "5", "http://127.0.0.1:8404/;csv"),
            capture_output=True, text=True)
        return [row for row in csv.DictReader(io.StringIO(done.stdout[2:]))
                if row["pxname"] == "flipd" and row["svname"] != "BACKEND"]

    def states(self):
        return [row["status"] for row in self.rows()]

    def waiting(self, names):
        """Requests that wait for an answer of these servers, or to be sent to them; None
        where the balancer does not say."""
        rows = [row for row in self.rows() if row["svname"] in names]
        return sum(int(row["scur"]) + int(row["qcur"]) for row in rows) if rows else None

    def repeated(self):
        """Attempts that were repeated so far."""
        return sum(int(row["wretr"]) + int(row["wredis"]) for row in self.rows())

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


class Clients:
    """On a host of their own: a load at a constant rate, whose answers are counted,
    and a few requests of many kinds, whose answers are compared."""

    def __init__(self, network, name, target, open_loop, request):
        self.host, self.target = network.hosts[name], target
        self.open_loop, self.request = open_loop, request

    def load(self, rate, seconds, connections):
        """RATE 0: as fast as answers come."""
        return self.host.start(
            self.open_loop, self.target, self.request, str(rate), str(seconds),
            str(connections), stdout=subprocess.PIPE, text=True)

    def check(self, seconds):
        return self.host.start(
            "python3", os.path.join(HERE, "ask.py"), self.target, str(seconds),
            stdout=subprocess.PIPE, text=True)

    @staticmethod
    def figures(load):
        words = load.communicate(timeout=300)[0].split()
        return {key: float(value) for key, value in zip(words[::2], words[1::2])}

    @staticmethod
    def answers(check):
        return json.loads(check.communicate(timeout=300)[0])

    def peak(self, seconds, connections):
        """Answers a second of a closed loop."""
        return self.figures(self.load(0, seconds, connections))["good"]
