"""Arithmetic: one query, a line for each key, and what comes out, number by number.

A vector is a strip of colours, one cell for each number, and its first few numbers.
Blue asks, red is compared, green is brought back, violet is what comes out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from regard.viewing.drawn import Layout
from regard.viewing.heatmap import Label, Scale
from regard.viewing.marks import Picture, fill_cells, moved, number, write
from regard.viewing.svg import picture
from regard.viewing.terminal import lines_of
from regard.viewing.typography import width

SIZE = 11.5
SMALL = 10.0
ROW = 21.0
CELL = (4.0, 11.0)
STRIP = 160.0
"""The longest strip; the cells of wider vectors are narrower."""
APART = 18.0
BOLD, DIGITS = 1.16, 1.08
"""How much wider than their letters' mean bold letters are, and figures with signs between them."""
BAR = 54.0
ROLES = {
    "light": {"query": "#1f5fae", "key": "#b3372f", "value": "#2c7a3f", "out": "#7a3fa0"},
    "dark": {"query": "#7fb2f0", "key": "#f0918a", "value": "#86cf97", "out": "#cba0ea"},
}

Vector = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One key: its vector, the numbers of each step, its weight, and its value."""

    label: Label
    key: Vector
    numbers: tuple[float, ...]
    weight: float
    value: Vector
    masked: bool


@dataclass(frozen=True, kw_only=True)
class Result:
    """A vector that comes out, and what it is called."""

    name: str
    vector: Vector
    difference: float | None = None
    """How far it lies at most from what was worked out, if it is the model's own."""

    @property
    def note(self) -> str:
        """What is said of the difference."""
        return (
            "" if self.difference is None else f"largest difference {self.difference:.0e}".replace("-", "−")
        )


@dataclass(frozen=True, kw_only=True)
class Arithmetic(Layout):
    """A query, a line for each key, and what comes out."""

    query: Label
    query_vector: Vector
    steps: tuple[str, ...]
    """What the numbers of a line are, in order."""
    lines: tuple[Line, ...]
    results: tuple[Result, ...]
    written: int
    """How many numbers of a vector are written out."""
    scale: Scale
    """Of the colours in which whole vectors are drawn."""

    @property
    def difference(self) -> float | None:
        """The largest between what is worked out here and what the model went on with, if that is known."""
        known = [result.difference for result in self.results if result.difference is not None]
        return max(known, default=None)


@picture.register
def _picture(layout: Arithmetic) -> Picture:
    theme, roles = layout.theme, ROLES[layout.theme.name]
    keyed = any(line.key for line in layout.lines)
    valued = any(line.value for line in layout.lines)
    names = ["q", *(result.name for result in layout.results)]
    left = max(
        *(width(name, SIZE) * BOLD for name in names),
        *(width(line.label.shown, SIZE) for line in layout.lines),
    )
    first = left + APART
    strip = _strip_width(layout, [line.key for line in layout.lines] + [layout.query_vector])
    after_keys = first + (strip + APART if keyed else 0.0)
    columns = [max(width(step, SMALL), 46.0) for step in layout.steps]
    places = [after_keys + sum(columns[: at + 1]) + APART * at for at in range(len(columns))]
    weight_at = places[-1] + APART
    value_at = weight_at + BAR + 44.0 + APART
    body: list[str] = []

    def vector(x: float, y: float, numbers: Vector, ink: str) -> None:
        body.append(moved(_strip(layout, numbers), x, y - 9.0))
        written = _written(numbers, layout.written)
        body.append(write(x + min(len(numbers) * CELL[0], STRIP) + 7, y, written, SMALL, ink))

    y = ROW * 0.75
    if layout.query_vector:
        body.append(write(first, y, "q, the query", SMALL, roles["query"], weight=600))
        y += ROW
        body.append(write(left, y, layout.query.shown, SIZE, theme.ink, anchor="end", full=layout.query.full))
        vector(first, y, layout.query_vector, roles["query"])
        y += ROW * 1.4
    heads = [(first, "k, the keys", roles["key"])] if keyed else []
    heads += [(value_at, "v, the values", roles["value"])] if valued else []
    for x, name, ink in heads:
        body.append(write(x, y, name, SMALL, ink, weight=600))
    for place, step in zip(places, layout.steps, strict=True):
        body.append(write(place, y, step, SMALL, theme.faint, anchor="end"))
    body.append(write(weight_at, y, "weight", SMALL, theme.faint))
    wide = value_at + (_strip_width(layout, [line.value for line in layout.lines]) if valued else 0.0)
    body.append(_rule(y + 7.0, wide, theme.rule))
    for line in layout.lines:
        y += ROW
        ink = theme.faint if line.masked else theme.ink
        body.append(write(left, y + 2, line.label.shown, SIZE, ink, anchor="end", full=line.label.full))
        if keyed:
            vector(first, y + 2, line.key, ink)
        for place, value in zip(places, line.numbers, strict=True):
            body.append(write(place, y + 2, _number(value, masked=line.masked), SIZE, ink, anchor="end"))
        body.append(_bar(weight_at, y - 7.0, line.weight, layout))
        said = "masked" if line.masked else f"{line.weight:.3f}"
        body.append(write(weight_at + BAR + 8, y + 2, said, SIZE, ink, weight=400 if line.masked else 600))
        if valued:
            vector(value_at, y + 2, line.value, ink)
    body.append(_rule(y + 11.0, wide, theme.rule))
    y += 8.0
    for result in layout.results:
        y += ROW
        ink = roles["out"] if result.difference is None else theme.ink
        body.append(write(left, y + 2, result.name, SIZE, ink, anchor="end", weight=600))
        vector(first, y + 2, result.vector, ink)
        if result.note:
            x = first + _strip_width(layout, [result.vector]) + 10
            body.append(write(x, y + 2, result.note, SMALL, theme.faint))
            wide = max(wide, x + width(result.note, SMALL))
    return Picture(wide, y + 8.0, "".join(body))


