"""The few marks a drawing is made of, as SVG: letters, cells, curves, a colour bar."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from regard.viewing.colours import STEPS, Theme
from regard.viewing.heatmap import Scale
from regard.viewing.typography import east_asian, visible, width

Point = tuple[float, float]

FAMILY = (
    "Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'Noto Sans', 'DejaVu Sans', sans-serif"
)
# One character has different shapes in Chinese, Japanese and Korean: the face must be of the language.
FAMILIES = {
    "Chinese": "'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans SC', 'Source Han Sans SC', "
    "'WenQuanYi Micro Hei', SimHei, sans-serif",
    "Japanese": "'Hiragino Sans', 'Yu Gothic', 'Noto Sans CJK JP', 'Noto Sans JP', sans-serif",
    "Korean": "'Apple SD Gothic Neo', 'Malgun Gothic', 'Noto Sans CJK KR', 'Noto Sans KR', sans-serif",
}
SEAM = 0.3  # cells without air between them overlap a little, or a hairline shows
BAR = 9.0


@dataclass(frozen=True)
class Picture:
    """A drawing without its frame: how large it is and what is in it."""

    width: float
    height: float
    body: str


def write(
    x: float,
    y: float,
    text: str,
    size: float,
    ink: str,
    *,
    anchor: str = "start",
    weight: int = 400,
    turn: int = 0,
    full: str = "",
) -> str:
    """Letters on a line that begins, ends or has its middle at x; in full where the mouse rests."""
    at = f"{number(x)} {number(y)}"
    where = f'transform="translate({at}) rotate({turn})"' if turn else f'x="{number(x)}" y="{number(y)}"'
    style = "" if anchor == "start" else f' text-anchor="{anchor}"'
    style += "" if weight == 400 else f' font-weight="{weight}"'
    if language := east_asian(text):
        style += f' font-family="{FAMILIES[language]}"'
    hint = f"<title>{escape(full)}</title>" if full and full != text else ""
    shown = escape(visible(text))
    return f'<text {where} font-size="{number(size)}" fill="{ink}"{style}>{hint}{shown}</text>\n'


def draw_curve(
    start: Point, bend: Point, unbend: Point, end: Point, *, colour: str, thick: float, opacity: float
) -> str:
    """A curve that leaves its start towards one point and comes to its end from another."""
    places = "M{} {}C{} {} {} {} {} {}".format(*map(number, (*start, *bend, *unbend, *end)))
    style = f'fill="none" stroke="{colour}" stroke-width="{number(thick)}" stroke-opacity="{opacity}"'
    return f'<path d="{places}" {style}/>\n'


def moved(body: str, x: float, y: float) -> str:
    """A drawing put elsewhere."""
    return f'<g transform="translate({number(x)} {number(y)})">\n{body}</g>\n'


def fill_cells(
    values: Sequence[Sequence[float | None]],
    scale: Scale,
    ramp: Sequence[str],
    theme: Theme,
    cell: tuple[float, float],
) -> str:
    """One path for each colour, neighbours of one colour joined: thousands of cells stay light."""
    wide, high = cell
    air = 1.0 if min(cell) >= 9 else -SEAM
    paths: dict[str, list[str]] = defaultdict(list)
    down = number(high - air)
    lefts = [number(column * wide) for column in range(max(map(len, values)) + 1)]
    for row, numbers in enumerate(values):
        colours = [theme.masked if value is None else ramp[scale.step(value)] for value in numbers]
        y = number(row * high)
        start = 0
        for column in range(1, len(colours) + 1):
            if column < len(colours) and air < 0 and colours[column] == colours[start]:
                continue
            across = number((column - start) * wide - air)
            paths[colours[start]].append(f"M{lefts[start]} {y}h{across}v{down}h-{across}z")
            start = column
    shapes = "".join(f'<path fill="{colour}" d="{"".join(paths[colour])}"/>\n' for colour in sorted(paths))
    return f'<g shape-rendering="crispEdges">\n{shapes}</g>\n'


def colour_bar(scale: Scale, ramp: Sequence[str], theme: Theme, high: float, *, masked: str) -> Picture:
    """The colours and the numbers they stand for, then the grey of what is masked, if it has a name.

    Each step of the colours reaches to the foot, so none leaves a seam.
    """
    steps = 64
    body = ['<g shape-rendering="crispEdges">\n']
    for step in range(steps):
        y = high * step / steps
        colour = ramp[round((STEPS - 1) * (1 - (step + 0.5) / steps))]
        body.append(_rect(y, high - y, colour))
    body.append("</g>\n")
    ticks = scale.ticks()
    for value, written in ticks:
        y = high * (1 - (value - scale.low) / (scale.high - scale.low))
        body.append(write(BAR + 6, min(max(y + 3.4, 7.0), high), written, 10.0, theme.faint))
    wide = BAR + 6 + max(width(written, 10.0) for _, written in ticks)
    if masked:
        body.append(_rect(high + 12, BAR, theme.masked))
        body.append(write(BAR + 6, high + 20, masked, 10.0, theme.faint))
        wide, high = max(wide, BAR + 6 + width(masked, 10.0)), high + 24.0
    return Picture(wide, high, "".join(body))


def number(value: float) -> str:
    """A number with two digits at most, written one way only."""
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def _rect(y: float, high: float, colour: str) -> str:
    return f'<rect y="{number(y)}" width="{number(BAR)}" height="{number(high)}" fill="{colour}"/>\n'
