"""Heatmap: queries down, keys across, as in a paper; weights on a fixed scale from 0 to 1."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxtyping import Float
from torch import Tensor

from regard.viewing.colours import STEPS, theme_called
from regard.viewing.drawn import Facets, Layout
from regard.viewing.typography import east_asian, shorten, visible, width

if TYPE_CHECKING:
    from regard.viewing.maps import AttentionMap

LONGEST_LABEL = 190.0
LABEL_SIZES = (
    (22.0, 12.5),
    (18.0, 11.5),
    (14.0, 10.5),
    (10.0, 8.5),
    (8.0, 7.0),
)  # (cell at least, size of its label)
SMALLEST_LABEL = 8.0
LARGE, FEW = 30.0, 14
SPREAD = 620.0
MASKED = {"Chinese": "已掩码"}


@dataclass(frozen=True)
class Label:
    """A word beside a row or column: as shown, and in full."""

    shown: str
    full: str


@dataclass(frozen=True)
class Scale:
    """From numbers to colours: weights from 0 to 1, or signed numbers around 0."""

    low: float
    high: float

    @property
    def signed(self) -> bool:
        """Whether zero lies in the middle."""
        return self.low < 0

    def step(self, value: float) -> int:
        """Which colour of the ramp a number has.

        >>> Scale(0.0, 1.0).step(0.5), Scale(-2.0, 2.0).step(-2.0)
        (128, 0)
        """
        share = (value - self.low) / (self.high - self.low)
        return round(min(max(share, 0.0), 1.0) * (STEPS - 1))

    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Numbers beside the colour bar."""
        middle = (self.low + self.high) / 2
        return tuple((value, f"{value:.3g}".replace("-", "−")) for value in (self.low, middle, self.high))


WEIGHTS = Scale(0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Heatmap(Layout):
    """Cells in rows and columns; None where masked."""

    rows: tuple[Label | None, ...]
    columns: tuple[Label | None, ...]
    axes: tuple[str, str]
    values: tuple[tuple[float | None, ...], ...]
    scale: Scale
    cell: tuple[float, float]
    """Width and height of a cell."""
    label_size: float
    slant: int
    """How far the labels of the columns are turned: 0, 45 or 90 degrees."""
    numbers: bool

    @property
    def masked(self) -> str:
        """What the colour bar calls masked cells, in the language of the axes; nothing if there are none."""
        if not any(value is None for row in self.values for value in row):
            return ""
        return MASKED.get(east_asian("".join(self.axes)) or "", "masked")

    def colour(self, row: int, column: int) -> str:
        """The colour of a cell."""
        value = self.values[row][column]
        return self.theme.masked if value is None else self.ramp[self.scale.step(value)]

    @property
    def ramp(self) -> tuple[str, ...]:
        """The colours of the scale."""
        return self.theme.signed_ramp() if self.scale.signed else self.theme.weight_ramp()


def heatmap(
    seen: "AttentionMap",
    *,
    theme: str = "light",
    title: str | None = None,
    numbers: bool = False,
    columns: int = 2,
) -> Layout:
    """Decide a heatmap; several heads are drawn beside one another, each in full."""
    if seen.heads > 1:
        panels = tuple(
            heatmap(seen.head(head), theme=theme, title=seen.head_names[head], numbers=numbers)
            for head in range(seen.heads)
        )
        return Facets(
            title=title_of(seen, title), notes=(), theme=theme_called(theme), panels=panels, columns=columns
        )
    cell = cell_for(max(len(seen.query_labels), len(seen.key_labels)))
    size = _label_size(cell)
    column_labels = labels(seen.key_labels, cell, size)
    return Heatmap(
        title=title_of(seen, title),
        notes=notes_of(seen),
        theme=theme_called(theme),
        rows=labels(seen.query_labels, cell, size),
        columns=column_labels,
        axes=seen.axes,
        values=values_of(seen.per_head[0], seen.kept[0]),
        scale=WEIGHTS,
        cell=(cell, cell),
        label_size=size,
        slant=slant_of(column_labels, cell, size),
        numbers=numbers and cell >= LABEL_SIZES[0][0],
    )


def values_of(
    weights: Float[Tensor, "queries keys"], keep: Tensor | None = None
) -> tuple[tuple[float | None, ...], ...]:
    """The cells of one head; None where masked."""
    rows = weights.tolist()
    if keep is None or bool(keep.all()):
        return tuple(map(tuple, rows))
    return tuple(
        tuple(value if kept else None for value, kept in zip(row, may, strict=True))
        for row, may in zip(rows, keep.tolist(), strict=True)
    )


def notes_of(seen: "AttentionMap") -> tuple[str, ...]:
    """What must be said of a map: what was done to it, and what its rows sum to if not to one."""
    if seen.sums_to_one:
        return seen.notes
    least, most = (f"{sum_.item():.2f}" for sum_ in seen.row_sums.aminmax())
    return (*seen.notes, f"rows sum to {least}" if least == most else f"rows sum to {least} … {most}")


def labels(texts: Sequence[str], cell: float, size: float) -> tuple[Label | None, ...]:
    """Labels as they will be shown; None where they would stand on one another."""
    every = 1 if cell >= size * 1.05 else _round_step(size * 1.25 / cell)
    shown = (visible(text) for text in texts)
    return tuple(
        Label(shorten(text, size, LONGEST_LABEL), text) if at % every == 0 else None
        for at, text in enumerate(shown)
    )


def slant_of(columns: Sequence[Label | None], cell: float, size: float) -> int:
    """Upright if every label fits its column, else turned; steeply where columns are narrow."""
    widest = max(width(label.shown, size) for label in columns if label)
    if widest <= cell - 2 and None not in columns:
        return 0
    return 45 if cell >= size * 1.5 and widest <= LONGEST_LABEL / 2 else 90


def cell_for(count: int) -> float:
    """How large a cell may be, given how many stand in a row."""
    return LARGE if count <= FEW else max(round(LARGE * (FEW / count) ** 0.75, 1), round(SPREAD / count, 2))


def _label_size(cell: float) -> float:
    return next((size for least, size in LABEL_SIZES if cell >= least), SMALLEST_LABEL)


def _round_step(least: float) -> int:
    return next(step for step in (2, 5, 10, 20, 50, 100, 200, 500, 10**6) if step >= least)


def title_of(seen: "AttentionMap", title: str | None) -> str:
    """The title asked for, or the name of the map and of its one head."""
    named = [seen.name, *(seen.head_names if seen.heads == 1 and seen.head_names[0] else ())]
    return " · ".join(named) if title is None else title
