"""The paths that only long inputs take agree with the definition."""

import copy
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from regard import masks, positions, scores
from regard.attention.blocked import attend_blocked, is_near
from regard.attention.definition import Call, attend_by_definition
from regard.attention.masks import Mask
from regard.attention.paths import choose
from tests.attention.mechanisms import (
    BATCH,
    EVERY_MECHANISM,
    HEAD_WIDTH,
    HEADS,
    Inputs,
    Mechanism,
    assert_nearly,
    every_mechanism,
    gradients,
)

LENGTH = 211
_packed = torch.tensor([[1] * 50 + [2] * 61 + [3] * 100, [1] * 111 + [7] * 53 + [3] * 47])
LONG_MASKS: dict[str, Mask | None] = {
    "nothing": None,
    "causal & lengths": masks.causal() & masks.lengths([LENGTH, 97]),
    "window": masks.window(before=5, after=3),
    "causal & window & lengths": masks.causal() & masks.window(before=7, after=7) & masks.lengths([100, 0]),
    "segments": masks.segments(_packed),
    "causal & segments": masks.causal() & masks.segments(_packed),
}
SPECIAL = {
    "window": "banded",
    "causal & window & lengths": "banded",
    "segments": "packed",
    "causal & segments": "packed",
}


def long_inputs(mechanism: Mechanism) -> Inputs:
    score, position = mechanism.make()
    widths = (HEAD_WIDTH, mechanism.key_width, mechanism.value_width)
    tensors = (torch.randn(BATCH, HEADS, LENGTH, width).double().requires_grad_() for width in widths)
    return Inputs(*tensors, score, position, past=0)


@every_mechanism
@pytest.mark.parametrize("name", LONG_MASKS)
def test_a_path_for_long_inputs_is_the_definition(mechanism: Mechanism, name: str) -> None:
    inputs = long_inputs(mechanism)
    call = inputs.call(LONG_MASKS[name])
    path = choose(call).path
    if path.attend is attend_by_definition:
        return
    expected, found = attend_by_definition(call), path.attend(call)
    upstream = torch.randn_like(expected)
    assert_nearly(found, expected)
    for one, other in zip(
        gradients(found, inputs, upstream), gradients(expected, inputs, upstream), strict=True
    ):
        assert_nearly(one, other)


@pytest.mark.parametrize("name", SPECIAL)
def test_long_inputs_take_the_path_made_for_their_mask(name: str) -> None:
    taken = {choose(long_inputs(mechanism).call(LONG_MASKS[name])).path.name for mechanism in EVERY_MECHANISM}
    assert SPECIAL[name] in taken


@pytest.mark.parametrize(
    ("batch", "length", "dropout", "path"),
    [
        (1, 512, 0.0, "definition"),
        (1, 703, 0.0, "definition"),
        (1, 704, 0.0, "merged"),
        (33, 512, 0.0, "merged"),  # short, but 33 of them would be 130 MiB of scores
        (2, 512, 0.1, "streamed"),
        (1, 704, 0.1, "streamed"),
    ],
)
def test_relative_positions_are_whole_when_short_and_linear_when_long_or_many(
    batch: int, length: int, dropout: float, path: str
) -> None:
    x = torch.empty(1, 1, 1, 2).expand(batch, 4, length, 2)
    position = positions.Relative(reach=3, head_width=2)
    call = Call(queries=x, keys=x, values=x, score=scores.ScaledDot(), position=position, dropout=dropout)
    assert choose(call).path.name == path


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("farthest", "near"), [(39.9, True), (40.1, False), (3e4, False)])
def test_additive_attention_in_blocks_is_the_definition_however_far_queries_are(
    farthest: float, near: bool, sign: float
) -> None:
    """In single precision: e^80 is within it, e^90 is not."""
    torch.manual_seed(7)
    queries = torch.randn(1, LENGTH, HEAD_WIDTH)
    queries *= farthest / 2 / queries.abs().max()
    keys, values = sign * queries, torch.randn(1, LENGTH, 3)
    score = scores.Additive(query_width=HEAD_WIDTH, key_width=HEAD_WIDTH, hidden_width=HEAD_WIDTH)
    with torch.no_grad():
        score.query_projection.weight.copy_(torch.eye(HEAD_WIDTH))
        score.key_projection.weight.copy_(torch.eye(HEAD_WIDTH))
    assert is_near(2 * queries) is near

    def answered(attend: Callable[[Call], Tensor], dtype: torch.dtype) -> list[Tensor]:
        inputs = [tensor.to(dtype).requires_grad_() for tensor in (queries, keys, values)]
        call = Call(queries=inputs[0], keys=inputs[1], values=inputs[2], score=copy.deepcopy(score).to(dtype))
        output = attend(call)
        return [output, *torch.autograd.grad(output.sum(dim=1).prod(), [*inputs, *call.score.parameters()])]

    expected = answered(attend_by_definition, torch.float64)
    for found, wanted in zip(answered(attend_blocked, torch.float32), expected, strict=True):
        largest = wanted.abs().max().item()
        torch.testing.assert_close(found.double(), wanted, rtol=1e-3, atol=2e-5 * largest)
