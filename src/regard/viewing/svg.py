"""From layout to SVG text: real letters, no script, no style sheet, the same bytes every time."""

from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape
from math import ceil

from regard.viewing.colours import Theme, ink_on
from regard.viewing.drawn import Facets, Layout
from regard.viewing.film import Film
from regard.viewing.flow import SIZE as FLOW_SIZE
from regard.viewing.flow import Flow
from regard.viewing.grid import SIDE, Grid, Thumbnail
from regard.viewing.heatmap import Heatmap, Label, Scale
from regard.viewing.marks import FAMILY, Picture, colour_bar, draw_curve, fill_cells, moved, number, write
from regard.viewing.typography import width

MARGIN = 22.0
TITLE, NOTE, AXIS = 14.0, 11.0, 10.5
BAR_LONGEST = 150.0
REACH = 150.0
"""How far apart the two sides of a flow stand when one is above the other."""
SPAN = 230.0
"""The same when one is left of the other."""


def document(layout: Layout) -> str:
    """A whole SVG file."""
    drawn = headed(layout)
    wide, high = ceil(drawn.width + 2 * MARGIN), ceil(drawn.height + 2 * MARGIN)  # no pixel half paper
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'role="img" aria-label="{escape(_spoken(layout))}" font-family="{FAMILY}">\n'
        f'<rect width="{wide}" height="{high}" fill="{layout.theme.paper}"/>\n'
        f'<g transform="translate({number(MARGIN)} {number(MARGIN)})">\n{drawn.body}</g>\n</svg>\n'
    )


def headed(layout: Layout) -> Picture:
    """A drawing under its title and notes."""
    lines: list[str] = []
    high, wide = 0.0, 0.0
    if layout.title:
        high += TITLE
        lines.append(write(0.0, high - 2, layout.title, TITLE, layout.theme.ink, weight=600))
        wide = width(layout.title, TITLE) * 1.06
    for note in layout.notes:
        high += NOTE * 1.5
        lines.append(write(0.0, high - 2, note, NOTE, layout.theme.faint))
        wide = max(wide, width(note, NOTE))
    high += 14.0 if lines else 0.0
    drawn = picture(layout)
    body = "".join(lines) + moved(drawn.body, 0.0, high)
    return Picture(max(wide, drawn.width), high + drawn.height, body)


@singledispatch
def picture(layout: Layout) -> Picture:
    """What is below the title."""
    raise NotImplementedError(type(layout).__name__)


@picture.register
def _facets(layout: Facets) -> Picture:
    pictures = [headed(panel) for panel in layout.panels]
    column_width = max(each.width for each in pictures) + 34.0
    parts, top = [], 0.0
    for start in range(0, len(pictures), layout.columns):
        row = pictures[start : start + layout.columns]
        parts += [moved(each.body, column * column_width, top) for column, each in enumerate(row)]
        top += max(each.height for each in row) + 30.0
    columns = min(layout.columns, len(pictures))
    return Picture(columns * column_width - 34.0, top - 30.0, "".join(parts))


@picture.register
def _heatmap(layout: Heatmap) -> Picture:
    theme, size = layout.theme, layout.label_size
    cell_width, cell_height = layout.cell
    across, down = len(layout.columns) * cell_width, len(layout.rows) * cell_height
    axis_names = (f"{layout.axes[0]} ↓", f"{layout.axes[1]} →")
    left = max(_widest(layout.rows, size), *(width(name, AXIS) for name in axis_names)) + 9.0
    rise, overhang = _turned(layout.columns, size, layout.slant, cell_width)
    top = max(rise, 2.4 * AXIS) + 8.0

    body = [
        write(left - 9, top - 7.5 - 1.4 * AXIS, axis_names[1], AXIS, theme.faint, anchor="end"),
        write(left - 9, top - 7.5, axis_names[0], AXIS, theme.faint, anchor="end"),
        moved(fill_cells(layout.values, layout.scale, layout.ramp, theme, layout.cell), left, top),
    ]
    for row, label in enumerate(layout.rows):
        if label:
            baseline = top + (row + 0.5) * cell_height + size * 0.35
            body.append(
                write(left - 8, baseline, label.shown, size, theme.ink, anchor="end", full=label.full)
            )
    for column, label in enumerate(layout.columns):
        if label:
            middle = left + (column + 0.5) * cell_width
            body.append(_column_label(label, middle, top - 7, size, theme.ink, layout.slant))
    if layout.numbers:
        body.append(moved(_cell_numbers(layout), left, top))
    bar = colour_bar(
        layout.scale, layout.ramp, theme, min(max(down, 60.0), BAR_LONGEST), masked=layout.masked
    )
    body.append(moved(bar.body, left + across + 22.0, top))
    wide = max(left + across + 22.0 + bar.width, left + overhang)
    return Picture(wide, top + max(down, bar.height), "".join(body))


