"""Numbers for people: aligned, with as many digits as help, and only as many as fit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

HIDDEN = "·"
"""Stands where a mask hides a number."""
GAP = "…"
"""Stands where rows or columns are left out."""

LARGEST = 1e6


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A matrix with a label for each row and column; ``keep`` is False where a mask hides.

    ``sums`` are set apart as a last column; ``shaded`` numbers lie between 0 and 1 and are
    coloured as weights are.
    """

    numbers: Float[Tensor, "rows columns"]
    rows: Sequence[str]
    columns: Sequence[str]
    name: str = ""
    keep: Bool[Tensor, "rows columns"] | None = None
    sums: Float[Tensor, " rows"] | None = None
    shaded: bool = False
    digits: int = 4

    def window(self, most_rows: int, most_columns: int) -> "Window":
        """The part that fits, spelled out."""
        rows = _ends(len(self.rows), most_rows)
        columns = _ends(len(self.columns), most_columns)
        values: list[list[float | None]] = [
            [self._at(row, column) for column in columns] if row is not None else [None] * len(columns)
            for row in rows
        ]
        spelled = spell([value for line in values for value in line if value is not None], self.digits)
        words = iter(spelled)
        cells = [
            [
                GAP if row is None or column is None else HIDDEN if value is None else next(words)
                for value, column in zip(line, columns, strict=True)
            ]
            for line, row in zip(values, rows, strict=True)
        ]
        return Window(
            rows=[GAP if row is None else self.rows[row] for row in rows],
            columns=[GAP if column is None else self.columns[column] for column in columns],
            cells=cells,
            values=values,
            sums=None if self.sums is None else self._sums(rows),
            rows_shown=sum(row is not None for row in rows),
            columns_shown=sum(column is not None for column in columns),
        )

    def _at(self, row: int, column: int | None) -> float | None:
        if column is None or (self.keep is not None and not self.keep[row, column]):
            return None
        return float(self.numbers[row, column])

    def _sums(self, rows: Sequence[int | None]) -> list[str]:
        assert self.sums is not None
        words = iter(spell([float(self.sums[row]) for row in rows if row is not None], self.digits))
        return [GAP if row is None else next(words) for row in rows]


@dataclass(frozen=True, kw_only=True)
class Window:
    """What is shown of a table, as strings; ``values`` are None where nothing is."""

    rows: list[str]
    columns: list[str]
    cells: list[list[str]]
    values: list[list[float | None]]
    sums: list[str] | None
    rows_shown: int
    columns_shown: int

    def left_out(self, table: Table) -> list[tuple[str, int, int]]:
        """What is not shown: the sentence that says so, how many are, and of how many."""
        counted = (
            ("rows left out", self.rows_shown, len(table.rows)),
            ("columns left out", self.columns_shown, len(table.columns)),
        )
        return [(said, shown, count) for said, shown, count in counted if shown < count]


def spell(values: Sequence[float], digits: int = 4) -> list[str]:
    """Numbers with the same digits behind the point, no more of them than are needed.

    A number too small for its digits is not called zero.

    >>> spell([1.0, -3.0, 14.0]), spell([0.5, 0.25]), spell([1 / 3, 0.00002])
    (['1', '−3', '14'], ['0.50', '0.25'], ['0.3333', '2e−05'])
    """
    finite = [abs(value) for value in values if math.isfinite(value)]
    largest = max(finite, default=0.0)
    most = digits if largest >= LARGEST else max(digits - max(len(str(int(largest))) - 2, 0), 1)
    places = next((places for places in range(most) if _are_exact(finite, places)), most)
    return [_spelled(value, places).replace("-", "−") for value in values]


def _are_exact(values: Sequence[float], places: int) -> bool:
    """Whether that many digits say all but the last bit; next to nothing is not nothing."""
    return all(
        math.isclose(value, round(value, places), rel_tol=1e-14) and value < LARGEST for value in values
    )


def _spelled(value: float, places: int) -> str:
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "∞" if value > 0 else "-∞"
    if abs(value) >= LARGEST:
        return f"{value:.2e}"
    if value != 0 and abs(value) < 0.5 * 10**-places:
        return f"{value:.0e}"
    return f"{value:.{places}f}"


def _ends(count: int, most: int) -> list[int | None]:
    """All positions, or the first and a few last with None for those between.

    >>> _ends(3, 5), _ends(100, 7)
    ([0, 1, 2], [0, 1, 2, 3, None, 98, 99])
    """
    if count <= most:
        return list(range(count))
    last = max((most - 1) // 3, 1)
    first = max(most - 1 - last, 1)
    return [*range(first), None, *range(count - last, count)]
