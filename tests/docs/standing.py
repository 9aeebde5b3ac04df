"""Which blocks stand on a skipped one: they ask a daemon that it would have started, or
read a file that it would have made."""
import re

from page import started

# What may ask a daemon, or end it.
ASKS = re.compile(r":\d{2,5}\b|--probe\b|\b(?:curl|kill|pkill)\b")
# Names of files that a block makes: in a shell, in Python, in JavaScript.
MADE = re.compile(
    r"(?:>>?|(?<!\S)(?:-o|-out|-keyout|--output|tee|mkdir|touch)[ =]) *([\w./-]+)"
    r"|(?:\.save\w*|\.tofile|writeFile\w*)\(\s*[\"']([^\"']+)"
    r"|open\(\s*[\"']([^\"']+)[\"'],\s*[\"'][wax]")


def made(code):
    names = {"".join(match) for match in MADE.findall(code)}
    return {name for name in names if not name.startswith("/")}


def reads(block, name):
    """Python and JavaScript have names of their own that look like a file's."""
    quote = r"(?<![\w.])" if block.language == "sh" else "[\"']"
    return re.search(quote + re.escape(name) + r"(?![\w.]|\(|: )", block.code)


class Standing:
    """Is told of each block of a page in turn, after the question about it."""

    def __init__(self):
        self.daemon = None  # the skipped block whose daemons would be asked now
        self.files = {}     # the skipped block that would have made the file

    def below(self, block):
        """The skipped block that this one stands on, with the reason, or None."""
        starts = block.serves or started(block.code)
        if self.daemon and not starts and ASKS.search(block.code):
            return self.daemon
        return next((maker for name, maker in self.files.items()
                     if reads(block, name) and name not in made(block.code)), None)

    def skipped(self, block, reason):
        """Where a block that serves is skipped, a daemon without options serves in
        its place."""
        skipped = f"{block.where}, which {reason}"
        if started(block.code):
            self.daemon = skipped
        self.files.update(dict.fromkeys(made(block.code), skipped))

    def ran(self, block):
        if started(block.code) or block.serves:
            self.daemon = None
        for name in made(block.code):
            self.files.pop(name, None)
