"""The fenced blocks of a page in Markdown, and what is asked of them.

The word behind the fence is the language: sh, python and js are run; json and
text right behind one of these, with only blank lines between, are its output.
Further words:

  needs=NAME  what the machine must have, a name of machine.py
  serves      the block does not end: it is a daemon in the foreground
  clone       it runs in a clone of the repository, not in an empty folder
  part=PART   tests/deploy/run.sh PART runs it, nobody else; check_runbook.py sees to that
"""
import re

RUN = ("sh", "python", "js")
SHOWN = ("json", "text")
OTHER = ("yaml", "ini", "c")
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.M | re.S)
# A request that fails must make the block fail, or be shown with its status.
CURL = re.compile(r"\bcurl\s+((?:\\\n|[^\n])*)")
FAILS = re.compile(r"(^|\s)(-[a-zA-Z]*f[a-zA-Z]*|--fail|--fail-with-body)\b")
# And the reader must see why. What reads a pipe drops a refusal anyway, and curl would
# print one for each try.
SAYS_WHY = re.compile(r"--fail-with-body\b|%\{http_code\}|(?<!\|)\|(?!\|)|--retry\b")


class Wrong(Exception):
    """A page that breaks a rule; the text says which."""


class Block:
    """A snippet; `shown` is the output that the page shows, or None."""

    def __init__(self, path, line, language, words, code):
        self.where = f"{path}:{line}"
        self.language, self.code = language, code
        self.serves, self.clone = "serves" in words, "clone" in words
        self.needs = [word[6:] for word in words if word.startswith("needs=")]
        self.part = next((word[5:] for word in words if word.startswith("part=")), "")
        self.shown = self.shown_as = None
        for word in words:
            if word not in ("serves", "clone") and \
                    not word.startswith(("needs=", "part=")):
                raise Wrong(f"{self.where}: `{word}` says nothing behind a "
                            "fence")

    def check(self):
        """Raises Wrong where a failing request would go unnoticed, or unexplained."""
        code = self.code
        if self.language == "sh":
            for command in CURL.findall(code):
                if not FAILS.search(command) and "%{http_code}" not in code:
                    raise Wrong(f"{self.where}: this curl ends with 0 when the "
                                "request fails: give it --fail-with-body, or show "
                                "%{http_code}")
                if not SAYS_WHY.search(command):
                    raise Wrong(f"{self.where}: this curl does not say why a request "
                                "is refused: give it --fail-with-body")
            if "%{http_code}" in code and self.shown is None:
                raise Wrong(f"{self.where}: %{{http_code}} is not shown")
        if "raise_for_status" in code:
            raise Wrong(f"{self.where}: raise_for_status() does not say why a request "
                        "is refused: look at .ok")
        for call, look in (("import requests", ".ok"), ("fetch(", ".ok"),
                           ("urlopen(", "HTTPError")):
            if call in code and look not in code:
                raise Wrong(f"{self.where}: `{call}` without a look at {look}")


def read(path, text):
    """The blocks of a page that are run, in turn."""
    blocks, end = [], None
    fences = len(re.findall(r"^ *```", text, re.M))
    for match in FENCE.finditer(text):
        fences -= 2
        language, *words = match[1].split() or [""]
        line = text.count("\n", 0, match.start()) + 1
        if language in RUN:
            blocks.append(Block(path, line, language, words, match[2]))
            end = match.end()
            continue
        if language not in SHOWN + OTHER:
            raise Wrong(f"{path}:{line}: a block of `{match[1]}`: there are "
                        f"{', '.join(RUN + SHOWN + OTHER)}")
        if language in SHOWN and end is not None and \
                not text[end:match.start()].strip():
            blocks[-1].shown, blocks[-1].shown_as = match[2], language
        end = None
    if fences:
        raise Wrong(f"{path}: a fence is not closed, or does not begin its line")
    for block in blocks:
        block.check()
    return blocks
