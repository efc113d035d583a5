"""Grid: all heads as thumbnails, a row for each layer, ordered by what they do."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from regard.errors import RegardError
from regard.viewing.colours import theme_called
from regard.viewing.drawn import Layout
from regard.viewing.heatmap import WEIGHTS, Scale, notes_of, values_of
from regard.viewing.measures import measure, value_of
from regard.viewing.typography import visible
from regard.wording import counted

if TYPE_CHECKING:
    from regard.viewing.maps import AttentionMap

SIDE = 92.0
COLUMNS = 8


@dataclass(frozen=True, kw_only=True)
class Thumbnail:
    """One small map: its name, a number and a word on it, its cells (None where masked)."""

    name: str
    number: str
    caption: str
    values: tuple[tuple[float | None, ...], ...]
    cell: float


@dataclass(frozen=True, kw_only=True)
class Strip:
    """Thumbnails that belong together, under their name."""

    name: str
    thumbnails: tuple[Thumbnail, ...]


@dataclass(frozen=True, kw_only=True)
class Grid(Layout):
    """Strips of thumbnails, one under the other."""

    strips: tuple[Strip, ...]
    columns: int
    scale: Scale = WEIGHTS


def grid(
    maps: "Iterable[AttentionMap]",
    *,
    order: str | None = "sharpness",
    theme: str = "light",
    title: str | None = None,
    columns: int = COLUMNS,
) -> Grid:
    """Decide a grid; within its layer a head stands the further left the more it has of ``order``.

    ``order=None`` keeps the heads in their order. Captions say what each head mostly does.
    """
    if columns < 1:
        raise RegardError(f"columns must be 1 or more, but got {columns}.")
    given = list(maps)
    notes = dict.fromkeys(note for seen in given for note in notes_of(seen))
    return Grid(
        title=_common_title(given) if title is None else title,
        notes=(*notes, *([f"heads in order of {order}, the number beside each"] if order else [])),
        theme=theme_called(theme),
        strips=tuple(_strip(seen, order) for seen in given),
        columns=min(columns, max(seen.heads for seen in given)),
    )


def _strip(seen: "AttentionMap", order: str | None) -> Strip:
    measures = measure(seen)
    values = [value_of(each, order, seen.name) if order else 0.0 for each in measures]
    heads = sorted(range(seen.heads), key=lambda head: (-values[head], head))
    cell = SIDE / max(len(seen.query_labels), len(seen.key_labels))
    return Strip(
        name=visible(seen.name),
        thumbnails=tuple(
            Thumbnail(
                name=visible(seen.head_names[head] or seen.name),
                number=f"{values[head]:.2f}" if order else "",
                caption=measures[head].name,
                values=values_of(seen.per_head[head], seen.kept[head]),
                cell=cell,
            )
            for head in heads
        ),
    )


def _common_title(maps: "list[AttentionMap]") -> str:
    return (
        maps[0].name
        if len(maps) == 1
        else f"{len(maps)} attentions, {counted(sum(seen.heads for seen in maps), 'head')}"
    )
