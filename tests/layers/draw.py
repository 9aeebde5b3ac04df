"""Draws the table of rooms as an SVG."""
from xml.sax.saxutils import escape

from layout import BOX_WIDTH, LAYERS, MARGIN, Layout, layer_of

BOX_HEIGHT = 48
ROW_GAP = 30
BAND_TOP = 34
BAND_BOTTOM = 14
BAND_GAP = 26
BAR_HEIGHT = 30
LINE_CHARS = 22
FILES = {"api": "api.h", "server": "main.c"}
SHOWN = ("jansson", "microhttpd", "openssl", "uv", "zlib")  # of the libraries
TITLES = {"server": "the process: sockets, threads, limits",
          "api": "the contract: request bytes in, answer bytes out",
          "kernels": "what an operator is, and how elements move"}
STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
.layer { font-size: 15px; font-weight: 600; }
.title, .note { font-size: 12px; font-weight: 400; fill: #59636e; }
.room { font-size: 13px; font-weight: 600; text-anchor: middle; }
.purpose { font-size: 10.5px; text-anchor: middle; fill: #424a53; }
.bar { font-size: 11px; font-weight: 400; fill: #424a53; }
.library { font-size: 10px; font-style: italic; fill: #59636e; text-anchor: middle; }
.box { stroke-width: 1.2; fill: #ffffff; }
.server { stroke: #b08a3c; } .api { stroke: #4a86c5; } .kernels { stroke: #4f9a63; }
.layer { stroke-width: 6; paint-order: stroke; }
.band { stroke: none; }
.band.server { fill: #fbf4e4; } .band.api { fill: #eaf3fc; } .band.kernels { fill: #eaf6ed; }
.layer.server { stroke: #fbf4e4; } .layer.api { stroke: #eaf3fc; } .layer.kernels { stroke: #eaf6ed; }
.arrow { fill: none; stroke: #7d8590; stroke-width: 1.3; marker-end: url(#head); }
#head path { fill: #7d8590; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.title, .note, .library { fill: #9198a1; }
.purpose, .bar { fill: #c3cad2; }
.box { fill: #161b22; }
.band.server { fill: #2a2314; } .band.api { fill: #13233a; } .band.kernels { fill: #13291a; }
.layer.server { stroke: #2a2314; } .layer.api { stroke: #13233a; } .layer.kernels { stroke: #13291a; }
.arrow { stroke: #8b949e; }
#head path { fill: #8b949e; }
}"""


def wrapped(text):
    """At most two lines."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > LINE_CHARS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


class Picture:
    def __init__(self, table):
        self.table = table
        self.layout = Layout(table)
        self.width = self.layout.width
        self.top = {}  # of each row
        self.bars = {}  # the top of each room that all others may include
        self.band = {}  # top and bottom of each layer
        y = 4
        for layer in LAYERS:
            first, last = self.layout.bands[layer]
            start, y = y, y + BAND_TOP
            for row in range(first, last + 1):
                self.top[row] = y
                y += BOX_HEIGHT + (ROW_GAP if row < last else BAND_BOTTOM)
            for name in self.layout.everyone:
                if layer_of(name) == layer:
                    self.bars[name] = y
                    y += BAR_HEIGHT + BAND_BOTTOM
            self.band[layer] = (start, y)
            y += BAND_GAP
        self.height = y + 14
        self.ports = self._ports()

    def _ports(self):
        """{(line, end): x} so that the arrows of one side of a room stand apart."""
        sides = {}
        for n, line in enumerate(self.layout.lines):
            down = line[1].row > line[0].row
            sides.setdefault((line[0].name, down), []).append((line[1].x, n, 0))
            sides.setdefault((line[-1].name, not down), []).append(
                (line[-2].x, n, 1))
        ports = {}
        for (name, _), ends in sides.items():
            ends.sort()
            step = min(22, (BOX_WIDTH - 24) / len(ends))
            for i, (_, n, end) in enumerate(ends):
                ports[n, end] = (self.layout.rooms[name].x +
                                 step * (i - (len(ends) - 1) / 2))
        return ports

    def _arrow(self, n, line):
        down = line[1].row > line[0].row
        near, far = (BOX_HEIGHT, 0) if down else (0, BOX_HEIGHT)
        points = [(self.ports[n, 0], self.top[line[0].row] + near)]
        for joint in line[1:-1]:
            y = self.top[joint.row]
            points += [(joint.x, y + far), (joint.x, y + near)]
        points.append((self.ports[n, 1], self.top[line[-1].row] + far +
                       (-5 if down else 5)))
        path = f"M{points[0][0]:.0f},{points[0][1]:.0f}"
        for i in range(0, len(points) - 1):
            (x, y), (u, v) = points[i], points[i + 1]
            if i % 2:
                path += f" L{u:.0f},{v:.0f}"
            else:
                half = (v - y) / 2
                path += (f" C{x:.0f},{y + half:.0f} {u:.0f},{v - half:.0f} "
                         f"{u:.0f},{v:.0f}")
        return f'<path class="arrow" d="{path}"/>'

    def _room(self, item):
        room = self.table.rooms[item.name]
        layer, _, name = item.name.partition("/")
        left, top = item.x - BOX_WIDTH / 2, self.top[item.row]
        yield (f'<rect class="box {layer}" x="{left:.0f}" y="{top}" rx="6" '
               f'width="{BOX_WIDTH}" height="{BOX_HEIGHT}"/>')
        yield (f'<text class="room" x="{item.x:.0f}" y="{top + 16}">'
               f'{escape(name or FILES[layer])}</text>')
        lines = [("purpose", line) for line in wrapped(room.purpose)]
        shown = [name for name in SHOWN if name in room.libraries]
        if shown:
            lines.append(("library", ", ".join(shown)))
        if len(lines) > 2:
            raise SystemExit(f"rooms.txt, {room.name}: the purpose is too long "
                             "for its box")
        for i, (kind, line) in enumerate(lines):
            yield (f'<text class="{kind}" x="{item.x:.0f}" '
                   f'y="{top + 30 + 12 * i}">{escape(line)}</text>')

    def _bar(self, name, top):
        layer, _, short = name.partition("/")
        yield (f'<rect class="box {layer}" x="{MARGIN}" y="{top}" rx="6" '
               f'width="{self.width - 2 * MARGIN}" height="{BAR_HEIGHT}"/>')
        yield (f'<text class="room" x="{self.width / 2:.0f}" y="{top + 19}">{short} '
               f'<tspan class="bar" dx="6">'
               f'{escape(self.table.rooms[name].purpose)}</tspan></text>')

    def svg(self):
        yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
               f'height="{self.height}" viewBox="0 0 {self.width} {self.height}">')
        yield "<!-- Drawn by tests/check_layers.sh from rooms.txt. -->"
        yield f"<style>{STYLE}\n</style>"
        yield ('<defs><marker id="head" viewBox="0 0 8 8" refX="3" refY="4" '
               'markerWidth="7" markerHeight="7" orient="auto">'
               '<path d="M0,0.5 L8,4 L0,7.5 z"/></marker></defs>')
        for layer, (top, bottom) in self.band.items():
            yield (f'<rect class="band {layer}" x="4" y="{top}" rx="10" '
                   f'width="{self.width - 8}" height="{bottom - top}"/>')
        for n, line in enumerate(self.layout.lines):
            yield self._arrow(n, line)
        for layer, (top, _) in self.band.items():
            yield (f'<text class="layer {layer}" x="18" y="{top + 22}">{layer}/ '
                   f'<tspan class="title" dx="6">{TITLES[layer]}</tspan></text>')
        for item in self.layout.rooms.values():
            yield from self._room(item)
        for name, top in self.bars.items():
            yield from self._bar(name, top)
        everyone = " and ".join(sorted(self.layout.everyone))
        yield (f'<text class="note" x="18" y="{self.height - 12}">An arrow: may '
               f'include. Left out: arrows that follow from others, and those to '
               f'{everyone}, which every room may include.</text>')
        yield "</svg>"


def draw(table):
    return "\n".join(Picture(table).svg()) + "\n"
