"""No mechanism forms a tensor of queries × keys for long inputs, forward or backward."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from regard import attend, masks, positions
from regard.attention import flash
from regard.attention.attending import ask
from regard.attention.definition import attend_by_definition
from regard.attention.masks import Mask
from regard.attention.paths import choose
from tests.attention.mechanisms import (
    HEAD_WIDTH,
    HEADS,
    Inputs,
    Mechanism,
    assert_nearly,
    every_mechanism,
    gradients,
)

LENGTH = 1531
MASKS: dict[str, Mask | None] = {
    "nothing": None,
    "causal & lengths": masks.causal() & masks.lengths([LENGTH - 100]),
}


def long_inputs(mechanism: Mechanism) -> Inputs:
    score, position = mechanism.make(torch.float32)
    widths = (HEAD_WIDTH, mechanism.key_width, mechanism.value_width)
    tensors = (torch.randn(1, HEADS, LENGTH, width, requires_grad=True) for width in widths)
    return Inputs(*tensors, score, position, past=0)


class Largest(TorchDispatchMode):
    """How many numbers the largest tensor had that any operation gave."""

    numbers = 0

    def __torch_dispatch__(
        self, operation: Any, types: Any, arguments: Any = (), named: dict[str, Any] | None = None
    ) -> Any:
        given = operation(*arguments, **(named or {}))
        tensors = [leaf for leaf in tree_leaves(given) if isinstance(leaf, Tensor)]
        held = [tensor.untyped_storage().nbytes() // tensor.element_size() for tensor in tensors]
        self.numbers = max([self.numbers, *held])
        return given


@every_mechanism
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_long_inputs_are_attended_to_in_linear_memory(
    mechanism: Mechanism, name: str, dropout: float
) -> None:
    inputs = long_inputs(mechanism)
    with Largest() as largest:
        output = attend(**inputs.arguments, mask=MASKS[name], dropout=dropout)
        gradients(output, inputs, torch.ones_like(output))
    assert 0 < largest.numbers < HEADS * LENGTH * LENGTH / 4


def test_a_tensor_of_all_scores_would_be_seen() -> None:
    x = torch.randn(1, 1, LENGTH, HEAD_WIDTH)
    with Largest() as largest:
        attend_by_definition(ask(x))
    assert largest.numbers == LENGTH * LENGTH


@pytest.mark.parametrize("fault", ["absent", "refusing", "answering otherwise"])
def test_without_torchs_private_operators_long_relative_positions_go_another_way(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise TypeError("another signature")

    forward = flash._forward
    stand_ins = {
        "absent": None,
        "refusing": refuse,
        "answering otherwise": lambda *given, **named: tuple(
            2 * tensor for tensor in forward(*given, **named)
        ),
    }
    x = torch.randn(1, 1, LENGTH, HEAD_WIDTH)
    call = ask(x, position=positions.Relative(reach=2, head_width=HEAD_WIDTH), mask=masks.causal())
    assert choose(call).path.name == "merged"
    expected = attend_by_definition(call)

    monkeypatch.setattr(flash, "_forward", stand_ins[fault])
    flash.available.cache_clear()
    try:
        taken = choose(call)
        assert taken.path.name == "streamed"
        assert "not merged: this torch does not offer the kernel's log-sum-exp" in taken.reason
        assert_nearly(taken.path.attend(call), expected)
    finally:
        flash.available.cache_clear()
