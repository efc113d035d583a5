import pytest
import torch

from regard.attention.positions import Sinusoidal
from regard.errors import ShapeError
from regard.viewing import positions
from regard.viewing.colours import LIGHT


def test_the_scale_is_even_around_zero() -> None:
    drawing = positions(torch.tensor([[0.0, 0.25], [-2.0, 1.0]]))
    assert (drawing.scale.low, drawing.scale.high) == (-2.0, 2.0)
    assert drawing.colour(0, 0) == LIGHT.signed_ramp()[128]
    assert drawing.colour(1, 0) == LIGHT.signed_ramp()[0]
    assert [written for _, written in drawing.scale.ticks()] == ["−2", "0", "2"]


def test_positions_go_down_and_dimensions_across_with_round_ticks() -> None:
    drawing = positions(torch.zeros(53, 31))
    assert drawing.axes == ("position", "dimension")
    assert [label.shown for label in drawing.rows if label] == ["0", "10", "20", "30", "40", "50"]
    assert [label.shown for label in drawing.columns if label] == ["0", "5", "10", "15", "20", "25", "30"]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ShapeError) as caught:
        positions(torch.zeros(3))
    assert str(caught.value) == "table must be (positions, width), but it is (3,)."
    with pytest.raises(ShapeError) as caught:
        positions(torch.tensor([[torch.nan]]))
    assert str(caught.value) == "table must hold finite numbers, but some are not."
    with pytest.raises(ShapeError) as caught:
        positions(Sinusoidal(6))  # type: ignore[arg-type]
    assert str(caught.value) == (
        "table must hold the numbers of each position, but got Sinusoidal itself: "
        "give its .encoding(torch.arange(50))."
    )
    assert positions(Sinusoidal(6).encoding(torch.arange(50))).scale.high == 1.0
