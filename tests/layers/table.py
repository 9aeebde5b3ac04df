"""Reads rooms.txt and statics.txt."""
import fnmatch


EVERY = "every room"


class Room:
    def __init__(self, name):
        self.name = name
        self.includes = []
        self.libraries = []
        self.names = []


class Table:
    """Rooms in the order of the file, and the groups of system headers."""

    def __init__(self):
        self.rooms = {}
        self.tests = {}
        self.libraries = {}
        self.every = Room(EVERY)  # arrows of every room

    def add(self, room):
        kind = self.tests if room.name.startswith("tests") else self.rooms
        kind[room.name] = room

    def library_of(self, header):
        for group, patterns in self.libraries.items():
            if any(fnmatch.fnmatch(header, p) for p in patterns):
                return group
        return None

    def room_of(self, folder):
        """The room of `folder`, or None. A test folder of a room extends that
        room."""
        if folder in self.rooms:
            return self.rooms[folder]
        if not (folder + "/").startswith("tests/"):
            return None
        room = self.rooms.get(folder[len("tests/"):])
        extras = [extra for name, extra in self.tests.items()
                  if fnmatch.fnmatch(folder, name)]
        if not room and folder not in self.tests:
            return None
        joined = Room(folder)
        for part in extras + ([room] if room else []):
            joined.includes += part.includes
            joined.libraries += part.libraries
        if room:
            joined.includes.append(room.name)
        return joined


KEYS = {"may include": "includes", "libraries": "libraries",
        "may name": "names"}


def stripped(path):
    """The lines of a file without comments and blank lines."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].rstrip()
            if line:
                yield line


def read_table(path):
    table = Table()
    into = None  # the set that an indented line adds to
    for line in stripped(path):
        if not line.startswith(" "):
            name = line.partition(":")[0]
            into = None
            if name.startswith("library "):
                into = table.libraries.setdefault(name.split()[1], [])
                continue
            room = table.every
            if name != EVERY:
                room = Room(name)
                table.add(room)
            continue
        line = line.strip()
        for key, field in KEYS.items():
            if line.startswith(key + " "):
                into, line = getattr(room, field), line[len(key):]
        if into is None:
            raise SystemExit(f"{path}: cannot read: {line}")
        into.extend(line.split())
    for room in table.rooms.values():
        room.includes += [name for name in table.every.includes
                          if name != room.name]
    return table


def read_statics(path):
    """{(file, symbol): reason}"""
    rows = (line.partition("|") for line in stripped(path))
    return {tuple(key.split()): reason.strip() for key, _, reason in rows}
