"""Each command block of the pages below deploy/ and tests/deploy/ is run by a test.

Either tests/docs/run.sh runs it, or the block says by part=PART which part of
tests/deploy/run.sh does. Of these the part's scripts ask for each: by `block 'PATTERN'`, where
the pattern is found in the block, or by `each_block PAGE PART`. What wants nodes of
Kubernetes (needs=nodes) is named by tests/deploy/kubernetes/test.sh with the reason. A block
that is nothing but tests/deploy/run.sh, the tests' own command, is no matter.

Usage: check_runbook.py"""
import glob
import os
import re
import sys

import blocks

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
# Of a call of block(), or of a function of the part's that calls it.
ASKED = re.compile(r"\b(?:\w*block|runbook)\b[^\n]*? '([^'\n]+)'")
# The pages of which tests/docs/run.sh runs the rest, and the tests' own command.
RUN = re.compile(r"deploy/(\w+/)?README\.md")
OWN = re.compile(r"tests/deploy/run\.sh \S+\n")


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def script_of(part):
    room, _, name = part.partition("/")
    return f"tests/deploy/{room}/{name or 'test'}.sh"


def scripts(part):
    """All of the part's room, for its script sources the others."""
    room = part.partition("/")[0]
    return "\n".join(text(path) for path in
                     glob.glob(f"{ROOT}/tests/deploy/{room}/**/*.sh", recursive=True))


def is_asked_for(block, page):
    found = scripts(block.part)
    return f"each_block {page} {block.part} " in found or any(
        re.search(pattern, block.code, re.M) for pattern in ASKED.findall(found))


def fault(block, page):
    """Why no test runs the block, or None."""
    if OWN.fullmatch(block.code) or "nodes" in block.needs:
        return None
    if "long" in block.needs:
        return "needs=long does not say which part runs it"
    if not block.part:
        return None if RUN.fullmatch(page) else "no part=PART says what runs it"
    if not os.access(f"{ROOT}/{script_of(block.part)}", os.X_OK):
        return f"there is no {script_of(block.part)}"
    if not is_asked_for(block, page):
        return f"tests/deploy/run.sh {block.part} does not run it"
    return None


def main():
    wrong, count = 0, 0
    pages = [os.path.relpath(path, ROOT) for folder in ("deploy", "tests/deploy")
             for path in sorted(glob.glob(f"{ROOT}/{folder}/**/*.md", recursive=True))]
    for page in pages:
        for block in blocks.read(page, text(page)):
            count += 1
            why = fault(block, page)
            if why:
                wrong += 1
                print(f"{block.where}: {why}")
    print(f"{count} blocks of {len(pages)} pages, {wrong} faults")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
