"""The tables of README.md: rows that run.sh runs, and faults that others published.

Usage: table.py                checks; exit code 1 with a line for each mistake
       table.py --renew FILE   takes the figures from the output of run.sh"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(HERE, "README.md")
TESTS = os.path.dirname(HERE)
# How many rows each part of the catalogue has.
PARTS = {"C": 16, "H": 15, "S": 3, "Z": 9, "J": 7, "D": 9, "SH": 9, "P": 18,
         "G": 13}
PUBLISHED = 40  # rows of the second table, at least
ROW = re.compile(r"^\| ([A-Z]+-?[A-Z]*\d*) \| ([^|]*) \| (quick|long|held) \| "
                 r"`(.*?)` \| (.*) \|$", re.M)
NAME = re.compile(r"\b(?:T-[A-Z]+\d*|(?:SH|[CHSZJDPG])\d+)\b")


def text_of(path):
    with open(path) as file:
        return file.read()


def path_of(command):
    """The file of a program, or of the test that holds a row."""
    kind, _, name = command.partition(":")
    if kind == "integration":
        return f"{TESTS}/integration/{name}.sh"
    if kind == "ctest":
        if "/" not in name:
            return f"{TESTS}/{name}"
        room, _, test = name.rpartition("/")
        return f"{TESTS}/{room}/test_{test}.c"
    return os.path.join(HERE, command.split()[0])


def check():
    text = text_of(README)
    found = ROW.findall(text)
    names = [row[0] for row in found]
    wanted = [f"{part}{n}" for part, count in PARTS.items()
              for n in range(1, count + 1)]
    wrong = [f"there is no row {name}" for name in wanted if name not in names]
    wrong += [f"the row {name} stands twice" for name in set(names)
              if names.count(name) > 1]
    for name, _, _, command, figure in found:
        if not os.path.exists(path_of(command)):
            wrong.append(f"{name}: there is no {path_of(command)}")
        if not re.search(r"\d", figure):
            wrong.append(f"the row {name} has no figure")
    return wrong + check_published(text, names)


def check_published(text, listed):
    wrong, count = [], 0
    for line in text[text.index("## Faults that"):].splitlines():
        cells = line.split(" | ")
        if len(cells) != 3 or cells[0] in ("| published", "| ---"):
            continue
        count += 1
        names = NAME.findall(re.sub(r"`[^`]*`", "", cells[2]))
        paths = re.findall(r"`([^`]*/[^`]*)`", cells[2])
        wrong += [f"{cells[0]}: there is no row {name}" for name in names
                  if name not in listed]
        wrong += [f"{cells[0]}: there is no {path}" for path in paths
                  if not os.path.exists(os.path.join(TESTS, path)) and
                  not os.path.exists(os.path.join(TESTS, "..", path))]
        if not names and not paths:
            wrong.append(f"{cells[0]}: names no test")
    if count < PUBLISHED:
        wrong.append(f"{count} published faults, {PUBLISHED} are wanted")
    return wrong


def renew(output):
    """Replaces what the rows are and their figures, of the rows that `output` has."""
    new = {}
    for line in text_of(output).splitlines():
        found = re.match(r"(\S+) ([^:]*(?::[^ ][^:]*)*): (.*)", line)
        if found and "FAILED" not in line and "skipped" not in line:
            new[found[1]] = found[2], found[3]

    def row(old):
        what, figure = new.get(old[1], (old[2], old[5]))
        return f"| {old[1]} | {what} | {old[3]} | `{old[4]}` | {figure} |"

    text = ROW.sub(row, text_of(README))
    with open(README, "w") as file:
        file.write(text)


if sys.argv[1:2] == ["--renew"]:
    renew(sys.argv[2])
else:
    found = check()
    print("\n".join(found))
    sys.exit(bool(found))
