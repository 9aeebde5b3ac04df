"""The runner notices what it is for: a page that is wrong in one way fails.

Usage: test_runner.py DAEMON"""
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import unittest

import blocks
import compare
from standing import Standing

HERE = os.path.dirname(os.path.abspath(__file__))
DAEMON = os.path.realpath(sys.argv.pop())
URL = "http://127.0.0.1:8000"
READY = f"```sh\ncurl -sS --fail-with-body {URL}/v2/health/ready\n```\n"
SAYS = '\n```json\n{"ready": true}\n```\n'

# Why it must fail, what the runner says of it, the page.
WRONG = (
    ("another answer", "but this came", READY + '\n```json\n{"ready":false}\n```\n'),
    ("another text", "but this came", READY + "\n```text\nready\n```\n"),
    ("a refused request", "exit code 22",
     f"```sh\ncurl -sS --fail-with-body {URL}/v2/models/nothing\n```\n"),
    ("a refused request in a pipe", "exit code 22",
     f"```sh\ncurl -sS --fail-with-body {URL}/v2/models/nothing | cat\n```\n"),
    ("curl that ends with 0", "ends with 0",
     f"```sh\ncurl -sS {URL}/v2/models/nothing\n```\n"),
    ("a refusal that is thrown away", "does not say why",
     f"```sh\ncurl -sSf {URL}/v2/health/ready\n```\n"),
    ("one that curl throws away", "does not say why",
     f"```sh\ncurl -sSf {URL}/v2/health/ready || false\n```\n"),
    ("one that Python throws away", "without a look at HTTPError",
     f"```python\nimport urllib.request\nurllib.request.urlopen('{URL}/v2')\n```\n"),
    ("one that requests throws away", "does not say why",
     f"```python\nrequests.get('{URL}/v2').raise_for_status()\n```\n"),
    ("one that requests does not look at", "without a look at .ok",
     f"```python\nimport requests\nrequests.post('{URL}/v2')\n```\n"),
    ("a status that is not shown", "is not shown",
     f"```sh\ncurl -s -w '%{{http_code}}' {URL}/v2\n```\n"),
    ("another status", "but this came",
     f"```sh\ncurl -s -w '%{{http_code}}' -o x {URL}/v2\n```\n"
     "\n```text\n404\n```\n"),
    # 22 by flipd's refusal of an empty body; curl 8 refuses first, with 26.
    ("a file that nobody made", "exit code 2",
     "```sh\ncurl -sS --fail-with-body --data-binary @x.npy -H 'Content-Type: application/x-npy'"
     f" '{URL}/v2/models/openvino.Reverse/infer?axis=0&mode=index'\n```\n"),
    ("an exception", "exit code 1", "```python\nraise SystemExit(1)\n```\n"),
    ("the second line of three", "exit code 1", "```sh\ntrue\nfalse\ntrue\n```\n"),
    ("a daemon that does not start", "does not listen",
     "```sh\nflipd --no-such-option &\n```\n"),
    ("an unknown language", "a block of `shell`", "```shell\ntrue\n```\n"),
    ("an unknown need", "needs=luck", "```sh needs=luck\ntrue\n```\n"),
    ("an unknown word", "says nothing", "```sh please\ntrue\n```\n"),
    ("a fence that is not closed", "not closed", "```sh\ntrue\n"),
    ("an indented fence", "does not begin its line",
     "- item\n  ```sh\n  true\n  ```\n"),
)
RIGHT = (
    READY + SAYS,
    READY + "\nSome words.\n\n```json\n{\"not\": \"its output\"}\n```\n",
    "```sh\necho 'x 17.3 ms'\necho y\necho z\n```\n\n```text\nx … ms\n…\nz\n```\n",
    "```sh\necho 1 >file\n```\n```sh\ncat file\n```\n\n```text\n1\n```\n",
    "```sh\nflipd --allow-client-shm &\n```\n" + READY + SAYS,
    READY.replace("-with-body", "").replace("ready\n", "ready | cat\n") + SAYS,
    f"```python\nimport urllib.request, urllib.error\ntry:\n"
    f"    urllib.request.urlopen('{URL}/v2')\nexcept urllib.error.HTTPError as refusal:\n"
    f"    raise SystemExit(refusal.read())\n```\n",
)


