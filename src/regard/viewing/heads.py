"""Heads: every head of a model in one table, by what it does and what it is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regard.viewing.colours import ink_on, theme_called
from regard.viewing.drawn import Layout
from regard.viewing.heatmap import WEIGHTS
from regard.viewing.maps import AttentionMap
from regard.viewing.marks import Picture, number, write
from regard.viewing.measures import NOT_EXPLANATION, RankedHead, measure, rank
from regard.viewing.svg import picture
from regard.viewing.terminal import lines_of
from regard.viewing.typography import visible, width
from regard.wording import counted

SHOWN = ("sharpness", "entropy", "diagonality", "previous", "same", "next", "first", "end", "effect")
SHARES = frozenset(("sharpness", "diagonality", "previous", "same", "next", "first", "end"))
"""Measures between 0 and 1, coloured as weights are."""
ROW, SIZE, SMALL, COLUMN = 20.0, 11.5, 10.0, 66.0
EFFECT = "effect: how the log-probability of the answer changes without the head"
STRONG = 0.5
"""An effect at least so large is written in bold: the translation is e^0.5 = 1.6 times as likely with it."""


@dataclass(frozen=True, kw_only=True)
class HeadTable(Layout):
    """A line for each head, in order of one measure."""

    by: str
    columns: tuple[str, ...]
    heads: tuple[RankedHead, ...]


def head_table(
    maps: Mapping[str, AttentionMap],
    *,
    by: str = "sharpness",
    effects: Mapping[str, Sequence[float]] | None = None,
    theme: str = "light",
    title: str | None = None,
) -> HeadTable:
    """Decide a table of all heads, the highest of a measure first; of effects, the most helpful first.

    ``effects`` are the changes in log-probability without each head, by the name of its map. Heads that a
    measure does not fit, such as "previous" across two languages, come last.

    >>> cats = AttentionMap([[[0.9, 0.1]], [[0.5, 0.5]]], query_labels=["chat"], key_labels=["the", "cat"])
    >>> print(head_table({"decoder.0.cross": cats}).text(width=80).split("\\n")[2])
    head               does         sharpness  entropy  diagonality   first
    """
    known = _ranked(maps, by, effects)
    columns = [name for name in SHOWN if any(_value(head, name) is not None for head in known)]
    return HeadTable(
        title=f"{counted(len(known), 'head')}, by {by}" if title is None else title,
        notes=(NOT_EXPLANATION, *((EFFECT,) if "effect" in columns else ())),
        theme=theme_called(theme),
        by=by,
        columns=(*columns, *(() if by in columns else (by,))),
        heads=tuple(known),
    )


def _ranked(
    maps: Mapping[str, AttentionMap], by: str, effects: Mapping[str, Sequence[float]] | None
) -> list[RankedHead]:
    fitting = {name: seen for name, seen in maps.items() if getattr(measure(seen)[0], by, 0.0) is not None}
    others = {name: seen for name, seen in maps.items() if name not in fitting}
    return rank(fitting or maps, by, effects=effects) + rank(others if fitting else {}, effects=effects)


@picture.register
def _picture(layout: HeadTable) -> Picture:
    theme, ramp = layout.theme, layout.theme.weight_ramp()
    names = [_name(head) for head in layout.heads]
    first = max(width(name, SIZE) for name in names) + 22.0
    doing = first + max(width(head.measures.name, SIZE) for head in layout.heads) + 18.0
    wide = doing + COLUMN * len(layout.columns)
    body = [write(0.0, 10.0, "head", SMALL, theme.faint), write(first, 10.0, "does", SMALL, theme.faint)]
    for at, column in enumerate(layout.columns):
        ink, weight = (theme.ink, 600) if column == layout.by else (theme.faint, 400)
        x = doing + (at + 1) * COLUMN - 8
        body.append(write(x, 10.0, column, SMALL, ink, anchor="end", weight=weight))
    body.append(f'<path d="M0 17.5H{number(wide)}" stroke="{theme.rule}" fill="none"/>\n')
    for row, (head, name) in enumerate(zip(layout.heads, names, strict=True)):
        y = 22.0 + row * ROW
        body.append(write(0.0, y + 13.5, name, SIZE, theme.ink))
        body.append(write(first, y + 13.5, head.measures.name, SIZE, theme.faint))
        for at, column in enumerate(layout.columns):
            value = _value(head, column)
            if value is None:
                continue
            x, ink, weight = doing + at * COLUMN, theme.ink, 400
            if column in SHARES:
                ground = ramp[WEIGHTS.step(value)]
                ink = ink_on(ground)
                place = (
                    f'x="{number(x)}" y="{number(y)}" width="{number(COLUMN - 1)}" height="{number(ROW - 1)}"'
                )
                body.append(f'<rect {place} fill="{ground}"/>\n')
            elif column == "effect" and abs(value) >= STRONG:
                weight = 600
            body.append(
                write(x + COLUMN - 8, y + 13.5, _number(value), SIZE, ink, anchor="end", weight=weight)
            )
    return Picture(wide, 24.0 + ROW * len(layout.heads), "".join(body))


@lines_of.register
def _characters(layout: HeadTable, width: int, colours: str) -> list[str]:
    rows = [["head", "does", *layout.columns]]
    for head in layout.heads:
        values = (_value(head, column) for column in layout.columns)
        cells = ["" if value is None else _number(value) for value in values]
        rows.append([_name(head), head.measures.name, *cells])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(f"{cell:<{wide}}" if at < 2 else f"{cell:>{wide}}" for at, (cell, wide) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in rows)
    ]


def _name(head: RankedHead) -> str:
    return f"{visible(head.map_name)}:{head.head}"


def _value(head: RankedHead, column: str) -> float | None:
    value: float | None = head.effect if column == "effect" else getattr(head.measures, column)
    return value


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
