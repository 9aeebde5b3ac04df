"""The table of README.md against rows.txt.

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
BEGIN, END = "<!-- rows -->\n", "<!-- end -->"
ROW = re.compile(r"^\| ([A-Z]+-?[A-Z]*\d*) \| (.*?) \| `(.*?)` \| (.*) \|$", re.M)
NAME = re.compile(r"\b(?:T-[A-Z]+\d*|(?:SH|[CHSZJDPG])\d+)\b")


def rows():
    """[(id, half, command)] of rows.txt."""
    with open(os.path.join(HERE, "rows.txt")) as file:
        return [tuple(line.split(None, 2)) for line in file.read().splitlines()
                if line and not line.startswith("#")]


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
    wrong = []
    with open(README) as file:
        text = file.read()
    listed = {row[0]: row for row in rows()}
    table = {found[0]: found for found in ROW.findall(text)}
    wanted = [f"{part}{n}" for part, count in PARTS.items()
              for n in range(1, count + 1)]
    wrong += [f"{row} is not in rows.txt" for row in wanted
              if row not in listed]
    for row, _, command in listed.values():
        if not os.path.exists(path_of(command)):
            wrong.append(f"{row}: there is no {path_of(command)}")
        if row not in table or table[row][2] != command:
            wrong.append(f"README.md: the row {row} is not `{command}`")
        elif not re.search(r"\d", table[row][3]) or \
                "not run yet" in table[row][3]:
            wrong.append(f"README.md: the row {row} has no figure")
    wrong += [f"README.md: {row} is not in rows.txt" for row in table
              if row not in listed]
    return wrong + check_published(text, listed)


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
    """Replaces the figures of the rows that `output` has."""
    with open(README) as file:
        text = file.read()
    old = {found[0]: found for found in ROW.findall(text)}
    new = {}
    with open(output) as file:
        for line in file:
            found = re.match(r"(\S+) ([^:]*(?::[^ ][^:]*)*): (.*)", line)
            if found and "FAILED" not in line and "skipped" not in line:
                new[found[1]] = found[2], found[3]
    lines = ["| row | what | program | figure |", "| --- | --- | --- | --- |"]
    for row, _, command in rows():
        what, figure = new.get(row) or (old[row][1], old[row][3]) \
            if row in old or row in new else ("", "not run yet: 0 runs")
        lines.append(f"| {row} | {what} | `{command}` | {figure} |")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    with open(README, "w") as file:
        file.write(head + BEGIN + "\n".join(lines) + "\n" + END + tail)


if sys.argv[1:2] == ["--renew"]:
    renew(sys.argv[2])
else:
    found = check()
    print("\n".join(found))
    sys.exit(bool(found))
