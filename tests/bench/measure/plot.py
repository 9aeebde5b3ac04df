"""SVG pictures for light and dark pages, made without a library."""

import math
from html import escape

WIDTH, HEIGHT = 860, 480
LEFT, RIGHT, TOP, BOTTOM = 86, 208, 70, 58
LABEL_STEP = 17  # least distance of two labels, in pixels

# Program: its colours on light and dark pages. JSON lines are dashed and have
# square marks, so lines differ without colour too.
COLOURS = {
    "flipd": ("#0b5fc4", "#6db1ff"),
    "Triton": ("#2f7d32", "#7fd483"),
    "MLServer": ("#b3400b", "#ff9a5c"),
    "KServe": ("#7a3fa3", "#cf9df2"),
    "raw TCP echo": ("#4a4f55", "#c3c9d1"),
    "libmicrohttpd echo": ("#a3283f", "#ff8da1"),
    "memcpy": ("#8a8f96", "#8a919a"),
    "Triton (C backend)": ("#8a6d00", "#e3c04b"),
}


def _theme(which):
    paper, ink, grid = (("#ffffff", "#1f2328", "#d8dde3"),
                        ("#0d1117", "#e6edf3", "#2d343c"))[which]
    lines = [f".paper{{fill:{paper}}} text{{fill:{ink}}} "
             f".label{{stroke:{paper}}} .mark{{stroke:{paper}}} "
             f".grid{{stroke:{grid}}} .axis{{stroke:{ink}}}"]
    lines += [f".s{i}{{stroke:{pair[which]}}} .f{i}{{fill:{pair[which]}}}"
              for i, pair in enumerate(COLOURS.values())]
    return " ".join(lines)


def _style():
    return ("<style>text{font:13px system-ui,sans-serif} "
            ".title{font-size:17px;font-weight:600} "
            ".label{font-weight:600;stroke-width:4;paint-order:stroke;"
            "stroke-linejoin:round} .mark{stroke-width:1} "
            ".line{fill:none;stroke-width:2} .ours{stroke-width:3.6} "
            ".grid,.axis{stroke-width:1;fill:none} " + _theme(0) +
            " @media(prefers-color-scheme:dark){" + _theme(1) + "}</style>")


def _look(name):
    """Returns the number of the colour, is it JSON, is it flipd."""
    who = name.removesuffix(" binary").removesuffix(" JSON")
    return (list(COLOURS).index(who), name.endswith("JSON"), who == "flipd")


def rate_name(value):
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= unit:
            return f"{value / unit:g} {name}/s"
    return f"{value:g} B/s"


class _Log:
    """A logarithmic axis between two pixels."""

    def __init__(self, low, high, from_pixel, to_pixel):
        self.low = math.log(low)
        self.scale = (to_pixel - from_pixel) / (math.log(high) - self.low)
        self.from_pixel = from_pixel

    def __call__(self, value):
        return self.from_pixel + (math.log(value) - self.low) * self.scale


def _text(x, y, text, anchor="middle", more=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>'
            f"{escape(text)}</text>")


def _grid(x, y, xs, ys, x_name, y_name):
    out = []
    for i, value in enumerate(xs):
        out.append(f'<path class="grid" d="M{x(value):.1f} {TOP}V'
                   f'{HEIGHT - BOTTOM}"/>')
        if i % 2 == 0 or len(xs) < 8:
            out.append(_text(x(value), HEIGHT - BOTTOM + 18, x_name(value)))
    for value in ys:
        out.append(f'<path class="grid" d="M{LEFT} {y(value):.1f}H'
                   f'{WIDTH - RIGHT}"/>')
        out.append(_text(LEFT - 8, y(value) + 4, y_name(value), "end"))
    out.append(f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H'
               f'{WIDTH - RIGHT}"/>')
    return out


def _spread(wanted):
    """Moves labels apart: takes and returns {name: y}."""
    placed, last = {}, -math.inf
    for name, y in sorted(wanted.items(), key=lambda item: item[1]):
        last = placed[name] = max(y, last + LABEL_STEP)
    over = max(0, last - (HEIGHT - BOTTOM))
    return {name: y - over for name, y in placed.items()}


def _line(name, series, x, y):
    """The line, whose points all have the mark that stands before it."""
    i, json, ours = _look(name)
    points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in series)
    dashed = ' stroke-dasharray="7 4"' if json else ""
    shape = 'rect x="-3.5" y="-3.5" width="7" height="7"' if json else 'circle r="4"'
    mark = f"m{i}{'j' if json else ''}"
    marked = " ".join(f'marker-{at}="url(#{mark})"' for at in ("start", "mid", "end"))
    return [f'<marker id="{mark}" viewBox="-5 -5 10 10" markerWidth="10" '
            f'markerHeight="10" markerUnits="userSpaceOnUse"><{shape} '
            f'class="mark f{i}"/></marker>',
            f'<polyline class="line s{i}{" ours" if ours else ""}"{dashed} '
            f'{marked} points="{points}"/>']


def _labels_at(end, names, points, x, y):
    """The labels at the right end of the lines."""
    placed = _spread({name: y(points[name][-1][1]) for name in names})
    out = []
    for name in names:
        i, _, _ = _look(name)
        from_y = y(points[name][-1][1])
        out.append(f'<path class="s{i}" fill="none" d="M{x(end) + 5:.1f} '
                   f'{from_y:.1f}L{x(end) + 14:.1f} {placed[name]:.1f}"/>')
        out.append(_text(x(end) + 18, placed[name] + 4, name, "start",
                         f'class="label f{i}"'))
    return out


def _labels(points, x, y):
    out = []
    for end in sorted({series[-1][0] for series in points.values()}):
        out += _labels_at(end, [name for name, series in points.items()
                                if series[-1][0] == end], points, x, y)
    return out


def _rates(values):
    """Ticks at 1, 10, 100 ... and limits with a margin."""
    low, high = min(values) / 1.5, max(values) * 1.5
    ticks = [10.0 ** e for e in range(math.ceil(math.log10(low)),
                                      math.floor(math.log10(high)) + 1)]
    return low, high, ticks


def write(path, points, title, subtitle, x_label, x_name):
    """Draws {name: [(x, bytes a second), ...]} on two logarithmic axes."""
    points = {name: series for name, series in points.items() if series}
    xs = sorted({a for series in points.values() for a, _ in series})
    low, high, ys = _rates([b for s in points.values() for _, b in s])
    x = _Log(xs[0], xs[-1], LEFT + 14, WIDTH - RIGHT)
    y = _Log(low, high, HEIGHT - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
           f'{HEIGHT}" role="img">', f"<title>{escape(title)}</title>",
           _style(), f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
           _text(LEFT, 28, title, "start", 'class="title"'),
           _text(LEFT, 50, subtitle, "start"),
           _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_label)]
    out += _grid(x, y, xs, ys, x_name, rate_name)
    # flipd last, so drawn above the others.
    for name in sorted(points, key=lambda name: _look(name)[2]):
        out += _line(name, points[name], x, y)
    out += _labels(points, x, y)
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n</svg>\n")
