"""A replica with a fault that readiness does not show.

Usage: bad_replica.py sheds|breaks FILE
  sheds   each POST gets 503, as of a flipd that is full
  breaks  each POST has its connection reset
Listens at port 8000; FILE has a byte for each POST that came."""

import http.server
import socket
import struct
import sys

FAULT, FILE = sys.argv[1:]


class Replica(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, status, text):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.reply(200, b'{"ready":true}')

    def do_POST(self):
        with open(FILE, "a") as file:
            file.write(".")
        if FAULT == "breaks":
            now = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
            self.close_connection = True
            self.connection.close()
            return
        self.rfile.read(int(self.headers["Content-Length"]))
        self.reply(503, b'{"error":"full"}')

    def log_message(self, *unused):
        pass

    def handle(self):
        try:
            super().handle()
        except (OSError, ValueError):
            pass  # the connection that was broken


http.server.ThreadingHTTPServer(("0.0.0.0", 8000), Replica).serve_forever()