@picture.register
def _flow(layout: Flow) -> Picture:
    return _flow_down(layout) if layout.side == "above" else _flow_across(layout)


@picture.register
def _grid(layout: Grid) -> Picture:
    theme, ramp = layout.theme, layout.theme.weight_ramp()
    step = SIDE + 16.0
    body, top = [], 0.0
    for strip in layout.strips:
        if len(layout.strips) > 1:
            body.append(write(0.0, top + 10, strip.name, 11.5, theme.ink, weight=600))
            top += 20.0
        for start in range(0, len(strip.thumbnails), layout.columns):
            shown = strip.thumbnails[start : start + layout.columns]
            for column, each in enumerate(shown):
                body.append(moved(_thumbnail(each, layout.scale, ramp, theme), column * step, top))
            top += max(len(each.values) * each.cell for each in shown) + 44.0
        top += 6.0
    masked = any(None in row for strip in layout.strips for each in strip.thumbnails for row in each.values)
    bar = colour_bar(layout.scale, ramp, theme, SIDE, masked="masked" if masked else "")
    across = layout.columns * step - 16.0
    body.append(moved(bar.body, across + 24.0, 20.0 if len(layout.strips) > 1 else 0.0))
    return Picture(across + 24.0 + bar.width, top - 14.0, "".join(body))


