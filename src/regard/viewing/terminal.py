"""From layout to the terminal: 24-bit colour, 256 colours, or plain characters.

Plain is what a file, a pipe, ``NO_COLOR`` or a dumb terminal gets: numbers where they fit,
shades where they do not. Chinese stands two columns wide and is counted so.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import TextIO

from rich.cells import cell_len

from regard.errors import RegardError
from regard.viewing.colours import channels, ink_on, of_256
from regard.viewing.drawn import Facets, Layout
from regard.viewing.film import Film
from regard.viewing.flow import Flow
from regard.viewing.grid import Grid, Strip, Thumbnail
from regard.viewing.heatmap import Heatmap, Label, Scale

SHADES = " ░▒▓█"
MASKED = "·"
NARROWEST_NUMBER = 5
LONGEST_ROW_LABEL = 24
COLOURS = ("none", "256", "24-bit")


def write(layout: Layout, stream: TextIO) -> None:
    """Print a layout as well as the stream can show it."""
    colours = colours_of_terminal(os.environ, is_terminal=stream.isatty())
    text = render(layout, width=shutil.get_terminal_size((100, 24)).columns, colours=colours)
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def colours_of_terminal(environment: Mapping[str, str], *, is_terminal: bool) -> str:
    """How many colours there are: NO_COLOR, a pipe and a dumb terminal have none.

    >>> colours_of_terminal({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, is_terminal=True)
    '24-bit'
    >>> colours_of_terminal({"TERM": "xterm-256color", "NO_COLOR": "1"}, is_terminal=True)
    'none'
    """
    name = environment.get("TERM", "")
    if environment.get("NO_COLOR") or not is_terminal or name == "dumb":
        return "none"
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "24-bit"
    return "256" if "256" in name or name.startswith(("xterm", "screen", "tmux")) else "none"


def theme_of_terminal() -> str:
    """Dark, unless the terminal says its ground is light."""
    ground = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if ground in ("7", "15") else "dark"


def render(layout: Layout, *, width: int, colours: str = "none") -> str:
    """A layout as lines of text, none wider than ``width`` if it can be helped."""
    if colours not in COLOURS:
        raise RegardError(f"colours must be one of {', '.join(map(repr, COLOURS))}, but got {colours!r}.")
    heading = [line for line in (layout.title, *layout.notes) if line]
    return "\n".join([*heading, *(line.rstrip() for line in lines_of(layout, max(width, 20), colours))])


@singledispatch
def lines_of(layout: Layout, width: int, colours: str) -> list[str]:
    """What is below the title, a string for each line; a new kind of layout registers its own."""
    raise NotImplementedError(type(layout).__name__)


@lines_of.register
def _facets(layout: Facets, width: int, colours: str) -> list[str]:
    return [
        line
        for panel in layout.panels
        for line in ("", *render(panel, width=width, colours=colours).split("\n"))
    ]


@lines_of.register
def _heatmap(layout: Heatmap, width: int, colours: str) -> list[str]:
    if layout.scale.signed or None in layout.rows or None in layout.columns:
        return _pixels(layout, width, colours)
    stub = min(max(_cells_of(label) for label in layout.rows), LONGEST_ROW_LABEL)
    room = width - stub - 1
    widths = [max(NARROWEST_NUMBER, _cells_of(label) + 1) for label in layout.columns]
    if sum(widths) <= 2 * room and max(widths) <= room:
        return _table(layout, stub, widths, room, colours)
    return _shaded(layout, stub, max(room // 2, 1), colours)


def _table(layout: Heatmap, stub: int, widths: Sequence[int], room: int, colours: str) -> list[str]:
    """Numbers under whole words, in one block of columns or two."""
    lines: list[str] = []
    for shown in _blocks(widths, room):
        words = (_right(_shown(layout.columns[column]), widths[column]) for column in shown)
        lines.append(" " * (stub + 1) + "".join(words))
        for row, label in enumerate(layout.rows):
            cells = "".join(_number(layout, row, column, widths[column], colours) for column in shown)
            lines.append(_left(_shown(label), stub) + " " + cells)
    return lines


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns in as few blocks as fit the room."""
    blocks: list[list[int]] = []
    left = 0
    for column, wide in enumerate(widths):
        if not blocks or wide > left:
            blocks.append([])
            left = room
        blocks[-1].append(column)
        left -= wide
    return blocks


def _shaded(layout: Heatmap, stub: int, fits: int, colours: str) -> list[str]:
    """Two characters for each cell, the words of the columns written downwards."""
    lines: list[str] = []
    for start in range(0, len(layout.columns), fits):
        shown = range(start, min(start + fits, len(layout.columns)))
        words = [list(_shown(layout.columns[column])) for column in shown]
        for line in range(max(map(len, words))):
            letters = (word[line] if line < len(word) else "" for word in words)
            lines.append(" " * (stub + 1) + "".join(_left(letter, 2) for letter in letters))
        for row, label in enumerate(layout.rows):
            cells = "".join(
                _shade(layout.values[row][column], layout.scale, layout.colour(row, column), 2, colours)
                for column in shown
            )
            lines.append(_left(_shown(label), stub) + " " + cells)
    return lines


@lines_of.register
def _flow(layout: Flow, width: int, colours: str) -> list[str]:
    """Each query and the keys it was linked to, strongest first."""
    stub = max(_cells_of(label) for label in layout.queries)
    lines = []
    for query, label in enumerate(layout.queries):
        links = [link for link in reversed(layout.links) if link.query == query]
        words = "  ".join(f"{layout.keys[link.key].shown} {_two_digits(link.weight)}" for link in links)
        lines.append(f"{_left(label.shown, stub)} ← {words}")
    return lines


@lines_of.register
def _grid(layout: Grid, width: int, colours: str) -> list[str]:
    ramp = layout.theme.weight_ramp()
    lines: list[str] = []
    for strip in layout.strips:
        lines += ["", strip.name] if len(layout.strips) > 1 else [""]
        broad = max(
            max(len(each.values[0]), cell_len(f"{each.name} {each.number}"), cell_len(each.caption))
            for each in strip.thumbnails
        )
        fits = max((width + 2) // (broad + 2), 1)
        for start in range(0, len(strip.thumbnails), fits):
            shown = strip.thumbnails[start : start + fits]
            pictures = [
                _thumbnail(each, layout.scale, ramp, layout.theme.masked, broad, colours) for each in shown
            ]
            lines += ["  ".join(parts) for parts in zip(*pictures, strict=True)]
    return lines


@lines_of.register
def _film(layout: Film, width: int, colours: str) -> list[str]:
    strip = Strip(name="", thumbnails=layout.frames)
    return _grid(
        Grid(title="", notes=(), theme=layout.theme, strips=(strip,), columns=layout.across), width, colours
    )


def _thumbnail(
    each: Thumbnail, scale: Scale, ramp: Sequence[str], masked: str, broad: int, colours: str
) -> list[str]:
    def colour(value: float | None) -> str:
        return masked if value is None else ramp[scale.step(value)]

    pad = " " * (broad - len(each.values[0]))
    rows = [
        "".join(_shade(value, scale, colour(value), 1, colours) for value in row) + pad for row in each.values
    ]
    return [_left(f"{each.name} {each.number}", broad), _left(each.caption, broad), *rows]


def _pixels(layout: Heatmap, width: int, colours: str) -> list[str]:
    """As many rows and columns as fit, evenly picked: the shape of the whole."""
    columns = _picked(len(layout.columns), width - 8)
    rows = _picked(len(layout.rows), 40)
    lines = []
    for row in rows:
        cells = (
            _shade(layout.values[row][column], layout.scale, layout.colour(row, column), 1, colours)
            for column in columns
        )
        lines.append(f"{row:>6}  " + "".join(cells))
    low, _, high = (written for _, written in layout.scale.ticks())
    return [*lines, f"{'':8}{low} … {high}"]


def _picked(count: int, most: int) -> list[int]:
    return list(range(count)) if count <= most else [at * count // most for at in range(most)]


def _number(layout: Heatmap, row: int, column: int, cell: int, colours: str) -> str:
    value = layout.values[row][column]
    written = _right(MASKED if value is None else _two_digits(value), cell)
    return written if colours == "none" else _on(layout.colour(row, column), written, colours)


def _shade(value: float | None, scale: Scale, colour: str, count: int, colours: str) -> str:
    if colours != "none":
        said = MASKED if value is None and colours == "256" else " "  # where greys are few, one is not enough
        return _on(colour, said * count, colours)
    if value is None:
        return MASKED * count
    share = min(max((value - scale.low) / (scale.high - scale.low), 0.0), 1.0)
    return SHADES[min(int(share * len(SHADES)), len(SHADES) - 1)] * count


def _on(colour: str, text: str, colours: str) -> str:
    """A text on a ground of that colour."""
    if colours == "24-bit":
        ground, ink = channels(colour), channels(ink_on(colour))
        return "\x1b[48;2;{};{};{}m\x1b[38;2;{};{};{}m{}\x1b[0m".format(*ground, *ink, text)
    return f"\x1b[48;5;{of_256(colour)}m\x1b[38;5;{of_256(ink_on(colour))}m{text}\x1b[0m"


def _two_digits(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _shown(label: Label | None) -> str:
    return label.shown if label else ""


def _cells_of(label: Label | None) -> int:
    return cell_len(_shown(label))


def _left(text: str, cells: int) -> str:
    return _cut(text, cells) + " " * (cells - cell_len(_cut(text, cells)))


def _right(text: str, cells: int) -> str:
    return " " * (cells - cell_len(_cut(text, cells))) + _cut(text, cells)


def _cut(text: str, cells: int) -> str:
    if cell_len(text) <= cells:
        return text
    while cell_len(text) > cells - 1:
        text = text[:-1]
    return text + "…"
