"""A probe whose connection is closed as soon as the handshake is done: it says
so with exit code 1, and is not killed by SIGPIPE.

Usage: tls_probe.py ADDRESS PID DAEMON CERT KEY FOLDER"""

import os
import socket
import ssl
import subprocess
import sys

from wire import LIMIT, equal, finish

daemon, cert, key, folder = sys.argv[3:]


def shake_hands(peer):
    """TLS 1.2, where the server's part is the last; closes right behind it, so
    the probe cannot have written before."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(cert, key)
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context.wrap_bio(received, sent, server_side=True)
    done = False
    while not done:
        received.write(peer.recv(1 << 16))
        try:
            session.do_handshake()
            done = True
        except ssl.SSLWantReadError:
            pass
        peer.sendall(sent.read())
    peer.close()


path = os.path.join(folder, "closing")
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(path)
    listener.listen()
    listener.settimeout(LIMIT)
    probe = subprocess.Popen(
        [daemon, "--probe", f"--http-address=unix:{path}",
         f"--tls-cert={cert}", f"--tls-key={key}"], stderr=subprocess.PIPE)
    shake_hands(listener.accept()[0])
    text = probe.communicate(timeout=LIMIT)[1].decode()
equal(f"closed after the handshake ({text.strip()})", 1, probe.returncode)
finish()