@picture.register
def _film(layout: Film) -> Picture:
    theme, ramp, size = layout.theme, layout.theme.weight_ramp(), layout.label_size
    cell = layout.frames[0].cell
    wide, high = len(layout.columns) * cell, len(layout.rows) * cell
    left = _widest(layout.rows, size) + 8.0
    rise, overhang = _turned(layout.columns, size, layout.slant, cell)
    step_across, step_down = max(wide, 70.0) + 18.0, high + 46.0
    body = []
    for column, label in enumerate(layout.columns):
        if label:
            body.append(
                _column_label(label, left + (column + 0.5) * cell, rise, size, theme.ink, layout.slant)
            )
    top = rise + 6.0
    for at, frame in enumerate(layout.frames):
        down, across = divmod(at, layout.across)
        y = top + down * step_down
        if across == 0:
            for row, label in enumerate(layout.rows):
                if label:
                    middle = y + (row + 0.5) * cell + size * 0.35
                    body.append(
                        write(left - 6, middle, label.shown, size, theme.ink, anchor="end", full=label.full)
                    )
        body.append(moved(_thumbnail(frame, layout.scale, ramp, theme), left + across * step_across, y))
    masked = any(None in row for frame in layout.frames for row in frame.values)
    bar = colour_bar(layout.scale, ramp, theme, min(high, BAR_LONGEST), masked="masked" if masked else "")
    right = left + layout.across * step_across + 4.0
    body.append(moved(bar.body, right, top))
    rows = -(-len(layout.frames) // layout.across)
    return Picture(
        max(right + bar.width, left + overhang),
        max(top + rows * step_down - 16.0, top + bar.height),
        "".join(body),
    )


def _thumbnail(each: Thumbnail, scale: Scale, ramp: Sequence[str], theme: Theme) -> str:
    high = len(each.values) * each.cell
    wide = max(len(each.values[0]) * each.cell, width(f"{each.name} {each.number}", 11.0))
    return (
        fill_cells(each.values, scale, ramp, theme, (each.cell, each.cell))
        + write(0.0, high + 14, each.name, 11.0, theme.ink)
        + (write(wide, high + 14, each.number, 10.0, theme.faint, anchor="end") if each.number else "")
        + write(0.0, high + 27, each.caption, 10.0, theme.faint)
    )


def _flow_down(layout: Flow) -> Picture:
    theme, size = layout.theme, FLOW_SIZE
    names = [layout.axes[1], layout.axes[0]]
    left = max(width(name, AXIS) for name in names) + 22.0
    above, below = size, size + 9.0 + REACH + 9.0
    body = [
        write(0.0, above, names[0], AXIS, theme.faint),
        write(0.0, below + size - 2, names[1], AXIS, theme.faint),
    ]
    for link in layout.links:
        start, end = left + layout.key_places[link.key], left + layout.query_places[link.query]
        high, low, bend = above + 7.0, below - 7.0, REACH * 0.52
        body.append(
            draw_curve(
                (start, high),
                (start, high + bend),
                (end, low - bend),
                (end, low),
                colour=theme.link,
                thick=link.width,
                opacity=link.opacity,
            )
        )
    for words, places, baseline in (
        (layout.keys, layout.key_places, above),
        (layout.queries, layout.query_places, below + size - 2),
    ):
        for word, place in zip(words, places, strict=True):
            body.append(
                write(left + place, baseline, word.shown, size, theme.ink, anchor="middle", full=word.full)
            )
    return Picture(left + layout.extent, below + size + 4.0, "".join(body))


def _flow_across(layout: Flow) -> Picture:
    theme, size = layout.theme, FLOW_SIZE
    left = max(_widest(layout.keys, size), width(layout.axes[1], AXIS)) + 9.0
    right, top = left + SPAN, 2.2 * AXIS
    body = [
        write(left - 9, AXIS, layout.axes[1], AXIS, theme.faint, anchor="end"),
        write(right + 9, AXIS, layout.axes[0], AXIS, theme.faint),
    ]
    for link in layout.links:
        start, end = top + layout.key_places[link.key], top + layout.query_places[link.query]
        middle = (left + right) / 2
        body.append(
            draw_curve(
                (left, start),
                (middle, start),
                (middle, end),
                (right, end),
                colour=theme.link,
                thick=link.width,
                opacity=link.opacity,
            )
        )
    for word, place in zip(layout.keys, layout.key_places, strict=True):
        body.append(
            write(
                left - 9, top + place + size * 0.35, word.shown, size, theme.ink, anchor="end", full=word.full
            )
        )
    for word, place in zip(layout.queries, layout.query_places, strict=True):
        body.append(write(right + 9, top + place + size * 0.35, word.shown, size, theme.ink, full=word.full))
    wide = right + 9 + max(_widest(layout.queries, size), width(layout.axes[0], AXIS))
    return Picture(wide, top + layout.extent, "".join(body))


def _cell_numbers(layout: Heatmap) -> str:
    size = layout.cell[1] * 0.34
    texts = []
    for row, numbers in enumerate(layout.values):
        for column, value in enumerate(numbers):
            if value is not None:
                x, y = (column + 0.5) * layout.cell[0] - 0.5, (row + 0.5) * layout.cell[1] + size * 0.35 - 0.5
                ink = ink_on(layout.colour(row, column))
                texts.append(write(x, y, f"{value:.2f}".lstrip("0"), size, ink, anchor="middle"))
    return "".join(texts)


def _column_label(label: Label, middle: float, foot: float, size: float, ink: str, slant: int) -> str:
    if slant == 0:
        return write(middle, foot, label.shown, size, ink, anchor="middle", full=label.full)
    x = middle + size * (0.35 if slant == 90 else 0.15)
    return write(x, foot, label.shown, size, ink, turn=-slant, full=label.full)


def _turned(labels: Iterable[Label | None], size: float, slant: int, cell: float) -> tuple[float, float]:
    """How high the labels of the columns rise, and how far right they reach."""
    rise, reach = size, 0.0
    for column, label in enumerate(labels):
        if label:
            long = width(label.shown, size)
            up, along = {
                0: (size, long / 2),
                45: (long * 0.71 + size * 0.6, long * 0.71 + size * 0.5),
                90: (long, size),
            }[slant]
            rise, reach = max(rise, up), max(reach, (column + 0.5) * cell + along)
    return rise, reach


def _widest(labels: Iterable[Label | None], size: float) -> float:
    return max((width(label.shown, size) for label in labels if label), default=0.0)


def _spoken(layout: Layout) -> str:
    return ". ".join([layout.title or "attention", *layout.notes])
