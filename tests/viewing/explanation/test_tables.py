import math

import pytest
import torch

from regard.viewing.explanation import Table
from regard.viewing.explanation.tables import spell


@pytest.mark.parametrize(
    ("values", "spelled"),
    [
        ([1.0, -3.0, 14.0], ["1", "−3", "14"]),
        ([0.5, 1.0], ["0.5", "1.0"]),
        ([1 / 3, 2 / 3], ["0.3333", "0.6667"]),
        ([0.0, 1e-9, 0.5], ["0.0000", "1e−09", "0.5000"]),
        ([123.456789, 1.5], ["123.457", "1.500"]),
        ([1e7, 0.5], ["1.00e+07", "0.5000"]),
        ([math.inf, -math.inf, math.nan], ["∞", "−∞", "nan"]),
        ([12.0 - 2e-15], ["12"]),
        ([], []),
    ],
)
def test_numbers_are_spelled_with_as_many_digits_as_help(values: list[float], spelled: list[str]) -> None:
    assert spell(values) == spelled


def test_digits_can_be_asked_for() -> None:
    assert spell([1 / 3], 6) == ["0.333333"]


def a_table(rows: int, columns: int, keep: torch.Tensor | None = None) -> Table:
    return Table(
        numbers=torch.arange(float(rows * columns)).reshape(rows, columns),
        rows=[f"r{i}" for i in range(rows)],
        columns=[f"c{i}" for i in range(columns)],
        keep=keep,
        sums=torch.arange(float(rows)),
    )


def test_a_table_that_fits_is_shown_whole() -> None:
    window = a_table(2, 3).window(5, 5)
    assert window.cells == [["0", "1", "2"], ["3", "4", "5"]]
    assert window.sums == ["0", "1"]
    assert window.left_out(a_table(2, 3)) == []


def test_of_a_long_table_the_ends_are_shown_and_the_rest_is_counted() -> None:
    table = a_table(31, 17)
    window = table.window(5, 4)
    assert window.rows == ["r0", "r1", "r2", "…", "r30"]
    assert window.columns == ["c0", "c1", "…", "c16"]
    assert window.cells[0] == ["0", "1", "…", "16"]
    assert window.cells[3] == ["…"] * 4
    assert window.sums == ["0", "1", "2", "…", "30"]
    assert window.left_out(table) == [("rows left out", 4, 31), ("columns left out", 3, 17)]


def test_what_is_masked_is_a_dot_whatever_it_holds() -> None:
    table = Table(
        numbers=torch.tensor([[1.0, math.nan]]),
        rows=["r"],
        columns=["a", "b"],
        keep=torch.tensor([[True, False]]),
    )
    assert table.window(5, 5).cells == [["1", "·"]]
