"""Pictures as SVG, from the standard library, for light and dark pages."""

import math
from html import escape

WIDTH, HEIGHT = 860, 480
LEFT, RIGHT, TOP, BOTTOM = 86, 180, 64, 58
LABEL_STEP = 17  # least distance of two labels, in pixels

# Each a colour for light and one for dark, a dash and a marker: the series
# differ without colour too.
STYLES = (
    ("#0b5fc4", "#6db1ff", "", "circle"),
    ("#b3400b", "#ff9a5c", "", "square"),
    ("#5a5f66", "#b4bac2", "6 4", "circle"),
    ("#8a8f96", "#8a919a", "2 4", "square"),
    ("#2f7d32", "#7fd483", "8 3 2 3", "circle"),
    ("#7a3fa3", "#cf9df2", "4 2", "square"),
    ("#a3283f", "#ff8da1", "1 3", "circle"),
    ("#0f7b80", "#5fd0d5", "10 4", "square"),
)


def _style():
    def theme(which):
        paper, ink, grid = (("#ffffff", "#1f2328", "#d8dde3"),
                            ("#0d1117", "#e6edf3", "#2d343c"))[which]
        lines = [f".paper{{fill:{paper}}} text{{fill:{ink}}} "
                 f".grid{{stroke:{grid}}} .axis{{stroke:{ink}}}"]
        lines += [f".s{i}{{stroke:{style[which]}}} .f{i}{{fill:{style[which]}}}"
                  for i, style in enumerate(STYLES)]
        return " ".join(lines)

    return ("<style>text{font:13px system-ui,sans-serif} "
            ".title{font-size:17px;font-weight:600} "
            ".line{fill:none;stroke-width:2.2} "
            ".grid,.axis{stroke-width:1;fill:none} " + theme(0) +
            " @media(prefers-color-scheme:dark){" + theme(1) + "}</style>")


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


def _marker(shape, x, y, i):
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" class="f{i}"/>'
    return (f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" '
            f'class="f{i}"/>')


def _grid(x, y, xs, ys, x_name, y_name):
    out = []
    for value in xs:
        out.append(f'<path class="grid" d="M{x(value):.1f} {TOP}V'
                   f'{HEIGHT - BOTTOM}"/>')
        out.append(_text(x(value), HEIGHT - BOTTOM + 18, x_name(value)))
    for value in ys:
        out.append(f'<path class="grid" d="M{LEFT} {y(value):.1f}H'
                   f'{WIDTH - RIGHT}"/>')
        out.append(_text(LEFT - 8, y(value) + 4, y_name(value), "end"))
    out.append(f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H'
               f'{WIDTH - RIGHT}"/>')
    return out


def _spread(wanted):
    """Moves label heights apart, {name: y} in and out."""
    placed, last = {}, -math.inf
    for name, y in sorted(wanted.items(), key=lambda item: item[1]):
        last = placed[name] = max(y, last + LABEL_STEP)
    over = max(0, last - (HEIGHT - BOTTOM))
    return {name: y - over for name, y in placed.items()}


def _line(series, x, y, i):
    _, _, dash, shape = STYLES[i % len(STYLES)]
    points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in series)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return [f'<polyline class="line s{i}"{dashed} points="{points}"/>'] + [
        _marker(shape, x(a), y(b), i) for a, b in series]


def _labels(points, x, y):
    wanted = {name: y(series[-1][1]) for name, series in points.items()}
    placed = _spread(wanted)
    out = []
    for i, (name, series) in enumerate(points.items()):
        from_x, to_x = x(series[-1][0]), WIDTH - RIGHT + 14
        i %= len(STYLES)
        out.append(f'<path class="s{i}" fill="none" stroke-width="1" '
                   f'opacity="0.6" d="M{from_x:.1f} {wanted[name]:.1f}L'
                   f'{to_x:.1f} {placed[name]:.1f}"/>')
        out.append(_text(to_x + 4, placed[name] + 4, name, "start",
                         f'class="f{i}" style="font-weight:600"'))
    return out


def _decades(low, high):
    return [10.0 ** e for e in range(math.floor(math.log10(low)),
                                     math.ceil(math.log10(high)) + 1)]


def write(path, points, title, subtitle, x_label, y_label, x_name,
          y_name=rate_name):
    """Draws {name: [(x, y), ...]} on two logarithmic axes."""
    xs = sorted({a for series in points.values() for a, _ in series})
    values = [b for series in points.values() for _, b in series]
    ys = _decades(min(values), max(values))
    x = _Log(xs[0], xs[-1], LEFT + 12, WIDTH - RIGHT)
    y = _Log(ys[0], ys[-1], HEIGHT - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
           f'{HEIGHT}" role="img">', f"<title>{escape(title)}</title>",
           _style(), f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
           _text(LEFT, 26, title, "start", 'class="title"'),
           _text(LEFT, 46, f"{y_label}; {subtitle}", "start"),
           _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_label)]
    out += _grid(x, y, xs, ys, x_name, y_name)
    for i, series in enumerate(points.values()):
        out += _line(series, x, y, i % len(STYLES))
    out += _labels(points, x, y)
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n</svg>\n")
