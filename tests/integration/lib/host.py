"""What a daemon of a test needs of this machine.

Usage: host.py port [COUNT]         prints as many ports that nobody uses now
       host.py certificate FOLDER   makes cert.pem and key.pem there"""

import random
import socket
import subprocess
import sys


def free_port():
    """A port that nobody uses now, for a listener whose log names none: one that
    the kernel gives to nobody who asks for any."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        least = max(int(file.read().split()[0]), 2048)
    while True:
        with socket.socket() as one:
            port = random.randrange(1024, least)
            try:
                one.bind(("", port))
                return port
            except OSError:
                pass


def free_ports(count):
    free = set()
    while len(free) < count:
        free.add(free_port())
    return list(free)


def certificate(folder, name="localhost"):
    """One of `name` and 127.0.0.1 that has signed itself: its file and its key's."""
    cert, key = f"{folder}/cert.pem", f"{folder}/key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
         f"/CN={name}", "-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1",
         "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, key


if __name__ == "__main__":
    if sys.argv[1] == "port":
        print(*free_ports(int((sys.argv[2:] or [1])[0])))
    else:
        certificate(sys.argv[2])