@lines_of.register
def _characters(layout: Arithmetic, width: int, colours: str) -> list[str]:
    vectors = any(line.key for line in layout.lines)
    stub = max(cell_len(name) for name in ["q", *(line.label.shown for line in layout.lines)])
    rows: list[list[str]] = [["", *layout.steps, "weight", *(["value"] if layout.results else [])]]
    for line in layout.lines:
        numbers = [_number(value, masked=line.masked) for value in line.numbers]
        said = "masked" if line.masked else f"{line.weight:.3f}"
        value = [_written(line.value, layout.written)] if layout.results else []
        rows.append([line.label.shown, *numbers, said, *value])
    lines = ["", f"{layout.query.shown:<{stub}}  q = {_written(layout.query_vector, layout.written)}"]
    lines = lines if vectors else [""]
    widths = [max(cell_len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines.append("")
    for row in rows:
        cells = [
            _aligned(cell, widths[at], left=at in (0, len(layout.steps) + 2)) for at, cell in enumerate(row)
        ]
        lines.append("  ".join(cells))
    if layout.results:
        lines.append("")
    named = max((cell_len(result.name) for result in layout.results), default=0)
    for result in layout.results:
        told = f"   {result.note}" if result.note else ""
        lines.append(
            f"{_aligned(result.name, named, left=True)}  {_written(result.vector, layout.written)}{told}"
        )
    return lines


def _strip(layout: Arithmetic, numbers: Vector) -> str:
    if not numbers:
        return ""
    cell = min(CELL[0], STRIP / len(numbers))
    return fill_cells([numbers], layout.scale, layout.theme.signed_ramp(), layout.theme, (cell, CELL[1]))


def _strip_width(layout: Arithmetic, vectors: Sequence[Vector]) -> float:
    """How much room the strip of a vector and its written numbers take."""
    strips = (min(len(numbers) * CELL[0], STRIP) for numbers in vectors)
    written = (width(_written(numbers, layout.written), SMALL) * DIGITS for numbers in vectors)
    return max(strips, default=0.0) + 7.0 + max(written, default=0.0)


def _bar(x: float, y: float, weight: float, layout: Arithmetic) -> str:
    ramp = layout.theme.weight_ramp()
    colour = ramp[round((0.35 + 0.5 * min(weight, 1.0)) * (len(ramp) - 1))]
    place = f'x="{number(x)}" y="{number(y)}" height="{number(CELL[1])}"'
    ground = f'<rect {place} width="{number(BAR)}" fill="{layout.theme.rule}" fill-opacity="0.45"/>\n'
    return ground + f'<rect {place} width="{number(BAR * min(weight, 1.0))}" fill="{colour}"/>\n'


def _rule(y: float, wide: float, colour: str) -> str:
    return f'<path d="M0 {number(y)}H{number(wide)}" stroke="{colour}" fill="none"/>\n'


def _written(numbers: Vector, count: int) -> str:
    """The first few numbers of a vector.

    >>> _written((0.5, -1.25, 3.0), 2), _written((0.5,), 2)
    ('0.50 −1.25 …', '0.50')
    """
    shown = " ".join(f"{value:.2f}".replace("-", "−") for value in numbers[:count])
    return shown if len(numbers) <= count else f"{shown} …".lstrip()


def _number(value: float, *, masked: bool) -> str:
    return "·" if masked else f"{value:.3f}".replace("-", "−")


def _aligned(text: str, cells: int, *, left: bool) -> str:
    pad = " " * (cells - cell_len(text))
    return text + pad if left else pad + text
