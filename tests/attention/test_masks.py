"""What is particular to masks: shapes, combining, and how they are read."""

import pytest
import torch

from regard import attend, masks
from regard.attention.masks import parts_of
from tests.attention.mechanisms import BATCH, EVERY_MASK, HEADS, KEYS, Hiding, every_mask


@every_mask
def test_what_a_mask_keeps_is_what_it_says(hiding: Hiding) -> None:
    if hiding.mask is None:
        return
    shape = (BATCH, HEADS, hiding.queries, KEYS)
    kept = hiding.mask.keep(shape, past=hiding.past)
    assert kept.dtype == torch.bool
    assert torch.equal(kept.expand(shape), hiding.allowed)
    assert torch.equal((~hiding.mask).keep(shape, past=hiding.past).expand(shape), ~hiding.allowed)


@every_mask
def test_some_rows_of_a_mask_are_those_of_the_whole(hiding: Hiding) -> None:
    if hiding.mask is None:
        return
    shape = (BATCH, HEADS, hiding.queries, KEYS)
    rows = hiding.mask.rows(shape, hiding.past, torch.device("cpu"), slice(1, 4))
    assert torch.equal(rows.expand(BATCH, HEADS, 3, KEYS), hiding.allowed[..., 1:4, :])


@pytest.mark.parametrize("between", [(), (3,), (3, 5)])
def test_samples_follow_the_first_axis_and_spread_over_the_others(between: tuple[int, ...]) -> None:
    tokens = torch.tensor([[5, 0, 7], [0, 0, 0]])
    for mask in (masks.lengths([1, 3]), masks.padding(tokens), masks.segments(tokens[:, :2], tokens)):
        shape = (2, *between, 2, 3)
        kept = mask.keep(shape).expand(shape)
        assert torch.equal(
            kept, mask.keep((2, 2, 3)).expand(2, 2, 3).reshape(2, *(1,) * len(between), 2, 3).expand(shape)
        )


def test_masks_combine_as_their_signs_say() -> None:
    shape = (2, 5, 5)
    one, other = masks.causal(), masks.lengths([2, 4])
    first, second = one.keep(shape).expand(shape), other.keep(shape).expand(shape)
    assert torch.equal((one & other).keep(shape), first & second)
    assert torch.equal((one | other).keep(shape), first | second)
    assert torch.equal((~(one & other)).keep(shape), (~one | ~other).keep(shape))
    assert torch.equal((~~one).keep(shape), one.keep(shape))


def test_a_mask_says_what_it_is() -> None:
    ids = torch.zeros(2, 3, dtype=torch.long)
    mask = masks.causal() & ~masks.lengths([1, 2]) | masks.window(before=1, after=0) & masks.segments(ids)
    assert (
        repr(mask)
        == "((causal() & ~lengths([1, 2])) | (window(before=1, after=0) & segments((2, 3), (2, 3))))"
    )
    assert repr(masks.padding(ids) & masks.where(keep=ids == 0)) == "(padding((2, 3)) & where(keep=(2, 3)))"


def test_the_parts_that_and_joins_are_read_one_by_one() -> None:
    one, two, three = masks.causal(), masks.lengths([1]), masks.window(before=1, after=1)
    assert list(parts_of(one & (two & three))) == [one, two, three]
    assert list(parts_of(one | two)) == [one | two]
    assert list(parts_of(None)) == []


def test_counts_that_are_changed_later_leave_the_mask_as_it_was() -> None:
    counts = torch.tensor([3, 3])
    mask = masks.lengths(counts)
    x = torch.randn(2, 3, 4)
    before = attend(x, mask=mask)
    counts[0] = 1
    assert torch.equal(attend(x, mask=mask), before)
    assert mask.keep((2, 3, 3)).all()


def test_lengths_and_lists_of_no_samples_are_masks_too() -> None:
    assert masks.lengths([]).keep((0, 2, 3)).shape == (0, 1, 3)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8], ids=str)
def test_counts_may_be_whole_numbers_of_any_size(dtype: torch.dtype) -> None:
    kept = masks.lengths(torch.tensor([1, 2], dtype=dtype)).keep((2, 1, 3))
    assert kept.tolist() == [[[True, False, False]], [[True, True, False]]]


def test_padding_may_be_any_token() -> None:
    assert masks.padding(torch.tensor([[0, 9, 1]]), padding=9).keep((1, 1, 3)).tolist() == [
        [[True, False, True]]
    ]


def test_a_mask_is_made_where_it_is_asked_for() -> None:
    for hiding in EVERY_MASK[1:]:
        if hiding.mask is not None:
            kept = hiding.mask.keep((BATCH, HEADS, hiding.queries, KEYS), past=hiding.past, device="meta")
            assert kept.device.type == "meta"
