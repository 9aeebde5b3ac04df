"""Asks one engine, in its own environment: engine.py ENGINE CASES RESULTS START

Reads cases in the plain JSON form and writes one line of JSON for each case from
number START on: first that it begins, then the outcome. So a case that ends the
process is known, and the runner goes on behind it.
"""

import importlib
import json
import sys


class Refused(Exception):
    """The engine does not answer, and says why."""


class Foreign(Exception):
    """The case does not belong to this engine: it has no such operator."""


def outcome(engine, case):
    try:
        return {"answer": engine.answer(case).hex()}
    except Foreign:
        return {"foreign": True}
    except Exception as fault:  # engines raise classes of their own
        return {"refused": f"{type(fault).__name__}: {fault}"[:2000]}


def main():
    name, cases, results, start = sys.argv[1:]
    sys.modules["engine"] = sys.modules["__main__"]
    engine = importlib.import_module(f"engines.{name}")
    with open(cases, encoding="utf-8") as file:
        asked = json.load(file)
    with open(results, "a", encoding="utf-8") as out:

        def write(line):
            out.write(json.dumps(line) + "\n")
            out.flush()

        write({"version": engine.version()})
        for number in range(int(start), len(asked)):
            write({"begins": number})
            write({"number": number} | outcome(engine, asked[number]))


if __name__ == "__main__":
    main()
