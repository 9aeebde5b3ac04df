"""A reverse proxy in front of the daemon: HAProxy or nginx."""

import os
import shutil
import signal
import socket
import subprocess
import time

import wire
from fault import HERE, Skip
from host import free_port

ROOT = os.path.realpath(os.path.join(HERE, "../../.."))
DEPLOY = os.path.join(ROOT, "deploy/balancer/haproxy.cfg")

NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 1000; }}
http {{
    access_log off; client_max_body_size 300m;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
    scgi_temp_path {folder}/s;
    upstream flipd {{ server {first}; keepalive 16; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://flipd; proxy_http_version 1.1;
            proxy_set_header Connection "";
        }}
    }}
}}
"""


def program(name):
    """The path of an installed program, or of one that was unpacked."""
    unpacked = os.path.join(ROOT, "build/bench-tools/usr/sbin", name)
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") or (
        unpacked if os.access(unpacked, os.X_OK) else None)
    if not found:
        raise Skip(f"{name} is not installed (deploy/install-deps.sh --faults)")
    return found


class Proxy:
    """backends: addresses of daemons. Its own address is `address`."""

    def __init__(self, name, folder, backends):
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.statistics = free_port()
        make = {"haproxy": self.haproxy, "nginx": self.nginx}[name]
        self.process = subprocess.Popen(
            make(program(name), backends), stdin=subprocess.DEVNULL,
            stdout=open(os.path.join(self.folder, "log"), "wb"),
            stderr=subprocess.STDOUT)
        if not wire.within(5, self.listens):
            raise OSError(f"{name} does not listen: {self.said()}")

    def haproxy(self, binary, backends):
        """deploy/balancer/haproxy.cfg with the addresses of this test."""
        with open(DEPLOY) as file:
            text = file.read()
        for number, backend in enumerate(backends, 1):
            text = text.replace(f"127.0.0.1:{8000 + number}", backend)
        text = text.replace("*:8000", self.address)
        text = text.replace("127.0.0.1:8404", f"127.0.0.1:{self.statistics}")
        if len(backends) == 1:
            text = "\n".join(line for line in text.split("\n")
                             if "127.0.0.1:8002" not in line)
        return [binary, "-db", "-f", self.write("haproxy.cfg", text)]

    def nginx(self, binary, backends):
        text = NGINX.format(folder=self.folder, port=self.port,
                            first=backends[0])
        return [binary, "-e", f"{self.folder}/error.log", "-p", self.folder,
                "-c", self.write("nginx.conf", text)]

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def said(self):
        with open(os.path.join(self.folder, "log")) as log:
            return log.read()[-1000:]

    def __enter__(self):
        time.sleep(0.3)  # the first check of readiness
        return self

    def __exit__(self, *unused):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
