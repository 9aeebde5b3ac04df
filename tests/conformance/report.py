"""Judges the outcomes, and writes the tables of conformance.md."""

import collections
import json
import math

import cases
import datatypes
import filed

VERDICTS = ("right", "silently wrong", "refused", "crashed")
TITLE = """# Who is right

ReverseSequence and Reverse by every engine at hand, beside the operators' definitions,
element by element. `tests/conformance` makes the cases and asks the engines; its
[README](../tests/conformance/README.md) says how to run it, and how to take the cases.

- **right**: the result has the bits of the definition; wrong arguments are refused.
- **silently wrong**: another result; wrong arguments are answered.
- **refused**: the engine says that it cannot, where the definition has a result.
- **crashed**: the process ends, or gives no answer within a minute.
"""


def verdict(case, outcome):
    """One of VERDICTS, or None where the case does not belong to the engine."""
    if "foreign" in outcome:
        return None
    if "crashed" in outcome:
        return "crashed"
    if "refused" in outcome:
        return "right" if case["expect"] is None else "refused"
    if case["expect"] is None:
        return "silently wrong"
    is_right = elements(case, outcome["answer"]) == elements(case, case["expect"])
    return "right" if is_right else "silently wrong"


def elements(case, digits):
    """What a result holds; spare bits behind the last packed element say nothing."""
    return datatypes.unpack(case["datatype"], bytes.fromhex(digits), math.prod(case["shape"]))


class Engine:
    def __init__(self, name, title, result, asked):
        self.name = name
        self.title = title
        self.version = result["version"]
        self.outcomes = [
            (case, outcome, verdict(case, outcome))
            for case, outcome in zip(asked, result["outcomes"])
            if verdict(case, outcome)
        ]

    def count(self, wanted, is_wrong):
        return sum(
            found == wanted and is_wrong == (case["expect"] is None)
            for case, _, found in self.outcomes
        )


def write(asked, titles, out):
    """Writes OUT/conformance.md from OUT/results; returns flipd's faults."""
    engines = []
    for name, title in titles.items():
        path = out / "results" / f"{name}.json"
        if path.exists():
            engines.append(Engine(name, title, json.loads(path.read_text()), asked))
    sections = [TITLE, summary(engines)]
    for heading, key in (("By datatype", by_datatype), ("By class of cases", by_class)):
        sections.append(f"## {heading}\n\n{CELLS}\n\n" + matrix(engines, key))
    sections.append(f"## By public issue\n\n{OF_ISSUES}\n\n" + matrix(engines, by_issue))
    sections.append(faults_of(engines))
    (out / "conformance.md").write_text("\n".join(sections))
    return [
        f"{engine.name} is {found}: {case['name']}: {outcome}"
        for engine in engines
        if engine.name.startswith("flipd")
        for case, outcome, found in engine.outcomes
        if found != "right"
    ]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def summary(engines):
    rows = [
        [engine.title, engine.version]
        + [engine.count(found, is_wrong=False) for found in VERDICTS]
        + [engine.count(found, is_wrong=True) for found in ("right", "silently wrong", "crashed")]
        for engine in engines
    ]
    head = ["engine", "version", *VERDICTS, "wrong arguments: refused", "answered", "crashed"]
    return table(head, rows)


CELLS = """*all*: right in all cases; *no*: refused in all; `-`: not asked; else right of asked, and
`w` silently wrong, `r` refused, `c` crashed."""


OF_ISSUES = """The models of public issues, one or more of each, answered as in the tables above. An
issue shows in the engine that it names; in the other ones its model is a case like others."""


def by_issue(case):
    if "issue" not in case:
        return None
    return f"{filed.link(case['issue'])}: {filed.ISSUES[case['issue']]}"


def by_datatype(case):
    return None if case["expect"] is None else case["datatype"]


def by_class(case):
    return case["class"]


def matrix(engines, key):
    """Rows of a key, columns of engines."""
    rows = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for engine in engines:
        for case, _, found in engine.outcomes:
            if key(case) is not None:
                rows[key(case)][engine.name][found] += 1
    if key is by_datatype:
        rows = {name: rows[name] for name in datatypes.BITS}
    lines = [[name, *(cell(row[engine.name]) for engine in engines)] for name, row in rows.items()]
    return table([key.__name__[3:], *(engine.title for engine in engines)], lines)


def cell(counts):
    total = sum(counts.values())
    if total == 0:
        return "-"
    if counts["right"] == total:
        return "all"
    if counts["refused"] == total:
        return "no"
    letters = (("silently wrong", "w"), ("refused", "r"), ("crashed", "c"))
    parts = [f"{counts[found]}{letter}" for found, letter in letters if counts[found]]
    return f"{counts['right']} of {total}: {' '.join(parts)}"


def faults_of(engines):
    """Each fault with its smallest case, and the public issue where there is one."""
    groups = collections.defaultdict(list)
    for engine in engines:
        for case, outcome, found in engine.outcomes:
            fault = None if found == "right" else filed.fault(engine.name, case, found)
            if fault:
                groups[engine.title, found, *fault].append((case, outcome))
    rows = []
    for (title, found, what, issue), members in groups.items():
        case, outcome = min(members, key=lambda member: size(member[0]))
        kinds = sorted({case["datatype"] for case, _ in members}, key=list(datatypes.BITS).index)
        rows.append([title, found, what, issue, len(members), ", ".join(kinds),
                     shown(case, outcome)])  # fmt: skip
    head = ["engine", "verdict", "fault", "filed as", "cases", "datatypes", "smallest case"]
    return "## Faults, each with its smallest case\n\n" + table(head, rows)


def size(case):
    return math.prod(case["shape"]), len(case["shape"]), len(str(case["control"]["values"]))


def shown(case, outcome):
    """A case in one cell: arguments, and the first element that is wrong."""
    attributes = ", ".join(f"{key} {value}" for key, value in case["attributes"].items())
    text = f"{case['operator'].split()[-1]}: {case['datatype']} {case['shape']}, "
    text += f"{case['control']['values']} of {case['control']['datatype']}"
    text += f", {attributes}" if attributes else ""
    if "crashed" in outcome:
        return f"{text}: {outcome['crashed']}"
    if "refused" in outcome:
        return f"{text}: refused"
    if case["expect"] is None:
        return f"{text}: answered"
    wanted, found = elements(case, case["expect"]), elements(case, outcome["answer"])
    for place, (right, wrong) in enumerate(zip(wanted, found)):
        if right != wrong:
            return f"{text}: element {place} is {bits(wrong)}, not {bits(right)}"
    return f"{text}: {len(found)} elements, not {len(wanted)}"


def bits(element):
    return element.decode(errors="replace") if isinstance(element, bytes) else f"0x{element:x}"
