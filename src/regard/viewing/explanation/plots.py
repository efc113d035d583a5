"""Plot: curves and points over one axis, for what a heatmap cannot show."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rich.color import Color, ColorSystem

from regard.viewing.colours import channels
from regard.viewing.drawn import Drawn, Layout
from regard.viewing.marks import Picture, Point, number, write
from regard.viewing.svg import picture
from regard.viewing.terminal import lines_of
from regard.viewing.typography import width as width_of

WIDE, HIGH, SIZE = 520.0, 270.0, 11.0
LEFT, FOOT, LEGEND = 46.0, 40.0, 22.0
INKS = {
    "light": ("#1f4e86", "#c4560f", "#2e8057", "#8a4b9c"),
    "dark": ("#8cbcf5", "#f0954f", "#6cc796", "#cf9be0"),
}
TICKS = 6
COLUMNS, ROWS = 64, 15  # of characters in the terminal, each two dots wide and four high
BRAILLE = 0x2800
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


class Drawing(Drawn):
    """Whatever a function decides for a theme: a plot, a table of positions, several side by side."""

    def __init__(self, decide: Callable[[str], Layout]) -> None:
        self.decide = decide

    def layout(self, view: str | None = None, *, theme: str = "light", **options: Any) -> Layout:
        """Decide for this theme."""
        return self.decide(theme).layout(view, **options)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Points that belong together: joined by a line, or scattered; ``quiet`` ones have no colour."""

    name: str
    points: tuple[Point, ...]
    scattered: bool = False
    dashed: bool = False
    quiet: bool = False


@dataclass(frozen=True, kw_only=True)
class Plot(Layout):
    """Curves over one axis; ``ticks`` across are chosen unless given as place and word."""

    curves: tuple[Curve, ...]
    axes: tuple[str, str]
    ticks: tuple[tuple[float, str], ...] | None = None

    def ink(self, curve: int) -> str:
        """The colour of a curve."""
        if self.curves[curve].quiet:
            return self.theme.faint
        coloured = [at for at, each in enumerate(self.curves) if not each.quiet]
        inks = INKS[self.theme.name]
        return inks[coloured.index(curve) % len(inks)]

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
    found = [at * step for at in range(first, math.floor(high / step + 1e-9) + 1)]
    return tuple((value, _rounded(value)) for value in found)


def _rounded(value: float) -> str:
    return (f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}").replace("-", "−")


@picture.register
def _picture(layout: Plot) -> Picture:
    theme, (left, right), (low, high) = layout.theme, layout.bounds(0), layout.bounds(1)
    across, down = WIDE - LEFT - 12.0, HIGH - FOOT - LEGEND

    def x(value: float) -> float:
        return LEFT + (value - left) / (right - left) * across

    def y(value: float) -> float:
        return LEGEND + (high - value) / (high - low) * down

    body = []
    for value, word in round_ticks(low, high):
        body.append(_line([(LEFT, y(value)), (LEFT + across, y(value))], theme.rule, 1.0))
        body.append(write(LEFT - 8, y(value) + 3.5, word, SIZE, theme.faint, anchor="end"))
    for value, word in layout.ticks or round_ticks(left, right):
        body.append(_line([(x(value), LEGEND + down), (x(value), LEGEND + down + 4)], theme.rule, 1.0))
        body.append(write(x(value), LEGEND + down + 16, word, SIZE, theme.faint, anchor="middle"))
    foot = LEGEND + down + 32
    body.append(write(LEFT + across, foot, f"{layout.axes[0]} →", SIZE, theme.faint, anchor="end"))
    body.append(write(LEFT - 8, 8, f"{layout.axes[1]} ↑", SIZE, theme.faint, anchor="end"))
    legend = LEFT + 10.0
    for at, curve in enumerate(layout.curves):
        ink, places = layout.ink(at), [(x(point[0]), y(point[1])) for point in curve.points]
        if curve.scattered:
            body += [_dot(place, ink) for place in [*places, (legend + 8, 4.0)]]
        else:
            dashes = ' stroke-dasharray="5 4"' if curve.dashed else ""
            body += [
                _line(points, ink, 2.0, dashes) for points in (places, [(legend, 4.0), (legend + 16, 4.0)])
            ]
        body.append(write(legend + 21, 8, curve.name, SIZE, theme.ink))
        legend += 21 + width_of(curve.name, SIZE) + 18
    return Picture(max(WIDE, legend), HIGH, "".join(body))


@lines_of.register
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
    names = [_rounded(high), *[""] * (ROWS - 2), _rounded(low)]
    lines = [
        "   ".join(
            _inked(f"{'•' if curve.scattered else '━━'} {curve.name}", layout.ink(at), colours)
            for at, curve in enumerate(layout.curves)
        )
    ]
    for name, row, ink in zip(names, dots, inks, strict=True):
        drawn = "".join(
            _inked(chr(BRAILLE + cell), colour, colours) if cell else " "
            for cell, colour in zip(row, ink, strict=True)
        )
        lines.append(f"{name:>7} ┤{drawn}")
    ends = layout.ticks or ((left, _rounded(left)), (right, _rounded(right)))
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
    system = ColorSystem.TRUECOLOR if colours == "24-bit" else ColorSystem.EIGHT_BIT
    codes = Color.from_rgb(*channels(colour)).downgrade(system).get_ansi_codes()
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m"


def _line(points: Sequence[Point], ink: str, thick: float, more: str = "") -> str:
    path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    style = f'fill="none" stroke="{ink}" stroke-width="{number(thick)}" stroke-linejoin="round"{more}'
    return f'<path d="M{path}" {style}/>\n'


def _dot(place: Point, ink: str) -> str:
    return f'<circle cx="{number(place[0])}" cy="{number(place[1])}" r="2.3" fill="{ink}"/>\n'
