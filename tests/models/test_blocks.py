"""Blocks are their formulas."""

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from regard import masks, positions
from regard.models.blocks import EncoderBlock, FeedForward, causal_after

BATCH, COUNT, HEADS, HEAD_WIDTH, HIDDEN, REACH = 3, 11, 2, 5, 13, 3
WIDTH = HEADS * HEAD_WIDTH
LENGTHS = [11, 7, 1]


def shaw(attention: Any, vectors: Tensor, lengths: list[int]) -> Tensor:
    """Shaw, Uszkoreit and Vaswani (2018), equations 3 and 4, one number after the other."""
    key_table, value_table = attention.position.key_table, attention.position.value_table
    queries, keys, values = attention.projection(vectors).split(WIDTH, dim=-1)
    outputs = []
    for sample, length in enumerate(lengths):
        for i in range(COUNT):
            heads = []
            for head in range(HEADS):
                mine = slice(head * HEAD_WIDTH, (head + 1) * HEAD_WIDTH)
                near = [max(-REACH, min(REACH, j - i)) + REACH for j in range(length)]
                scores = torch.stack(
                    [
                        queries[sample, i, mine] @ (keys[sample, j, mine] + key_table[r])
                        for j, r in enumerate(near)
                    ]
                )
                weights = (scores / math.sqrt(HEAD_WIDTH)).softmax(dim=0)
                heard = torch.stack([values[sample, j, mine] + value_table[r] for j, r in enumerate(near)])
                heads.append(weights @ heard)
            outputs.append(torch.cat(heads))
    return attention.output_projection(torch.stack(outputs).view(BATCH, COUNT, WIDTH))


def test_a_block_with_relative_positions_is_shaws() -> None:
    position = positions.Relative(reach=REACH, head_width=HEAD_WIDTH)
    block = EncoderBlock(WIDTH, heads=HEADS, hidden_width=HIDDEN, position=position).double()
    vectors = torch.randn(BATCH, COUNT, WIDTH, dtype=torch.float64)

    attended = block.around_self.norm(vectors + shaw(block.self, vectors, LENGTHS))
    expected = block.around_feed_forward.norm(attended + block.feed_forward(attended))
    found = block(vectors, masks.lengths(LENGTHS))

    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)
    for one, other in zip(
        torch.autograd.grad(found.square().sum(), [*position.parameters()]),
        torch.autograd.grad(expected.square().sum(), [*position.parameters()]),
        strict=True,
    ):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_norm_comes_after_the_sum_or_before_the_part(norm: str) -> None:
    block = EncoderBlock(WIDTH, heads=HEADS, hidden_width=HIDDEN, norm=norm)
    for sublayer in (block.around_self, block.around_feed_forward):
        torch.nn.init.normal_(sublayer.norm.weight)
    vectors = torch.randn(BATCH, COUNT, WIDTH)
    first, second = block.around_self.norm, block.around_feed_forward.norm
    if norm == "post":
        middle = first(vectors + block.self(vectors))
        expected = second(middle + block.feed_forward(middle))
    else:
        middle = vectors + block.self(first(vectors))
        expected = middle + block.feed_forward(second(middle))
    torch.testing.assert_close(block(vectors), expected)


def test_a_gated_feed_forward_multiplies_two_projections() -> None:
    layer = FeedForward(WIDTH, hidden_width=HIDDEN, activation="gated")
    vectors = torch.randn(BATCH, COUNT, WIDTH)
    gate, value = layer.inner.weight.split(HIDDEN)
    expected = (F.silu(vectors @ gate.T) * (vectors @ value.T)) @ layer.outer.weight.T
    torch.testing.assert_close(layer(vectors), expected)


def test_dropout_inside_the_feed_forward_is_applied_to_the_hidden_vector() -> None:
    layer = FeedForward(WIDTH, hidden_width=HIDDEN, dropout=0.5)
    seen: list[Tensor] = []
    layer.outer.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    vectors = torch.ones(BATCH, COUNT, WIDTH)
    layer(vectors)
    layer.eval()(vectors)
    dropped, whole = seen
    torch.testing.assert_close(dropped, torch.where(dropped == 0, 0.0, 2 * whole))
    assert 0.2 < ((dropped == 0) & (whole > 0)).sum() / (whole > 0).sum() < 0.8


def test_a_row_that_began_later_does_not_see_the_empty_places_before_it() -> None:
    keep = causal_after(torch.tensor([0, 2]), past=2, new=2).keep((2, 2, 4), past=2)
    assert keep.int().tolist() == [[[1, 1, 1, 0], [1, 1, 1, 1]], [[0, 0, 1, 0], [0, 0, 1, 1]]]
