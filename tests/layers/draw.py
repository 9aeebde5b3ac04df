"""Draws the table of rooms as a block of Mermaid, which GitHub shows as a picture."""

LAYERS = ("server", "api", "kernels")  # top to bottom
IN_A_ROW = 6
BEGIN, END = "```mermaid\n", "```\n"


def layer_of(name):
    return name.split("/")[0]


def reduced_arrows(table):
    """{room: rooms} without the arrows that follow from others, and without those to
    rooms that every room may include."""
    rooms = table.rooms
    below = {}

    def reach(name):
        if name not in below:
            below[name] = set()
            for other in rooms[name].includes:
                below[name] |= {other} | reach(other)
        return below[name]

    arrows = {}
    for room in rooms.values():
        indirect = set().union(*(reach(other) for other in room.includes))
        direct = set(room.includes) - indirect - set(table.every.includes)
        arrows[room.name] = [other for other in rooms if other in direct]
    return arrows


def lines(table):
    yield "flowchart TD"
    for layer in LAYERS:
        names = [name for name in table.rooms if layer_of(name) == layer]
        yield f'  subgraph {layer}_layer ["{layer}/"]'
        for at in range(0, len(names), IN_A_ROW):
            yield f"    {' & '.join(names[at:at + IN_A_ROW])}"
        yield "  end"
    for name, others in reduced_arrows(table).items():
        if others:
            yield f"  {name} --> {' & '.join(others)}"


def draw(table, page):
    """The page with the picture of the table in the place of its block."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "\n".join(lines(table)) + "\n" + END + rest.partition(END)[2]
