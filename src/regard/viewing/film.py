"""Film: one map over training, a frame for each checkpoint; watch a head learn where to look."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from regard.errors import DataError, RegardError
from regard.viewing.colours import theme_called
from regard.viewing.drawn import PICTURES, Layout
from regard.viewing.grid import Thumbnail
from regard.viewing.heatmap import WEIGHTS, Label, Scale, labels, notes_of, slant_of, title_of, values_of
from regard.viewing.maps import AttentionMap
from regard.viewing.measures import measure, value_of
from regard.viewing.seen import AttentionMaps

FRAME = 128.0
LARGEST_CELL = 15.0
COLUMNS = 5


@dataclass(frozen=True, kw_only=True)
class Film(Layout):
    """Frames in reading order, the words written once for each row and for the first column."""

    rows: tuple[Label | None, ...]
    columns: tuple[Label | None, ...]
    frames: tuple[Thumbnail, ...]
    across: int
    """How many frames stand in a row."""
    label_size: float
    slant: int
    axes: tuple[str, str]
    scale: Scale = WEIGHTS
    files: ClassVar[tuple[str, ...]] = (*PICTURES, ".html")

    def save(self, path: str | Path, view: str | None = None, **options: Any) -> Path:
        """Write the film to a picture, or to a page on which one steps through it (``.html``)."""
        if self.ending(path) != ".html":
            return super().save(path, view, **options)
        from regard.viewing import reel

        Path(path).write_text(reel.html(self), encoding="utf-8")
        return Path(path)


def film(
    frames: Iterable[tuple[int, AttentionMap]],
    *,
    by: str = "sharpness",
    across: int = COLUMNS,
    theme: str = "light",
    title: str | None = None,
) -> Film:
    """Decide a film from (step, map) pairs, in order of their steps; ``by`` is the measure told of each.

    >>> early = AttentionMap([[0.5, 0.5]], query_labels=["chat"], key_labels=["the", "cat"])
    >>> late = AttentionMap([[0.1, 0.9]], query_labels=["chat"], key_labels=["the", "cat"])
    >>> [frame.caption for frame in film([(0, early), (400, late)]).frames]
    ['sharpness 0.50', 'sharpness 0.90']
    """
    given = sorted(frames, key=lambda frame: frame[0])
    if not given:
        raise RegardError("a film needs one or more (step, map) pairs, but got none.")
    if across < 1:
        raise RegardError(f"across must be 1 or more, but got {across}.")
    first = given[0][1]
    for step, seen in given:
        if seen.heads > 1:
            raise RegardError(
                f"a film shows one head, but step {step} has {seen.heads}: take one by .head(0), or .mean()."
            )
        if (seen.query_labels, seen.key_labels) != (first.query_labels, first.key_labels):
            raise RegardError(
                f"a film shows the same words throughout, but step {step} has others than step {given[0][0]}."
            )
    cell = min(FRAME / max(len(first.query_labels), len(first.key_labels)), LARGEST_CELL)
    size = 9.0 if cell >= 10 else 7.5
    columns = labels(first.key_labels, cell, size)
    return Film(
        title=title_of(first, title),
        notes=notes_of(given[-1][1]),
        theme=theme_called(theme),
        rows=labels(first.query_labels, cell, size),
        columns=columns,
        frames=tuple(_frame(step, seen, by, cell) for step, seen in given),
        across=min(across, len(given)),
        label_size=size,
        slant=slant_of(columns, cell, size),
        axes=first.axes,
    )


def read_looks(folder: str | Path) -> list[tuple[int, AttentionMaps]]:
    """The maps a training run kept in its ``looks`` folder, and the steps they are of, in order."""
    found = sorted(Path(folder).glob("*.npz"), key=lambda path: path.name)
    looks = [(int(path.stem), AttentionMaps.load(path)) for path in found if path.stem.isdecimal()]
    if not looks:
        raise DataError(f"there is no look in {folder}: a run keeps one at each validation.")
    return looks


def _frame(step: int, seen: AttentionMap, by: str, cell: float) -> Thumbnail:
    (measures,) = measure(seen)
    return Thumbnail(
        name=f"step {step:,}",
        number="",
        caption=f"{by} {value_of(measures, by, seen.name):.2f}",
        values=values_of(seen.per_head[0], seen.kept[0]),
        cell=cell,
    )
