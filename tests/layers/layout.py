"""Places rooms in the rows of three bands, and lines between them.

A room's row is the longest path below it in its layer; within a row rooms keep
the order of the table. A line that crosses rows gets a joint in each of them, a
narrow item that no room may cover."""
import math

LAYERS = ("server", "api", "kernels")  # top to bottom
LEAST_WIDTH = 880
MARGIN = 26
BOX_WIDTH = 124
GAP = 12
JOINT_WIDTH = 4
SWEEPS = 400
CENTRE_PULL = 1.0  # of an arrow: keeps the picture in the middle


def layer_of(name):
    return name.split("/")[0]


def reduced_arrows(table):
    """The arrows that do not follow from others, and the rooms that every room
    may include: arrows to those are left out."""
    rooms = table.rooms
    everyone = set(table.every.includes)
    below = {}

    def reach(name):
        if name not in below:
            below[name] = set()
            for other in rooms[name].includes:
                below[name] |= {other} | reach(other)
        return below[name]

    arrows = []
    for room in rooms.values():
        direct = set(room.includes)
        indirect = set().union(*(reach(other) for other in room.includes))
        arrows += [(room.name, other) for other in rooms
                   if other in direct - indirect and other not in everyone]
    return arrows, everyone


class Item:
    """A room, or the joint of a line in a row: row, width and centre."""

    def __init__(self, name, row, width):
        self.name = name
        self.row = row
        self.width = width
        self.x = 0.0
        self.near = []  # items in adjacent rows that it is joined to


class Layout:
    def __init__(self, table):
        self.arrows, self.everyone = reduced_arrows(table)
        self.bands = {}  # layer: (first row, last row)
        self.rooms = {}
        self.rows = []
        self.lines = []  # a list of items for each arrow, source to target
        self._place_rooms(table)
        for source, target in self.arrows:
            self._join(self.rooms[source], self.rooms[target])
        self.width = max([LEAST_WIDTH] + [width_of(row) for row in self.rows])
        self._spread_evenly()
        for _ in range(SWEEPS):
            self._sweep()

    def _place_rooms(self, table):
        depth = {}

        def depth_of(name):
            if name not in depth:
                inner = [other for other in table.rooms[name].includes
                         if layer_of(other) == layer_of(name)
                         and other != layer_of(name)
                         and other not in self.everyone]
                depth[name] = 1 + max(map(depth_of, inner), default=-1)
            return depth[name]

        for layer in LAYERS:
            names = [n for n in table.rooms if layer_of(n) == layer]
            names = [n for n in names if n not in self.everyone]
            if layer in names:  # api.h or main.c: above the rooms that use it
                users = [n for n, other in self.arrows
                         if other == layer and layer_of(n) == layer]
                depth[layer] = max(map(depth_of, names)) + bool(users)
            first = len(self.rows)
            levels = sorted({depth_of(n) for n in names}, reverse=True)
            for level in levels:
                row = [Item(n, len(self.rows), BOX_WIDTH)
                       for n in names if depth_of(n) == level]
                self.rows.append(row)
                for item in row:
                    self.rooms[item.name] = item
            self.bands[layer] = (first, len(self.rows) - 1)

    def _join(self, source, target):
        step = 1 if target.row > source.row else -1
        line = [source]
        for row in range(source.row + step, target.row, step):
            joint = Item(None, row, JOINT_WIDTH)
            self.rows[row].append(joint)
            line.append(joint)
        line.append(target)
        for one, other in zip(line, line[1:]):
            one.near.append(other)
            other.near.append(one)
        self.lines.append(line)

    def _spread_evenly(self):
        """The start: rooms evenly in their rows, joints on straight lines."""
        for row in self.rows:
            boxes = [item for item in row if item.name]
            for i, item in enumerate(boxes):
                item.x = self.width * (2 * i + 1) / (2 * len(boxes))
        for line in self.lines:
            source, target = line[0], line[-1]
            for joint in line[1:-1]:
                share = (joint.row - source.row) / (target.row - source.row)
                joint.x = source.x + share * (target.x - source.x)

    def _sweep(self):
        for row in self.rows:
            wish = {}
            for item in row:
                xs = [other.x for other in item.near]
                pull = CENTRE_PULL if item.name else 0
                wish[item] = (math.fsum(xs) + pull * self.width / 2) / \
                    (len(xs) + pull)
            boxes = [item for item in row if item.name]
            joints = sorted((item for item in row if not item.name),
                            key=lambda item: wish[item])
            row[:] = _ordered(boxes, joints, wish)
            _spread(row, wish, self.width)


def width_of(row):
    """The least width that holds the items of a row."""
    return (sum(item.width for item in row) + GAP * (len(row) - 1) +
            2 * MARGIN)


def _ordered(boxes, joints, wish):
    order, rest = [], list(joints)
    for box in boxes:
        while rest and wish[rest[0]] < box.x:
            order.append(rest.pop(0))
        order.append(box)
    return order + rest


def _spread(row, wish, width):
    """Gives each item the centre nearest its wish that keeps the order and the
    gaps (pool adjacent violators), inside the margins."""
    offset, offsets = 0.0, []
    for i, item in enumerate(row):
        if i:
            offset += (row[i - 1].width + item.width) / 2 + GAP
        offsets.append(offset)
    blocks = []  # [sum of wishes, count]
    for item, shift in zip(row, offsets):
        blocks.append([wish[item] - shift, 1])
        while len(blocks) > 1 and \
                blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    lowest = MARGIN + row[0].width / 2
    highest = width - MARGIN - row[-1].width / 2 - offsets[-1]
    i = 0
    for total, count in blocks:
        base = min(max(total / count, lowest), highest)
        for _ in range(count):
            row[i].x = base + offsets[i]
            i += 1