# The first block of each page is skipped: does the second one stand on it?
OTHER = "curl -sS --fail-with-body http://127.0.0.1:9001/v2"
STANDING = (
    ("a daemon's port", "flipd --admin-port=9001 &", "sh", OTHER, True),
    ("any port of it", "flipd --models=m.json &", "sh",
     f"curl -sS --fail-with-body {URL}/v2/models/m", True),
    ("another program", "flipd &\nprometheus --web.listen-address=127.0.0.1:9090 &",
     "python", "import http.client\nhttp.client.HTTPConnection('127.0.0.1:9090')",
     True),
    ("its process", "flipd & echo $! >pid", "sh", 'kill -TERM "$(cat pid)"', True),
    ("a file by redirection", "echo 1 >one", "sh", "cat one", True),
    ("a file by an option", "openssl rand -out key.pem 9", "sh", "wc -c <key.pem", True),
    ("a request's file", f"curl -sS --fail-with-body -o meta.json {URL}/v2", "python",
     "print(open('meta.json').read())", True),
    ("an array's file", "python3 -c 'numpy.save(\"x.npy\", x)'", "sh",
     f"curl -sS --fail-with-body --data-binary @x.npy {URL}/v2", True),
    ("nothing of it", "false", "sh", f"curl -sS --fail-with-body {URL}/v2", False),
    ("a file of its own", "echo 1 >one", "sh", "echo 2 >one\ncat one", False),
    ("a daemon of its own", "flipd --admin-port=9001 &", "sh", "flipd --log-level=debug &",
     False),
    ("no daemon", "flipd --admin-port=9001 &", "sh", "flipd --check", False),
    ("a name of its own", "curl -sS --fail-with-body -o answer :8000", "python",
     "answer = 1", False),
)


def run(text, runner=(f"{HERE}/run.sh",)):
    """Returns the exit code and the output of the runner for one page."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/page.md"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([*runner, DAEMON, path],
                              capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def fence(code, words="sh"):
    return f"```{words}\n{code}\n```\n"


class Runner(unittest.TestCase):
    def test_wrong_pages(self):
        for name, says, text in WRONG:
            with self.subTest(name):
                code, out = run(text)
                self.assertEqual(1, code, out)
                self.assertIn(says, out)

    def test_right_pages(self):
        for text in RIGHT:
            with self.subTest(text):
                code, out = run(text)
                self.assertEqual(0, code, out)
                self.assertIn(" checks, 0 failed", out)

    def test_skipped_aloud(self):
        code, out = run("```sh needs=long\nfalse\n```\n")
        self.assertEqual(0, code, out)
        self.assertIn("SKIPPED: ", out)
        self.assertIn("needs long", out)

    def test_standing_in_a_chain(self):
        """And what stands on nothing skipped is run again."""
        code, out = run(fence("flipd --admin-port=9001 &", "sh needs=long") +
                        fence(f"{OTHER} >meta") + fence("cat meta") +
                        fence("flipd &") + READY + SAYS)
        self.assertEqual(0, code, out)
        self.assertRegex(out, r"SKIPPED: \S+:7 stands on \S+:4, which stands on "
                              r"\S+:1, which needs long\n")
        self.assertIn("2 checks, 0 failed", out)

    def test_ports_that_are_taken(self):
        """Where there are no namespaces, free ones take their place."""
        page = fence("flipd --admin-port=8002 --grpc-port 8001 &") + READY + SAYS + \
            fence("curl -sS --fail-with-body http://127.0.0.1:8002/v2/health/ready") + SAYS
        held = [socket.socket() for _ in range(3)]
        for port, one in enumerate(held, 8000):
            with contextlib.suppress(OSError):  # then something else holds it
                one.bind(("127.0.0.1", port))
                one.listen()
        for runner in ((f"{HERE}/run.sh",), ("python3", f"{HERE}/run.py")):
            with self.subTest(runner):
                code, out = run(page, runner)
                self.assertEqual(0, code, out)
                self.assertIn("3 checks, 0 failed", out)
        for one in held:
            one.close()

    def test_left_to_a_part(self):
        code, out = run("```sh part=host\nfalse\n```\n")
        self.assertEqual(0, code, out)
        self.assertIn("is run by tests/deploy/run.sh host", out)


class Units(unittest.TestCase):
    def test_ellipsis(self):
        for shown, got, same in (
                ("a … c", "a b c", True), ("a … c", "a b d", False),
                ("a…", "a\nb", False), ("a\n…\nd", "a\nb\nc\nd", True),
                ("a\n…\nd", "a\nd", True), ("a.c", "abc", False),
                ("a  \n", "\na", True)):
            with self.subTest(shown + got):
                self.assertIs(same, compare.same(shown, "text", got))

    def test_standing_on_a_skipped_one(self):
        for name, first, language, second, stands in STANDING:
            with self.subTest(name):
                one, two = blocks.read("p.md", fence(first) + fence(second, language))
                standing = Standing()
                standing.skipped(one, "needs luck")
                self.assertEqual("p.md:1, which needs luck" if stands else None,
                                 standing.below(two))
                standing.ran(blocks.read("p.md", fence(f"flipd &\n{first}"))[0])
                self.assertIsNone(standing.below(two))

    def test_json_by_value(self):
        self.assertTrue(compare.same('{"a": [1, 2]}', "json", '{"a":[1,2]}\n'))
        self.assertFalse(compare.same('{"a": [1, 2]}', "json", '{"a":[2,1]}'))
        self.assertFalse(compare.same('{"a": 1}', "json", "nothing"))

    def test_lines(self):
        one, two = blocks.read("p.md", "x\n\n```sh\ntrue\n```\n\n```text\n\n```\n"
                                       "```python\npass\n```\n")
        self.assertEqual(("p.md:3", "\n"), (one.where, one.shown))
        self.assertEqual(("p.md:10", None), (two.where, two.shown))


if __name__ == "__main__":
    unittest.main()
