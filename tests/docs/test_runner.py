"""The runner notices what it is for: a page that is wrong in one way fails.

Usage: test_runner.py DAEMON"""
import os
import subprocess
import sys
import tempfile
import unittest

import blocks
import compare

HERE = os.path.dirname(os.path.abspath(__file__))
DAEMON = os.path.realpath(sys.argv.pop())
URL = "http://127.0.0.1:8000"
READY = f"```sh\ncurl -sSf {URL}/v2/health/ready\n```\n"
SAYS = '\n```json\n{"ready": true}\n```\n'

# Why it must fail, what the runner says of it, the page.
WRONG = (
    ("another answer", "but this came", READY + '\n```json\n{"ready":false}\n```\n'),
    ("another text", "but this came", READY + "\n```text\nready\n```\n"),
    ("a refused request", "exit code 22",
     f"```sh\ncurl -sSf {URL}/v2/models/nothing\n```\n"),
    ("a refused request in a pipe", "exit code 22",
     f"```sh\ncurl -sSf {URL}/v2/models/nothing | cat\n```\n"),
    ("curl that ends with 0", "give it -f",
     f"```sh\ncurl -sS {URL}/v2/models/nothing\n```\n"),
    ("a status that is not shown", "is not shown",
     f"```sh\ncurl -s -w '%{{http_code}}' {URL}/v2\n```\n"),
    ("another status", "but this came",
     f"```sh\ncurl -s -w '%{{http_code}}' -o x {URL}/v2\n```\n"
     "\n```text\n404\n```\n"),
    # 22 by flipd's refusal of an empty body; curl 8 refuses first, with 26.
    ("a file that nobody made", "exit code 2",
     "```sh\ncurl -sSf --data-binary @x.npy -H 'Content-Type: application/x-npy'"
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
    f"```python\nimport urllib.request\nurllib.request.urlopen('{URL}/v2')\n```\n",
)


def run(text):
    """Returns the exit code and the output of the runner for one page."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/page.md"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([f"{HERE}/run.sh", DAEMON, path],
                              capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


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

    def test_left_to_a_part(self):
        code, out = run("```sh part=host\nfalse\n```\n")
        self.assertEqual(0, code, out)
        self.assertIn("is run by deploy/test.sh host", out)


class Units(unittest.TestCase):
    def test_ellipsis(self):
        for shown, got, same in (
                ("a … c", "a b c", True), ("a … c", "a b d", False),
                ("a…", "a\nb", False), ("a\n…\nd", "a\nb\nc\nd", True),
                ("a\n…\nd", "a\nd", True), ("a.c", "abc", False),
                ("a  \n", "\na", True)):
            with self.subTest(shown + got):
                self.assertIs(same, compare.same(shown, "text", got))

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
