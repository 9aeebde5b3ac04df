#!/usr/bin/env python3
"""Fails unless functions of an arm64 object have loops over vectors.

Usage: vector_loops.py OBJDUMP OBJECT PATTERN...

For each PATTERN, a regular expression, some function whose name it matches must
have a loop that loads a vector of 16 bytes, and stores or compares one.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t([a-z0-9.]+)\s*(.*)$")
BRANCH = re.compile(r"^(b|b\..*|cbn?z|tbn?z)$")
LOAD = re.compile(r"^(ld[rpn]+|ldur) q\d|^ld[1-4] \{v")
STORE = re.compile(r"^(st[rpn]+|stur) q\d|^st[1-4] \{v")
COMPARE = re.compile(r"^cm(eq|hi|hs|gt|ge|tst) v")


def functions(objdump, path):
    """Yields (name, [(address, mnemonic, operands)])."""
    text = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", path],
        check=True, capture_output=True, text=True).stdout
    name, code = None, []
    for line in text.splitlines():
        if found := FUNCTION.match(line):
            yield name, code
            name, code = found[1], []
        elif found := INSTRUCTION.match(line):
            code.append((int(found[1], 16), found[2], found[3]))
    yield name, code


def loops(code):
    """The instructions of each loop: from the target of a branch back."""
    for address, name, operands in code:
        target = re.search(r"([0-9a-f]+) <", operands)
        if BRANCH.match(name) and target and int(target[1], 16) < address:
            yield [f"{n} {o}" for a, n, o in code
                   if int(target[1], 16) <= a <= address]


def is_vector_loop(body):
    return any(map(LOAD.match, body)) and any(
        STORE.match(line) or COMPARE.match(line) for line in body)


def main(objdump, path, *patterns):
    found = {name for name, code in functions(objdump, path)
             if any(map(is_vector_loop, loops(code)))}
    lacking = [p for p in patterns if not any(re.search(p, n) for n in found)]
    print(f"{path}: vector loops in {' '.join(sorted(found)) or 'no function'}")
    if lacking:
        sys.exit(f"no vector loop in a function like {' '.join(lacking)}")


main(*sys.argv[1:])
