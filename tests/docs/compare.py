"""Is what a block printed what the page shows?"""
import json
import re


def _parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def _pattern(shown):
    """A regular expression in which `…` stands for any text of a line, and a
    line with nothing else for any lines."""
    lines = []
    for line in shown.strip().split("\n"):
        if line.strip() == "…":
            lines.append(r"(?:[^\n]*\n)*?")
        else:
            lines.append("[^\n]*".join(re.escape(part.rstrip())
                                       for part in line.split("…")) + "\n")
    return "".join(lines)


def same(shown, shown_as, got):
    """JSON is compared as values, so a page may wrap it."""
    if shown_as == "json" and "…" not in shown:
        want = _parsed(shown)
        if want is not None:
            return want == _parsed(got)
    got = "\n".join(line.rstrip() for line in got.strip().split("\n")) + "\n"
    return re.fullmatch(_pattern(shown), got) is not None
