"""The gradients that every path computes are those of its numbers."""

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

from regard import masks
from regard.attention.masks import Mask
from regard.attention.paths import Path
from tests.attention.mechanisms import (
    HEAD_WIDTH,
    HEADS,
    Inputs,
    Mechanism,
    every_mechanism,
    every_path,
    short_paths,
)

QUERIES, KEYS = 2, 3
_keep = torch.tensor([[True, False, True], [False, False, False]])  # a silent query, an unheard key
MASKS = {"nothing": None, "causal": masks.causal(), "where": masks.where(keep=_keep)}


class Answer(nn.Module):
    """A path as a function of everything that learns."""

    def __init__(self, path: Path, inputs: Inputs, mask: Mask | None) -> None:
        super().__init__()
        self.path, self.inputs, self.mask = path, inputs, mask
        self.score, self.position = inputs.score, inputs.position

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        inputs = Inputs(queries, keys, values, self.score, self.position, self.inputs.past)
        return self.path.attend(inputs.call(self.mask))

    def of(self, queries: Tensor, keys: Tensor, values: Tensor, *parameters: Tensor) -> Tensor:
        names = [name for name, _ in self.named_parameters()]
        return functional_call(self, dict(zip(names, parameters, strict=True)), (queries, keys, values))


def tiny_inputs(mechanism: Mechanism, past: int) -> Inputs:
    score, position = mechanism.make()
    queries = KEYS - past
    shapes = (queries, HEAD_WIDTH), (KEYS, mechanism.key_width), (KEYS, mechanism.value_width)
    tensors = (torch.randn(1, HEADS, *shape, dtype=torch.float64, requires_grad=True) for shape in shapes)
    return Inputs(*tensors, score, position, past)


@every_mechanism
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_every_path_passes_gradcheck_with_its_tables_and_its_past(
    mechanism: Mechanism, mask: Mask | None
) -> None:
    for past in (1,) if mask is MASKS["where"] else (0, 1):
        inputs = tiny_inputs(mechanism, past)
        with short_paths():
            for path in every_path(inputs.call(mask)):
                answer = Answer(path, inputs, mask)
                assert torch.autograd.gradcheck(answer.of, inputs.learned, fast_mode=True), path.name
