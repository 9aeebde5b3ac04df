"""docs/observability.md beside the daemon: each metric has its row, with its type
and its labels, and each field of a request in the log.

Arguments after those of wire.py: the page, and a log in JSON."""

import json
import re
import sys

from wire import ask, equal, finish, true

page, log = sys.argv[3:]
SAMPLE = re.compile(r"([a-z_]+)(?:\{(.*)\})? \S+")


def rows():
    """The cells of all tables, a row a list."""
    with open(page, encoding="utf-8") as file:
        return [[cell.strip() for cell in line.strip("|\n").split("|")]
                for line in file if line.startswith("| ")]


def words(cell):
    return set(re.findall(r"`([a-z_]+)`", cell))


def served():
    """{metric: type}, {metric: its labels}"""
    types, labels = {}, {}
    for line in ask("GET", "/metrics").body.decode().splitlines():
        if line.startswith("# TYPE "):
            _, _, family, types[family] = line.split(" ")
            labels[family] = set()
        elif not line.startswith("#"):
            names = SAMPLE.fullmatch(line)[2] or ""
            labels[family] |= set(re.findall(r'(?:^|,)([a-z_]+)="', names))
            labels[family].discard("le")
    return types, labels


def check_metrics(table):
    types, labels = served()
    named = {}
    for row in table:
        name = words(row[0])
        if len(row) == 4 and row[1] in ("counter", "gauge", "histogram"):
            named[name.pop()] = row[1], words(row[2])
    equal("metrics without a row", set(), set(types) - set(named))
    equal("rows without a metric", set(), set(named) - set(types))
    for name, (kind, keys) in named.items():
        equal(f"type of {name}", types.get(name), kind)
        equal(f"labels of {name}", labels.get(name), keys)


def check_fields(table):
    logged = set()
    with open(log, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["message"] == "request":
                logged |= set(line) - {"time", "level", "message"}
    named = set()
    for row in table:
        if len(row) == 3 and row[2].startswith(("always", "those", "when")):
            named |= words(row[0])
    equal("fields without a row", set(), logged - named)
    equal("rows without a field", set(), named - logged)


table = rows()
true("the page has no tables", len(table) > 40)
check_metrics(table)
check_fields(table)
finish()
