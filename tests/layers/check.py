#!/usr/bin/env python3
"""Checks the layers and rooms of the tree; tests/check_layers.sh runs it.

check.py ROOT [BUILD]    BUILD holds the objects, default ROOT/build/release
check.py --draw [ROOT]  draws rooms.txt into CONTRIBUTING.md"""
import os
import sys

import draw
import rules
import statics
import table as tables
import tree

HERE = "tests/layers"
PAGE = "CONTRIBUTING.md"
DEFAULT_BUILD = "build/release"


def read_page(root):
    with open(os.path.join(root, PAGE), encoding="utf-8") as file:
        return file.read()


def stale_picture(root, table):
    page = read_page(root)
    if page != draw.draw(table, page):
        yield (("picture",), f"{PAGE} has not the picture of rooms.txt: "
               "tests/check_layers.sh --draw .")


def findings(root, build, table, sources):
    yield from rules.folders(sources, table)
    yield from rules.includes(sources, table)
    yield from rules.unused(sources, table)
    yield from rules.file_circles(sources)
    yield from rules.named_types(sources, table)
    yield from rules.build_comments(root, sources)
    yield from stale_picture(root, table)
    if build:
        yield from statics.writable_statics(root, build)


def usable_build(root, build):
    """Returns the build if its statics can be checked; None, with a message, if it
    is instrumented."""
    if not os.path.exists(os.path.join(build, "CMakeCache.txt")):
        raise SystemExit(f"check_layers: {build} is no build: cmake --preset "
                         "release && cmake --build --preset release")
    if statics.is_instrumented(build):
        print(f"check_layers: {build} is instrumented, its statics are not "
              "checked")
        return None
    return build


def read_table(root):
    table = tables.read_table(os.path.join(root, HERE, "rooms.txt"))
    rules.require_no_circle(table)
    return table


def check(root, build):
    table = read_table(root)
    reasons = tables.read_statics(os.path.join(root, HERE, "statics.txt"))
    sources = tree.read_sources(root)
    build = usable_build(root, build)
    allowed = {("static", *key) for key in reasons}
    seen, failed = set(), False
    for key, message in findings(root, build, table, sources):
        seen.add(key)
        if key not in allowed:
            print(message)
            failed = True
    for _, file, symbol in sorted(allowed - seen if build else ()):
        print(f"{HERE}/statics.txt: no longer needed: {file} {symbol}")
        failed = True
    return not failed


def main(arguments):
    if len(arguments) not in (1, 2):
        raise SystemExit(__doc__)
    if arguments[0] == "--draw":
        root = (arguments + ["."])[1]
        page = draw.draw(read_table(root), read_page(root))
        with open(os.path.join(root, PAGE), "w", encoding="utf-8") as file:
            file.write(page)
        return
    root = arguments[0]
    build = (arguments + [os.path.join(root, DEFAULT_BUILD)])[1]
    sys.exit(0 if check(root, build) else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
