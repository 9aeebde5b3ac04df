"""The rules on sources. Each yields (key, message): a key that to_cut.txt lists
is tolerated until it is no longer found."""
import os

from tree import circles, homes, is_test

MOST_FILES = 24
SHARED_TESTS = ("tests", "tests/kernels", "tests/api", "tests/server")


def folders(sources, table):
    """Every folder with sources has a row, and every row has a folder."""
    present = {source.folder for source in sources.values()}
    for folder in sorted(present):
        if not table.row_of(folder):
            yield (("row", folder), f"{folder} has no row in rooms.txt")
    for name in list(table.rooms) + list(table.tests):
        if "*" not in name and name not in present:
            yield (("row", name), f"rooms.txt has a row {name}, there is no "
                   "such folder with sources")
    for row in list(table.rooms.values()) + list(table.tests.values()):
        for other in sorted(set(row.includes + row.names) - set(table.rooms)):
            yield (("row", row.name), f"rooms.txt, {row.name}: there is no room "
                   f"{other}")
        for other in sorted(set(row.libraries) - set(table.libraries)):
            yield (("row", row.name), f"rooms.txt, {row.name}: there is no "
                   f"library {other}")


def require_no_circle(table):
    """The arrows of the table must lead down: all else rests on that."""
    edges = {room.name: room.includes for room in table.rooms.values()}
    for part in circles(edges):
        raise SystemExit(f"rooms.txt has a circle: {' '.join(part)}")


def target_room(path):
    """The room that an included header counts as, or None if it is free."""
    folder = os.path.dirname(path)
    if folder in SHARED_TESTS:
        return None
    return folder[len("tests/"):] if is_test(folder + "/") else folder


def includes(sources, table):
    """No include but those of the table."""
    for source in sources.values():
        row = table.row_of(source.folder)
        if not row:
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
            if room and room not in row.includes and \
                    os.path.dirname(path) != source.folder:
                yield (("arrow", source.folder, room),
                       f"{source.path} may not include {path}: no arrow from "
                       f"{source.folder} to {room}")
        for path in source.system:
            group = table.library_of(path)
            if group != "libc" and group not in row.libraries:
                yield (("arrow", source.folder, f"<{group or path}>"),
                       f"{source.path} may not include <{path}>: no arrow from "
                       f"{source.folder} to <{group or path}>")


def file_circles(sources):
    """No circle of units, a unit being x.c and x.h of one folder."""
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
    """A header names no type whose home its room may not include."""
    home = homes(sources)
    for source in sources.values():
        row = table.rooms.get(source.folder)
        if not row or not source.is_header:
            continue
        allowed = {row.name, *row.includes, *row.names}
        for tag in sorted(source.names & set(home)):
            if not home[tag] & allowed:
                yield (("name", source.path, tag),
                       f"{source.path} may not name {tag}: it is defined in "
                       f"{' '.join(sorted(home[tag]))}, and {row.name} has no "
                       "arrow to it")


def room_sizes(sources, table):
    for name in table.rooms:
        count = sum(source.folder == name for source in sources.values())
        if count > MOST_FILES:
            yield (("size", name), f"{name} has {count} files, at most "
                   f"{MOST_FILES} are one room")


def build_comments(root, sources):
    """The CMakeLists.txt of each folder says what the folder is for."""
    for folder in sorted({source.folder for source in sources.values()}):
        path = os.path.join(folder, "CMakeLists.txt")
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                first = file.read(2)
        except FileNotFoundError:
            yield (("cmake", folder), f"{path} is missing")
            continue
        if first != "# ":
            yield (("cmake", folder), f"{path} does not open with a comment "
                   "that says what the folder is for")
