"""Positions: an encoding table, positions down and dimensions across, signed numbers in two hues."""

import torch
from torch import nn

from regard.errors import ShapeError
from regard.viewing.colours import theme_called
from regard.viewing.given import Numbers, to_tensor
from regard.viewing.heatmap import Heatmap, Label, Scale, values_of

BROAD, HIGH = 560.0, 340.0
LARGEST_CELL = 16.0
TICKS = 8


def positions(table: Numbers, *, theme: str = "light", title: str = "positions") -> Heatmap:
    """Decide how a table of position encodings, (positions, width), is drawn.

    >>> drawing = positions(torch.tensor([[0.0, 1.0], [0.84, 0.54]]))
    >>> drawing.scale
    Scale(low=-1.0, high=1.0)
    """
    if isinstance(table, nn.Module):
        raise ShapeError(
            f"table must hold the numbers of each position, but got {type(table).__name__} itself: "
            "give its .encoding(torch.arange(50))."
        )
    numbers = to_tensor(table, "table")
    if numbers.dim() != 2 or 0 in numbers.shape:
        raise ShapeError(f"table must be (positions, width), but it is {tuple(numbers.shape)}.")
    if not torch.isfinite(numbers).all():
        raise ShapeError("table must hold finite numbers, but some are not.")
    rows, columns = numbers.shape
    furthest = float(f"{numbers.abs().max().item():.3g}") or 1.0
    return Heatmap(
        title=title,
        notes=(),
        theme=theme_called(theme),
        rows=_ticks(rows),
        columns=_ticks(columns),
        axes=("position", "dimension"),
        values=values_of(numbers),
        scale=Scale(-furthest, furthest),
        cell=(round(min(BROAD / columns, LARGEST_CELL), 3), round(min(HIGH / rows, LARGEST_CELL), 3)),
        label_size=10.5,
        slant=0,
        numbers=False,
    )


def _ticks(count: int) -> tuple[Label | None, ...]:
    every = next(
        step * scale
        for scale in (1, 10, 100, 1000, 10**4)
        for step in (1, 2, 5)
        if count / (step * scale) <= TICKS
    )
    return tuple(Label(str(at), str(at)) if at % every == 0 else None for at in range(count))
