"""Writes the tables of docs/configuration.md and flipd(8) from `flipd --help`, so that
neither says something else than the daemon. With --check it writes nothing, and fails
when one of them is stale.

Usage: manual.py FLIPD ROOT [--check]    such as build/release/flipd .
"""

import difflib
import re
import subprocess
import sys
from pathlib import Path

BEGIN = "<!-- options: written by the target `manual` -->\n"
END = "<!-- end of options -->\n"
# What stands behind the options; how the page and flipd(8) call it.
NOTES = {"Other environment variables": ("variable", "ENVIRONMENT"),
         "Signals": ("signal", "SIGNALS"),
         "Exit codes": ("code", "EXIT STATUS")}
VALUES = re.compile(r"(FLIPD_\w+): (.+?)(, in (\w+) without a suffix)?; default (.+)")
COMPUTED = re.compile(r"\d+ \((.+)\)")  # the number is this machine's

PAGE_BEGINS = r"""
.\" Written from the table of options by the target `manual`.
.TH FLIPD 8 2026-11-23 "VERSION"
.SH NAME
flipd \- reverse tensors over HTTP
.SH SYNOPSIS
.B flipd
[\fB\-\-\fIname value\fR |
\fB\-\-\fIname\fB=\fIvalue\fR |
\fB\-\-\fIflag\fR]...
.SH DESCRIPTION
The daemon answers requests of the Open Inference Protocol v2 over HTTP.
Its models reverse tensors:
ReverseSequence of ONNX and OpenVINO, Reverse of OpenVINO,
and ReverseSequence of Graiphic with its backward pass.
It runs in the foreground and writes its log to standard error.
.PP
Every option can be given as an environment variable, whose name stands
with the option; the command line wins.
An empty variable counts as absent.
.SH OPTIONS
""".lstrip()

PAGE_ENDS = r"""
.SH EXAMPLES
Check the options and the files that they name, then serve:
.PP
.nf
.RS
flipd \-\-models /etc/flipd/models.json \-\-check &&
    flipd \-\-models /etc/flipd/models.json \-\-http\-port 8000
.RE
.fi
.PP
Ask whether the daemon is ready:
.PP
.nf
.RS
flipd \-\-probe \-\-http\-port 8000
.RE
.fi
""".lstrip()


def read(text):
    """The note about suffixes, and groups: {title: [[name, meaning, values or None]]}."""
    head, *rest = text.split("\n\n")[2:]
    groups = {}
    for group in rest:
        title, *lines = group.rstrip("\n").split("\n")
        rows = groups[title.rstrip(":")] = []
        for line in lines:
            if line.startswith("      "):
                rows[-1].append(line.strip())
            else:
                rows.append([line.strip()])
    return head.split("\n", 1)[1] + "\n", groups


def values_of(row):
    """Variable, values, hint about the unit, unit, default as the host does not matter."""
    found = VALUES.fullmatch(row[2])
    if not found:
        raise SystemExit(f"{row[0]}: neither values nor a default in: {row[2]}")
    variable, values, hint, unit, default = found.groups(default="")
    computed = COMPUTED.fullmatch(default)
    return variable, values, hint, unit, computed[1] if computed else default


def is_typed(default):
    """False for a description of the default."""
    return " " not in default and default != "none"


def markdown_text(text):
    return re.sub(r"([|*_<])", r"\\\1", text)


def markdown_row(row):
    name, meaning = row[:2]
    cells = [f"`{name}`"]
    if len(row) > 2:
        variable, values, _, unit, default = values_of(row)
        cells += [f"`{variable}`", f"`{default}`" if is_typed(default) else markdown_text(default),
                  unit, values.replace("|", ", ")]
    return f"| {' | '.join(cells + [markdown_text(meaning)])} |\n"


def markdown(groups):
    text = ""
    for title, rows in groups.items():
        names = (["option", "variable", "default", "unit", "values", "meaning"]
                 if len(rows[0]) > 2 else [NOTES.get(title, ["option"])[0], "meaning"])
        text += (f"\n### {title}\n\n| {' | '.join(names)} |\n|{' --- |' * len(names)}\n"
                 + "".join(map(markdown_row, rows)))
    return text


def roff(text):
    """A text in which '-' is a minus, as it is typed, and nothing is markup."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text[:1] in (".", "'") else text


def page_row(row):
    text = f".TP\n.B {roff(row[0])}\n{roff(row[1])}\n"
    if len(row) > 2:
        variable, values, hint, _, default = values_of(row)
        text += f".br\n.BR {variable} :\n{roff(values)}{hint};\ndefault {roff(default)}\n"
    return text


def page(version, note, groups):
    text = PAGE_BEGINS.replace("VERSION", version) + note
    for title, rows in groups.items():
        text += f".SH {NOTES[title][1]}\n" if title in NOTES else f".SS {title}\n"
        text += "".join(map(page_row, rows))
    return text + PAGE_ENDS


def put(path, text, check):
    """False if the file is stale."""
    old = path.read_text()
    if old == text:
        return True
    if not check:
        path.write_text(text)
        print(f"{path} is written")
        return True
    print(f"{path} is not what flipd --help says:"
          " cmake --build --preset release --target manual")
    print(*list(difflib.unified_diff(old.split("\n"), text.split("\n"), lineterm=""))[:20], sep="\n")
    return False


def main(flipd, root, *words):
    def say(option):
        return subprocess.run([flipd, option], check=True, capture_output=True, text=True).stdout

    check = words == ("--check",)
    if words and not check:
        raise SystemExit(__doc__)
    note, groups = read(say("--help"))
    configuration = Path(root, "docs/configuration.md")
    old = configuration.read_text()
    if BEGIN not in old or END not in old.split(BEGIN)[1]:
        raise SystemExit(f"{configuration}: a line {BEGIN.strip()} or {END.strip()} is missing")
    before, rest = old.split(BEGIN)
    new = before + BEGIN + markdown(groups) + "\n" + END + rest.split(END)[1]
    fresh = [put(configuration, new, check),
             put(Path(root, "deploy/flipd.8"), page(say("--version").strip(), note, groups), check)]
    return 0 if all(fresh) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
