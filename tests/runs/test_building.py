"""Settings become objects, and parameters a model no larger than they are."""

from typing import Any

import pytest
import torch
from torch import nn

from regard.errors import RunError
from regard.models import Transformer
from regard.runs.building import filled


def a_model(positions: str = "sinusoidal") -> Transformer:
    """Its matrices are large, and its relative tables more than its parameters have."""
    return Transformer(
        vocabulary=300, width=256, heads=2, layers=1, hidden_width=512, positions=positions, reach=256
    )


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "relative", "rotary", "t5"])
def test_a_model_is_filled_without_drawing_anything(positions: str) -> None:
    parameters = dict(a_model(positions).named_parameters())
    before = torch.get_rng_state()
    found = filled(lambda: a_model(positions), parameters, "the file")
    assert torch.equal(torch.get_rng_state(), before)
    for name, parameter in found.named_parameters():
        assert torch.equal(parameter, parameters[name])


def test_what_parameters_do_not_have_is_made_in_thought_alone() -> None:
    made = []

    def build() -> Any:
        layer = nn.Linear(1_031, 1_033)
        made.append(layer.weight.device.type)
        return layer

    with pytest.raises(RunError) as caught:
        filled(build, {"weight": torch.zeros(2, 3), "bias": torch.zeros(1_033)}, "the file")
    assert str(caught.value) == ("the file holds weight of shape (2, 3), but the model's is (1033, 1031).")
    assert made == ["meta"]


def test_no_parameter_speaks_for_two() -> None:
    made = []

    def build() -> Any:
        for _ in range(3):
            made.append(nn.Linear(1_031, 1_033, bias=False).weight.device.type)
        return nn.Linear(2, 3)

    with pytest.raises(RunError):
        filled(build, {"weight": torch.zeros(1_033, 1_031)}, "the file")
    assert made == ["cpu", "meta", "meta", "meta"]
