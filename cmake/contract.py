"""Reads the YAML that api/routes/openapi.yaml is written in, and fails on any other:
block and flow collections, quoted and plain scalars, literal blocks, anchors."""

import re


class Contract:
    def __init__(self, text):
        self.lines = text.split("\n")
        self.at = 0  # the next line
        self.anchors = {}

    def fail(self, why):
        raise SystemExit(f"openapi.yaml:{self.at + 1}: {why}")

    def indent(self):
        """Of the next line that is neither empty nor a comment; -1 at the end."""
        while self.at < len(self.lines) and re.match(r"\s*(#.*)?$", self.lines[self.at]):
            self.at += 1
        if self.at == len(self.lines):
            return -1
        return len(self.lines[self.at]) - len(self.lines[self.at].lstrip(" "))

    def block(self, indent):
        is_list = self.lines[self.at].lstrip().startswith("- ")
        return self.items(indent) if is_list else self.mapping(indent)

    def items(self, indent):
        found = []
        while self.indent() == indent and self.lines[self.at][indent:].startswith("- "):
            rest = self.lines[self.at][indent + 2:]
            if rest[0] in "{[&*'\"" or not re.match(r"[^:]+:( |$)", rest):
                found.append(self.value(rest, indent))
            else:  # a mapping that begins beside the dash
                self.lines[self.at] = " " * (indent + 2) + rest
                found.append(self.mapping(indent + 2))
        return found

    def mapping(self, indent):
        found = {}
        while self.indent() == indent:
            entry = re.match(r"('[^']*'|\"[^\"]*\"|[^\s'\"{}\[\],&*#|>-][^:]*?):(?: +(.*))?$",
                             self.lines[self.at][indent:])
            if not entry:
                self.fail("neither `key: value` nor the end of this block")
            key = entry[1].strip("'\"")
            if key in found:
                self.fail(f"{key} stands here twice")
            found[key] = self.value(entry[2] or "", indent)
        if self.indent() > indent:
            self.fail("this is indented by too much")
        return found

    def value(self, rest, indent):
        """What stands behind a key or dash: on its line, or below it."""
        anchor = re.match(r"&(\w+) ?(.*)", rest)
        if anchor:
            self.anchors[anchor[1]] = value = self.value(anchor[2], indent)
            return value
        if rest.startswith("*"):
            self.at += 1
            return self.anchors[rest[1:]]
        if rest == "|":
            return self.literal(indent)
        if rest[:1] in ("{", "["):
            return self.flow(rest)
        self.at += 1
        below = self.indent()
        if not rest and (below > indent or (below == indent and
                                            self.lines[self.at][below:].startswith("- "))):
            return self.block(below)
        return scalar(rest)

    def literal(self, indent):
        self.at += 1
        inner = self.indent()
        text = []
        while self.at < len(self.lines) and (not self.lines[self.at].strip() or
                                             self.lines[self.at].startswith(" " * (indent + 1))):
            text.append(self.lines[self.at][inner:])
            self.at += 1
        return "\n".join(text).rstrip("\n") + "\n"

    def flow(self, rest):
        text = rest
        while text.count("{") + text.count("[") > text.count("}") + text.count("]"):
            self.at += 1
            text += " " + self.lines[self.at].strip()
        self.at += 1
        tokens = re.findall(r"'(?:[^']|'')*'|\"[^\"]*\"|[{}\[\],]|:(?= )|"
                            r"[^\s{}\[\],:](?:[^{}\[\],:]|:(?! ))*", text)
        tokens = [token.strip() for token in tokens]
        value = self.flow_value(tokens)
        if tokens:
            self.fail(f"{tokens[0]} is behind the end of {rest}")
        return value

    def flow_value(self, tokens):
        token = tokens.pop(0)
        if token not in ("{", "["):
            return scalar(token)
        found = {} if token == "{" else []
        while tokens[0] not in ("}", "]"):
            item = self.flow_value(tokens)
            if isinstance(found, list):
                found.append(item)
            elif tokens.pop(0) == ":":
                found[item] = self.flow_value(tokens)
            else:
                self.fail(f"{item} has no value")
            if tokens[0] == ",":
                tokens.pop(0)
        tokens.pop(0)
        return found


def scalar(text):
    if text[:1] in ("'", '"'):
        return text[1:-1].replace("''", "'")
    words = {"true": True, "false": False, "null": None, "": None}
    if text in words:
        return words[text]
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d+\.\d+", text) else text


def read(text):
    contract = Contract(text)
    value = contract.block(contract.indent())
    if contract.indent() != -1:
        contract.fail("this belongs to nothing")
    return value
