"""Reads the daemon's pages as a browser does that has just their text: is each whole,
and does it lead where it says? Then it puts mistakes into them, which it must find.

Usage: page_html.py FILE..."""
import re
import sys
from html.parser import HTMLParser

VOID = {"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
ONCE = ("html", "head", "title", "body", "main", "h1")
REFERS = ("for", "aria-labelledby", "aria-controls", "aria-describedby")


class Page(HTMLParser):
    """Collects what is wrong with one page."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.wanted, self.wrong = [], [], [], []
        self.counts, self.script = {}, ""
        if len(text.split('charset="utf-8"')[0]) > 1000:
            self.wrong.append("the encoding is not named at the beginning")
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]
        self.wrong += [f"<{tag}> stands there {self.counts.get(tag, 0)} times"
                       for tag in ONCE if self.counts.get(tag) != 1]
        self.wrong += [f"the id {one} stands there twice" for one in set(self.ids)
                       if self.ids.count(one) > 1]
        self.wanted += re.findall(r'\$\("([\w-]+)"\)', self.script)
        self.wrong += [f"there is no id {one}" for one in self.wanted
                       if one not in self.ids]

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in VOID:
            self.open.append(tag)
        if len(dict(attrs)) < len(attrs):
            self.wrong.append(f"<{tag}> has an attribute twice")
        for name, value in attrs:
            self.attribute(tag, name, value or "")

    def attribute(self, tag, name, value):
        if name == "style" or name.startswith("on"):
            self.wrong.append(f"<{tag} {name}> is what the policy forbids")
        elif name == "id":
            self.ids.append(value)
        elif name in REFERS:
            self.wanted += value.split()
        elif name in ("href", "src", "action"):
            self.address(value)

    def address(self, value):
        if value.startswith("#"):
            self.wanted.append(value[1:])
        elif re.match(r"//|[a-z]+:(?<!data:)", value):
            self.wrong.append(f"{value} is elsewhere")
        elif value.startswith("/"):
            self.wrong.append(f"{value} is lost behind a proxy with a path")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> in line {self.getpos()[0]} closes another")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.script += data


MISTAKES = (("</main>", ""), ("</ul>", "</ol>"), ("<p ", '<p style="x" '),
            ("<main", '<main onclick="x"'), ('href="docs"', 'href="/docs"'),
            ('href="docs"', 'href="https://docs"'), ('href="#', 'href="#no-'),
            ("</title>", "</title><title></title>"), ('<main', '<p id="a"></p><main id="a"'),
            ('$("', '$("no-'), ("<body>", '<body><input class="a" class="b">'))


def main(paths):
    failed = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for one in Page(text).wrong:
            failed += 1
            print(f"  FAILED: {path}: {one}")
        for before, after in MISTAKES:
            if before in text and not Page(text.replace(before, after, 1)).wrong:
                failed += 1
                print(f"  FAILED: {path}: {after} in place of {before} is not seen")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
