"""Each script of docs/examples runs against a daemon: its answer is that of the code which it
replaces, and it prints the time of both. It fails where a server sends back other elements,
or refuses. A script has at most 30 lines of 100 columns, and its page
links to it.

Usage: test_examples.py DAEMON"""
import contextlib
import glob
import http.server
import os
import re
import subprocess
import sys
import threading
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.append(f"{ROOT}/tests/integration/lib")
from daemon import Daemon  # noqa: E402
from machine import python  # noqa: E402

DAEMON = os.path.realpath(sys.argv.pop())
EXAMPLES = sorted(glob.glob(f"{ROOT}/docs/examples/*.py"))
LINES, COLUMNS = 30, 100
TIME = re.compile(r"by_\w+: \d+\.\d\d ms$")


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(example, address):
    """Not in the folder of the script: it needs no file beside it."""
    return subprocess.run([python(), "-B", example, address], cwd="/", text=True,
                          capture_output=True, check=False)


class Unmoved(http.server.BaseHTTPRequestHandler):
    """Answers each request with its own body, or with `refusal`. A body ends with the
    elements, so they come back as they were."""
    protocol_version = "HTTP/1.1"
    refusal = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(400 if self.refusal else 200)
        body = self.refusal or body
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Refusing(Unmoved):
    refusal = b'{"error":"no tensors today"}'


@contextlib.contextmanager
def served_by(handler):
    """The address of a server of `handler`."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class Examples(unittest.TestCase):
    def each(self, address):
        """Yields each example's run. The name of the one that fails is in `said`."""
        self.assertTrue(EXAMPLES)
        for example in EXAMPLES:
            done = run(example, address)
            done.said = f"{os.path.basename(example)}: {done.stdout}{done.stderr}"
            yield done

    def test_are_short(self):
        for example in EXAMPLES:
            with self.subTest(os.path.basename(example)):
                lines = text(example).splitlines()
                self.assertLessEqual(len(lines), LINES)
                self.assertLessEqual(max(map(len, lines)), COLUMNS)

    def test_have_a_link(self):
        page = text(f"{ROOT}/docs/examples/README.md")
        links = re.findall(r"\]\((\w+\.py)\)", page)
        self.assertEqual(sorted(links), [os.path.basename(one) for one in EXAMPLES])

    def test_replace_the_other_way(self):
        with Daemon(DAEMON, ["--allow-client-shm"], current=False) as daemon:
            for done in self.each(daemon.address):
                self.assertEqual(done.returncode, 0, done.said)
                times = done.stdout.splitlines()
                self.assertTrue(all(map(TIME.match, times)), done.said)
                self.assertGreaterEqual(len(times), 2, done.said)
                self.assertIn("flipd", times[-1], done.said)

    def test_notice_elements_that_did_not_move(self):
        with served_by(Unmoved) as address:
            for done in self.each(address):
                self.assertNotEqual(done.returncode, 0, done.said)
                self.assertIn("AssertionError", done.stderr, done.said)

    def test_say_why_a_request_is_refused(self):
        with served_by(Refusing) as address:
            for done in self.each(address):
                self.assertNotEqual(done.returncode, 0, done.said)
                self.assertIn("no tensors today", done.stderr, done.said)
                self.assertNotIn("Traceback", done.stderr, done.said)


if __name__ == "__main__":
    unittest.main()
