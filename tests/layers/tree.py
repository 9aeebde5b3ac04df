"""Reads the sources: folders, includes, the home of each type."""
import os
import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>)', re.M)
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
DEFINED = re.compile(r'\b(?:struct|enum|union)\s+(\w+)\s*(?:__attribute__\s*'
                     r'\(\(.*?\)\)\s*)?\{')
NAMED = re.compile(r'\b(?:struct|enum|union)\s+(\w+)')
SUFFIXES = (".c", ".cc", ".h")


class Source:
    def __init__(self, root, path):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = COMMENT.sub(" ", file.read())
        self.path = path
        self.folder = os.path.dirname(path)
        self.own = [m[1] for m in INCLUDE.finditer(text) if m[1]]
        self.system = [m[2] for m in INCLUDE.finditer(text) if m[2]]
        self.defines = set(DEFINED.findall(text))
        self.names = set(NAMED.findall(text))
        self.is_header = path.endswith(".h")

    @property
    def unit(self):
        """x.c and x.h of one folder are one unit."""
        return os.path.splitext(self.path)[0]


def read_sources(root):
    """{path: Source} of every C and C++ file below `root`, but for builds and the
    programs that they run."""
    found = {}
    for folder, below, files in os.walk(root):
        below[:] = [b for b in below
                    if not b.startswith(".") and b not in ("build", "cmake")]
        for name in files:
            if name.endswith(SUFFIXES):
                path = os.path.relpath(os.path.join(folder, name), root)
                found[path] = Source(root, path)
    return found


def is_test(path):
    return path.startswith("tests/")


def homes(sources):
    """{type: folders that define it}; a definition in a header counts alone."""
    public, private = {}, {}
    for source in sources.values():
        if is_test(source.path):
            continue
        kind = public if source.is_header else private
        for tag in source.defines:
            kind.setdefault(tag, set()).add(source.folder)
    return {**private, **public}


def circles(edges):
    """The strongly connected parts of {node: successors} with more than one
    node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for succ in sorted(edges.get(node, ())):
            if succ not in index:
                visit(succ)
                low[node] = min(low[node], low[succ])
            elif succ in stack:
                low[node] = min(low[node], index[succ])
        if low[node] == index[node]:
            part = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(part) > 1:
                found.append(sorted(part))

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found
