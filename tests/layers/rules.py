"""The rules on sources. Each yields (key, message) for a violation."""
import os
import re

from tree import circles, homes, is_test

SHARED_TESTS = ("tests", "tests/kernels", "tests/api", "tests/server",
                "tests/fuzz", "tests/proofs")


def folders(sources, table):
    """Every folder with sources has a block in the table, and vice versa."""
    present = {source.folder for source in sources.values()}
    for folder in sorted(present):
        if not table.room_of(folder):
            yield (("block", folder), f"{folder} has no block in rooms.txt")
    for name in list(table.rooms) + list(table.tests):
        if "*" not in name and name not in present:
            yield (("block", name), f"rooms.txt has a block {name}, there is no "
                   "such folder with sources")
    for own in list(table.rooms.values()) + list(table.tests.values()):
        for other in sorted(set(own.includes + own.names) - set(table.rooms)):
            yield (("block", own.name), f"rooms.txt, {own.name}: there is no room "
                   f"{other}")
        for other in sorted(set(own.libraries) - set(table.libraries)):
            yield (("block", own.name), f"rooms.txt, {own.name}: there is no "
                   f"library {other}")


def require_no_circle(table):
    """Ends the program if the arrows of the table form a circle."""
    edges = {room.name: room.includes for room in table.rooms.values()}
    for part in circles(edges):
        raise SystemExit(f"rooms.txt has a circle: {' '.join(part)}")


def target_room(path):
    """The room of an included header; None for a header that all tests share."""
    folder = os.path.dirname(path)
    if folder in SHARED_TESTS:
        return None
    return folder[len("tests/"):] if is_test(folder + "/") else folder


def includes(sources, table):
    """The table allows every include."""
    for source in sources.values():
        own = table.room_of(source.folder)
        if not own:
            continue
        for path in source.own:
            if path not in sources:
                yield (("include", source.path), f"{source.path} includes "
                       f'"{path}": no such file from the root of the tree')
                continue
            if is_test(path) and not is_test(source.path):
                yield (("arrow", source.folder, "tests"),
                       f"{source.path} may not include {path}: it is a test's")
                continue
            room = target_room(path)
            if room and room not in own.includes and \
                    os.path.dirname(path) != source.folder:
                yield (("arrow", source.folder, room),
                       f"{source.path} may not include {path}: no arrow from "
                       f"{source.folder} to {room}")
        for path in source.system:
            group = table.library_of(path)
            if group != "libc" and group not in own.libraries:
                yield (("arrow", source.folder, f"<{group or path}>"),
                       f"{source.path} may not include <{path}>: no arrow from "
                       f"{source.folder} to <{group or path}>")


def unused(sources, table):
    """The table has no more than the sources need."""
    home = homes(sources)
    for own in table.rooms.values():
        needed = {"includes": set(table.every.includes), "libraries": set(),
                  "names": set()}
        for source in sources.values():
            if source.folder == own.name:
                needed["includes"] |= {target_room(path) for path in source.own}
                needed["libraries"] |= {table.library_of(path)
                                        for path in source.system}
                for tag in source.names & set(home):
                    needed["names"] |= home[tag]
        for field, what in (("includes", "include"), ("libraries", "use"),
                            ("names", "name")):
            for other in sorted(set(getattr(own, field)) - needed[field]):
                yield (("unused", own.name, other), f"rooms.txt, {own.name}: "
                       f"nothing there has to {what} {other}")


def file_circles(sources):
    """No circle of units; x.c and x.h of one folder are one unit."""
    edges = {}
    for source in sources.values():
        after = edges.setdefault(source.unit, set())
        after |= {sources[path].unit for path in source.own if path in sources}
        after.discard(source.unit)
    for part in circles(edges):
        for unit in part:
            yield (("circle", unit), f"{unit} is in a circle of files: "
                   f"{' '.join(part)}")


def named_types(sources, table):
    """A header names only types of rooms that its room may include or name."""
    home = homes(sources)
    for source in sources.values():
        own = table.rooms.get(source.folder)
        if not own or not source.is_header:
            continue
        allowed = {own.name, *own.includes, *own.names}
        for tag in sorted(source.names & set(home)):
            if not home[tag] & allowed:
                yield (("name", source.path, tag),
                       f"{source.path} may not name {tag}: it is defined in "
                       f"{' '.join(sorted(home[tag]))}, and {own.name} has no "
                       "arrow to it")


def build_comments(root, sources):
    """The CMakeLists.txt of each folder opens with the purpose of the folder. The
    tests of a room are built by the list of their layer; CBMC reads the proofs."""
    for folder in sorted({re.sub(r"^(tests/(kernels|api|server))/.*", r"\1",
                                 source.folder) for source in sources.values()
                          if not source.folder.startswith("tests/proofs")}):
        path = os.path.join(folder, "CMakeLists.txt")
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                first = file.read(2)
        except FileNotFoundError:
            yield (("cmake", folder), f"{path} is missing")
            continue
        if first != "# ":
            yield (("cmake", folder), f"{path} does not open with a comment "
                   "on the purpose of the folder")
