"""Reads rooms.txt, statics.txt and to_cut.txt."""
import fnmatch
import os


class Room:
    def __init__(self, name, includes, libraries, names, purpose):
        self.name = name
        self.includes = set(includes)
        self.libraries = set(libraries)
        self.names = set(names)
        self.purpose = purpose


class Table:
    """Rooms in the order of the file, and the groups of system headers."""

    def __init__(self):
        self.rooms = {}
        self.tests = {}
        self.libraries = {}

    def library_of(self, header):
        for group, patterns in self.libraries.items():
            if any(fnmatch.fnmatch(header, p) for p in patterns):
                return group
        return None

    def row_of(self, folder):
        """What `folder` may include, or None. A test folder of a room adds to
        the row of that room."""
        if folder in self.rooms:
            return self.rooms[folder]
        if not (folder + "/").startswith("tests/"):
            return None
        room = self.rooms.get(folder[len("tests/"):])
        own = [row for name, row in self.tests.items()
               if fnmatch.fnmatch(folder, name)]
        if not room and folder not in self.tests:
            return None
        row = Room(folder, [], [], [], "")
        for part in own + ([room] if room else []):
            row.includes |= part.includes
            row.libraries |= part.libraries
        if room:
            row.includes.add(room.name)
        return row


def rows(path):
    """The lines of a file without comments and blank lines, split at `|`."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].strip()
            if line:
                yield [cell.strip() for cell in line.split("|")]


def read_table(path):
    table = Table()
    for cells in rows(path):
        if cells[0].startswith("library "):
            table.libraries[cells[0].split()[1]] = cells[1].split()
            continue
        if len(cells) != 5:
            raise SystemExit(f"{path}: a row has 5 cells: {' | '.join(cells)}")
        name, includes, libraries, names, purpose = cells
        room = Room(name, includes.split(), libraries.split(), names.split(),
                    purpose)
        kind = table.tests if name.startswith("tests") else table.rooms
        kind[name] = room
    return table


def read_statics(path):
    """{(file, symbol): reason}"""
    return {tuple(cells[0].split()): cells[1] for cells in rows(path)}


def read_to_cut(path):
    """The exceptions that are still to go: tuples (kind, subject[, object])."""
    if not os.path.exists(path):
        return set()
    return {tuple(cells[0].split()) for cells in rows(path)}
