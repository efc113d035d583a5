"""Plot: curves and points over one axis, for what a heatmap cannot show."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from regard.viewing.colours import channels
from regard.viewing.drawn import Drawn, Layout
from regard.viewing.svg import Picture, picture
from regard.viewing.terminal import _lines, _nearest
from regard.viewing.typography import width as width_of

WIDE, HIGH = 520.0, 270.0
LEFT, FOOT, LEGEND = 46.0, 40.0, 22.0
INKS = {
    "light": ("#1f4e86", "#c4560f", "#2e8057", "#8a4b9c"),
    "dark": ("#8cbcf5", "#f0954f", "#6cc796", "#cf9be0"),
}
TICKS = 6
COLUMNS, ROWS = 64, 15  # of characters in the terminal, each two dots wide and four high
BRAILLE = 0x2800
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))

Point = tuple[float, float]


class Drawing(Drawn):
    """Whatever a function decides for a theme: a plot, a table of positions, several side by side."""

    def __init__(self, decide: Callable[[str], Layout]) -> None:
        self.decide = decide

    def layout(self, view: str | None = None, *, theme: str = "light", **options: Any) -> Layout:
        """Decide for this theme."""
        return self.decide(theme).layout(view, **options)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Points that belong together: joined by a line, or scattered."""

    name: str
    points: tuple[Point, ...]
    scattered: bool = False
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Plot(Layout):
    """Curves over one axis; ``ticks`` across are chosen unless given as place and word."""

    curves: tuple[Curve, ...]
    axes: tuple[str, str]
    ticks: tuple[tuple[float, str], ...] | None = None

    def ink(self, curve: int) -> str:
        """The colour of a curve; scattered points are grey."""
        if self.curves[curve].scattered:
            return self.theme.faint
        lines = [at for at, each in enumerate(self.curves) if not each.scattered]
        inks = INKS[self.theme.name]
        return inks[lines.index(curve) % len(inks)]

    def bounds(self, axis: int) -> tuple[float, float]:
        """The least and the largest number on an axis, a little apart."""
        numbers = [point[axis] for curve in self.curves for point in curve.points]
        low, high = min(numbers), max(numbers)
        room = (high - low) * (0.05 if axis else 0.0) or (0.5 if low == high else 0.0)
        return low - room, high + room


def round_ticks(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """A few round numbers between two.

    >>> round_ticks(0.0, 5.0)
    ((0.0, '0'), (1.0, '1'), (2.0, '2'), (3.0, '3'), (4.0, '4'), (5.0, '5'))
    """
    raw = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    numbers = [at * step for at in range(first, math.floor(high / step + 1e-9) + 1)]
    return tuple((number, f"{number:.6g}".replace("-", "−")) for number in numbers)


@picture.register
def _picture(layout: Plot) -> Picture:
    theme, (left, right), (low, high) = layout.theme, layout.bounds(0), layout.bounds(1)
    across, down = WIDE - LEFT - 12.0, HIGH - FOOT - LEGEND

    def x(number: float) -> float:
        return LEFT + (number - left) / (right - left) * across

    def y(number: float) -> float:
        return LEGEND + (high - number) / (high - low) * down

    body = []
    for number, word in round_ticks(low, high):
        body.append(_line(LEFT, y(number), LEFT + across, y(number), theme.rule))
        body.append(_text(LEFT - 8, y(number) + 3.5, word, theme.faint, "end"))
    for number, word in layout.ticks or round_ticks(left, right):
        body.append(_line(x(number), LEGEND + down, x(number), LEGEND + down + 4, theme.rule))
        body.append(_text(x(number), LEGEND + down + 16, word, theme.faint, "middle"))
    body.append(_text(LEFT + across, LEGEND + down + 32, f"{layout.axes[0]} →", theme.faint, "end"))
    body.append(_text(LEFT - 8, 8, f"{layout.axes[1]} ↑", theme.faint, "end"))
    legend = LEFT + 10.0
    for at, curve in enumerate(layout.curves):
        ink, places = layout.ink(at), [(x(point[0]), y(point[1])) for point in curve.points]
        if curve.scattered:
            body += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.3" fill="{ink}"/>\n' for px, py in places]
            body.append(f'<circle cx="{legend + 8:.1f}" cy="4" r="2.3" fill="{ink}"/>\n')
        else:
            path = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in places)
            body += [_path(path, ink, curve.dashed), _path(f"M{legend:.1f} 4h16", ink, curve.dashed)]
        body.append(_text(legend + 21, 8, curve.name, theme.ink, "start"))
        legend += 21 + width_of(curve.name, 11.0) + 18
    return Picture(max(WIDE, legend), HIGH, "".join(body))


@_lines.register
def _characters(layout: Plot, width: int, colours: str) -> list[str]:
    """Curves in Braille: eight dots to a character."""
    columns = min(COLUMNS, max(width - 12, 10))
    (left, right), (low, high) = layout.bounds(0), layout.bounds(1)
    dots = [[0] * columns for _ in range(ROWS)]
    inks = [[layout.theme.faint] * columns for _ in range(ROWS)]
    for at, curve in enumerate(layout.curves):
        places = [
            (
                round((x - left) / (right - left) * (2 * columns - 1)),
                round((high - y) / (high - low) * (4 * ROWS - 1)),
            )
            for x, y in curve.points
        ]
        for x, y in places if curve.scattered else _joined(places):
            dots[y // 4][x // 2] |= DOTS[x % 2][y % 4]
            inks[y // 4][x // 2] = layout.ink(at)
    names = [f"{high:.3g}", *[""] * (ROWS - 2), f"{low:.3g}"]
    lines = ["  ".join(_inked("━━ " + c.name, layout.ink(i), colours) for i, c in enumerate(layout.curves))]
    for name, row, ink in zip(names, dots, inks, strict=True):
        drawn = "".join(
            _inked(chr(BRAILLE + cell), colour, colours) if cell else " "
            for cell, colour in zip(row, ink, strict=True)
        )
        lines.append(f"{name:>7} ┤{drawn}")
    ends = layout.ticks or ((left, f"{left:.3g}"), (right, f"{right:.3g}"))
    first, last = ends[0][1], ends[-1][1]
    return [*lines, f"{'':9}{first}{last:>{columns - len(first)}}  {layout.axes[0]}"]


def _joined(places: Sequence[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Every dot on the way from one place to the next."""
    yield from places[:1]
    for (x, y), (to_x, to_y) in pairwise(places):
        count = max(abs(to_x - x), abs(to_y - y), 1)
        for step in range(1, count + 1):
            yield x + round((to_x - x) * step / count), y + round((to_y - y) * step / count)


def _inked(text: str, colour: str, colours: str) -> str:
    if colours == "none":
        return text
    red, green, blue = channels(colour)
    code = f"2;{red};{green};{blue}" if colours == "24-bit" else f"5;{_nearest((red, green, blue))}"
    return f"\x1b[38;{code}m{text}\x1b[0m"


def _line(x: float, y: float, to_x: float, to_y: float, ink: str) -> str:
    return f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="{ink}" stroke-width="1"/>\n'


def _path(path: str, ink: str, dashed: bool) -> str:
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<path d="{path}" fill="none" stroke="{ink}" stroke-width="2" stroke-linejoin="round"{dashes}/>\n'


def _text(x: float, y: float, text: str, ink: str, anchor: str) -> str:
    where = f'x="{x:.1f}" y="{y:.1f}"'
    return f'<text {where} font-size="11" fill="{ink}" text-anchor="{anchor}">{escape(text)}</text>\n'
