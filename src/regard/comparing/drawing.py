"""Growth: lines over logarithmic axes, on which a power of the length is a straight line."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from regard.viewing.drawn import Layout
from regard.viewing.explanation.plots import INKS
from regard.viewing.marks import Picture, number, write
from regard.viewing.svg import picture
from regard.viewing.terminal import lines_of
from regard.viewing.typography import width

ACROSS, DOWN, SIZE = 250.0, 200.0, 11.0
TOP, FOOT = 10.0, 34.0
APART = 13.0
"""How near two names may stand."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """What one of those compared took for each length."""

    name: str
    note: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True, kw_only=True)
class Growth(Layout):
    """Lines, each named where it ends."""

    lines: tuple[Line, ...]
    across: str
    spelled: Callable[[float], str]
    rung: int
    """How many times larger each number on the left is than the one below it."""


@picture.register
def _picture(layout: Growth) -> Picture:
    theme, inks = layout.theme, INKS[layout.theme.name]
    lengths = [length for length, _ in layout.lines[0].points]
    values = [value for line in layout.lines for _, value in line.points]
    rungs = _rungs(min(values), max(values), layout.rung)
    low, high = math.log(rungs[0]), math.log(rungs[-1])
    left = max(width(layout.spelled(rung), SIZE) for rung in rungs) + 8.0

    def x(length: float) -> float:
        return left + math.log(length / lengths[0]) / math.log(lengths[-1] / lengths[0]) * ACROSS

    def y(value: float) -> float:
        return TOP + (high - math.log(value)) / (high - low) * DOWN

    body = []
    for rung in rungs:
        body.append(_path([(left, y(rung)), (left + ACROSS, y(rung))], theme.rule, 1.0))
        body.append(write(left - 7, y(rung) + 3.5, layout.spelled(rung), SIZE, theme.faint, anchor="end"))
    for length in lengths:
        body.append(write(x(length), TOP + DOWN + 17, str(length), SIZE, theme.faint, anchor="middle"))
    body.append(write(left + ACROSS, TOP + DOWN + 32, f"{layout.across} →", SIZE, theme.faint, anchor="end"))
    broad, lowest = 0.0, math.inf
    ends = sorted(enumerate(layout.lines), key=lambda item: item[1].points[-1][1])
    for at, line in ends:
        ink = inks[at % len(inks)]
        dashes = ' stroke-dasharray="5 3"' if at >= len(inks) else ""
        places = [(x(length), y(value)) for length, value in line.points]
        body.append(_path(places, ink, 2.0, dashes))
        body += [f'<circle cx="{number(a)}" cy="{number(b)}" r="2.6" fill="{ink}"/>\n' for a, b in places]
        lowest = min(places[-1][1], lowest - APART)  # names climb where lines end beside each other
        told = f"{line.name} {line.note}".rstrip()
        body.append(write(left + ACROSS + 9, lowest + 3.5, told, SIZE, ink, weight=600))
        broad = max(broad, width(told, SIZE) * 1.08)
    return Picture(left + ACROSS + 9 + broad, TOP + DOWN + FOOT, "".join(body))


@lines_of.register
def _characters(layout: Growth, width: int, colours: str) -> list[str]:
    stub = max(len(line.name) for line in layout.lines)
    return [
        f"{line.name:<{stub}}  "
        + "   ".join(f"{length}: {layout.spelled(value)}" for length, value in line.points)
        for line in layout.lines
    ]


def _rungs(low: float, high: float, step: int) -> list[float]:
    """Powers that hold all values between them.

    >>> _rungs(0.003, 0.2, 10), _rungs(1, 33, 4), _rungs(1, 1, 2)
    ([0.001, 0.01, 0.1, 1.0], [1.0, 4.0, 16.0, 64.0], [1.0, 2.0])
    """
    first = math.floor(math.log(low, step) + 1e-9)
    last = max(math.ceil(math.log(high, step) - 1e-9), first + 1)
    return [float(step) ** power for power in range(first, last + 1)]


def _path(points: list[tuple[float, float]], ink: str, thick: float, more: str = "") -> str:
    places = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path d="M{places}" fill="none" stroke="{ink}" stroke-width="{number(thick)}"{more}/>\n'
