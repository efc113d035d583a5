"""Memories grow in shared room, and nobody notices."""

import pytest
import torch

from regard import Memory, MultiHeadAttention, masks, positions
from regard.attention.masks import Mask
from regard.attention.positions import Position
from regard.errors import MechanismError
from tests.attention.mechanisms import assert_nearly


def grown(*sizes: int) -> tuple[Memory, torch.Tensor]:
    whole = torch.randn(2, 3, sum(sizes), 4)
    pieces = whole.split(list(sizes), dim=-2)
    memory = Memory.of(pieces[0], -pieces[0])
    for piece in pieces[1:]:
        memory = memory.and_then(piece, -piece)
    return memory, whole


@pytest.mark.parametrize("learning", [True, False])
def test_a_memory_holds_what_was_added_in_order(learning: bool) -> None:
    with torch.set_grad_enabled(learning):
        memory, whole = grown(3, 1, 5, 2)
    assert torch.equal(memory.keys, whole)
    assert torch.equal(memory.values, -whole)
    assert (len(memory), memory.past) == (11, 9)


@torch.no_grad()
def test_adding_rarely_copies() -> None:
    memory, _ = grown(1, 1)
    moved = 0
    for _ in range(100):
        longer = memory.and_then(torch.randn(2, 3, 1, 4), torch.randn(2, 3, 1, 4))
        moved += longer.keys.data_ptr() != memory.keys.data_ptr()
        memory = longer
    assert moved <= 7  # room doubles


@torch.no_grad()
def test_a_memory_never_changes_when_others_grow_from_it() -> None:
    memory, whole = grown(3, 2)
    left = memory.and_then(torch.ones(2, 3, 1, 4), torch.ones(2, 3, 1, 4))
    right = memory.and_then(torch.zeros(2, 3, 1, 4), torch.zeros(2, 3, 1, 4))
    assert torch.equal(memory.keys, whole)
    assert (left.keys[..., -1, :] == 1).all()
    assert (right.keys[..., -1, :] == 0).all()


@torch.no_grad()
def test_rows_may_repeat_and_grow_apart() -> None:
    memory, whole = grown(3, 2)
    chosen = memory.select(torch.tensor([1, 1, 0]))
    assert torch.equal(chosen.keys, whole[[1, 1, 0]])
    assert chosen.past == memory.past
    chosen.and_then(torch.ones(3, 3, 1, 4), torch.ones(3, 3, 1, 4))
    assert torch.equal(memory.keys, whole)


def test_a_memory_may_be_attended_to_from_another_place() -> None:
    attention = MultiHeadAttention(6, heads=2)
    x = torch.randn(2, 7, 6)
    memory = attention.remember(x)
    expected = attention(x, mask=masks.causal())
    assert_nearly(attention(x[:, 4:], memory, mask=masks.causal(), past=4), expected[:, 4:])


@pytest.mark.parametrize("learning", [True, False])
def test_growing_is_remembering_and_attending(learning: bool) -> None:
    attention = MultiHeadAttention(6, heads=2)
    x = torch.randn(2, 7, 6)
    memory, outputs = None, []
    with torch.set_grad_enabled(learning):
        for piece in x.split([3, 1, 2, 1], dim=1):
            output, memory = attention.grow(piece, memory, mask=masks.causal())
            outputs.append(output)
    assert_nearly(torch.cat(outputs, dim=1), attention(x, mask=masks.causal()))


@pytest.mark.parametrize("key_heads", [1, 2])
def test_samples_that_look_at_one_memory_are_answered_as_if_each_had_its_own(key_heads: int) -> None:
    attention = MultiHeadAttention(8, heads=2, key_heads=key_heads)
    memory, queries, counts = attention.remember(torch.randn(2, 5, 8)), torch.randn(6, 3, 8), [5, 3]
    rows = torch.arange(2).repeat_interleave(3)
    found = attention(queries, memory.looked_at_by(3), mask=masks.lengths(counts), past=0)
    mask = masks.lengths(torch.tensor(counts)[rows])
    assert_nearly(found, attention(queries, memory.select(rows), mask=mask, past=0))


@pytest.mark.parametrize(
    ("position", "mask"),
    [
        (positions.Rotary(4), None),
        (positions.Alibi(2), None),
        (None, masks.causal()),
        (None, masks.lengths([[5, 4, 3], [5, 4, 3]])),
        (None, masks.causal() | masks.lengths([5, 3])),
    ],
    ids=str,
)
def test_what_tells_queries_by_their_place_is_refused_where_samples_share_a_memory(
    position: Position | None, mask: Mask | None
) -> None:
    attention = MultiHeadAttention(8, heads=2, position=position)
    memory = attention.remember(torch.randn(2, 5, 8)).looked_at_by(3)
    with pytest.raises(MechanismError, match="A memory that several samples look at takes no positions"):
        attention(torch.randn(6, 3, 8), memory, mask=mask, past=0)
