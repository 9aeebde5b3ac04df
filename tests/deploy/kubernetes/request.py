"""Prints a binary inference as it is sent.

Usage: request.py STEPS BATCH WIDTH, of 4 bytes each"""

import os
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path[:0] = [f"{ROOT}/tests/integration/lib"]
shape, sys.argv[1:] = [int(one) for one in sys.argv[1:]], ["", "0"]

from question import Question  # noqa: E402

sys.stdout.buffer.write(Question(7, *shape, True).request())
