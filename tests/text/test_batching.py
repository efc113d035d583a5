import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import DataError, RecipeError
from regard.text import Batches

lengths_of_pairs = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=200)


def typical_lengths(pairs: int) -> np.ndarray:
    """Lengths like those of real sentences: skewed, and alike on both sides."""
    generator = np.random.default_rng(7)
    source = 2 + generator.gamma(4.0, 4.0, pairs)
    target = source * generator.normal(1.05, 0.15, pairs)
    return np.clip(np.stack([source, target], axis=1), 1, 250).astype(int)


@given(lengths_of_pairs, st.integers(60, 500), st.integers(0, 2**64 - 1), st.integers(0, 5))
def test_each_pair_is_seen_exactly_once_an_epoch(
    lengths: list[tuple[int, int]], tokens_per_batch: int, seed: int, epoch: int
) -> None:
    batches = Batches(lengths, tokens_per_batch=tokens_per_batch, seed=seed)
    seen = [pair for number in range(len(batches)) for pair in batches.batch(epoch, number)]
    assert sorted(seen) == [*range(len(lengths))]


@given(lengths_of_pairs, st.integers(60, 500), st.integers(0, 5))
def test_no_batch_is_wider_than_allowed(
    lengths: list[tuple[int, int]], tokens_per_batch: int, epoch: int
) -> None:
    batches = Batches(lengths, tokens_per_batch=tokens_per_batch, seed=7)
    for number in range(len(batches)):
        members = np.array(lengths)[batches.batch(epoch, number)]
        assert 0 < len(members) * members.max() <= tokens_per_batch


def test_trading_places_never_makes_a_batch_too_wide() -> None:
    lengths = np.array([(42, 42)] * 53 + [(45, 45)] * 47)  # near enough to trade places
    batches = Batches(lengths, tokens_per_batch=5 * 42, seed=7)
    for number in range(len(batches)):
        members = lengths[batches.batch(0, number)]
        assert len(members) * members.max() <= 5 * 42


@given(lengths_of_pairs, st.integers(60, 500), st.integers(1, 7))
def test_the_shares_of_all_ranks_are_the_batch(
    lengths: list[tuple[int, int]], tokens_per_batch: int, world: int
) -> None:
    batches = Batches(lengths, tokens_per_batch=tokens_per_batch, seed=7)
    for number in range(len(batches)):
        shares = [batches.batch(3, number, rank=rank, world=world) for rank in range(world)]
        assert sorted(np.concatenate(shares)) == sorted(batches.batch(3, number))
        assert max(map(len, shares)) - min(map(len, shares)) <= 1


@given(lengths_of_pairs, st.integers(2, 7))
def test_the_tokens_of_ranks_differ_by_less_than_the_longest_pair(
    lengths: list[tuple[int, int]], world: int
) -> None:
    batches = Batches(lengths, tokens_per_batch=500, seed=7)
    tokens = np.array(lengths).sum(axis=1)
    for number in range(len(batches)):
        loads = [tokens[batches.batch(0, number, rank=rank, world=world)].sum() for rank in range(world)]
        assert max(loads) - min(loads) <= tokens[batches.batch(0, number)].max()


def test_the_number_of_processes_may_change_and_each_pair_is_seen_once() -> None:
    batches = Batches(typical_lengths(997), tokens_per_batch=311, seed=7)
    third = len(batches) // 3
    worlds = [2] * third + [1] * third + [3] * (len(batches) - 2 * third)
    seen = [
        pair
        for number, world in enumerate(worlds)
        for rank in range(world)
        for pair in batches.batch(0, number, rank=rank, world=world)
    ]
    assert sorted(seen) == [*range(997)]


def test_a_batch_depends_on_seed_epoch_and_number_alone() -> None:
    lengths = typical_lengths(997)
    asked = [(epoch, number) for epoch in range(3) for number in range(5)]
    one, two = (Batches(lengths, tokens_per_batch=311, seed=7) for _ in range(2))
    backwards = {place: two.batch(*place).tolist() for place in reversed(asked)}
    assert {place: one.batch(*place).tolist() for place in asked} == backwards


def test_another_seed_or_epoch_gives_other_batches_in_another_order() -> None:
    lengths = typical_lengths(9_973)
    batches, others = (Batches(lengths, tokens_per_batch=1_021, seed=seed) for seed in (7, 8))
    contents = [
        {frozenset(kept.batch(epoch, number).tolist()) for number in range(len(kept))}
        for kept, epoch in [(batches, 0), (batches, 1), (others, 0)]
    ]
    for one, two in pairwise([*contents, contents[0]]):
        assert len(one & two) < 0.1 * len(one)
    widths = [[lengths[batches.batch(epoch, number)].max() for number in range(99)] for epoch in range(2)]
    assert widths[0] != widths[1]
    assert widths[0] != sorted(widths[0])


def test_padding_is_below_a_twentieth_on_typical_lengths() -> None:
    batches = Batches(typical_lengths(50_000), tokens_per_batch=4_096, seed=7)
    assert 0.005 < batches.padding_share() < 0.05


def test_the_padding_share_is_that_of_the_batches() -> None:
    lengths = typical_lengths(997)
    batches = Batches(lengths, tokens_per_batch=311, seed=7)
    places = sum(
        len(members) * lengths[members].max(axis=0).sum()
        for members in (batches.batch(2, number) for number in range(len(batches)))
    )
    assert batches.padding_share(epoch=2) == pytest.approx(1 - lengths.sum() / places)


def test_batches_are_about_as_few_as_they_can_be() -> None:
    lengths = typical_lengths(50_000)
    batches = Batches(lengths, tokens_per_batch=4_096, seed=7)
    assert len(batches) < 1.1 * lengths.max(axis=1).sum() / 4_096


def test_a_million_pairs_are_planned_in_two_seconds() -> None:
    lengths = typical_lengths(1_000_000)
    start = time.process_time()
    Batches(lengths, tokens_per_batch=4_096, seed=7).batch(0, 0)
    assert time.process_time() - start < 2


def test_a_batch_cannot_be_changed_by_its_reader() -> None:
    batch = Batches([(3, 4), (5, 5)], tokens_per_batch=11, seed=7).batch(0, 0)
    with pytest.raises(ValueError, match="read-only"):
        batch[0] = 1


def test_a_pair_longer_than_a_batch_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        Batches([(3, 4), (5, 102)], tokens_per_batch=101, seed=7)
    assert str(caught.value) == (
        "pair 1 has a side of 102 tokens, more than the 101 of tokens_per_batch. "
        "Raise it, or drop long pairs."
    )


@pytest.mark.parametrize("shape", [(0, 2), (5,), (5, 3)])
def test_lengths_of_no_pairs_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(DataError) as caught:
        Batches(np.ones(shape, dtype=int), tokens_per_batch=101, seed=7)
    assert str(caught.value) == (
        "lengths must be a source and a target length for each of one or more pairs, "
        f"but their shape is {shape}."
    )


@pytest.mark.parametrize("number", [-1, 1])
def test_a_batch_that_does_not_exist_is_refused(number: int) -> None:
    with pytest.raises(DataError) as caught:
        Batches([(3, 4), (5, 5)], tokens_per_batch=11, seed=7).batch(0, number)
    assert str(caught.value) == f"batch {number} does not exist: an epoch has 1 batches, from 0."


@pytest.mark.parametrize("rank", [-1, 3])
def test_a_rank_outside_the_world_is_refused(rank: int) -> None:
    with pytest.raises(RecipeError) as caught:
        Batches([(3, 4), (5, 5)], tokens_per_batch=11, seed=7).batch(0, 0, rank=rank, world=3)
    assert str(caught.value) == f"rank must be from 0 to 2, one below world, but got {rank}."


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_that_does_not_fit_is_refused(seed: int) -> None:
    with pytest.raises(RecipeError) as caught:
        Batches([(3, 4)], tokens_per_batch=11, seed=seed)
    assert str(caught.value) == f"seed must be at least 0 and below 2**64, but got {seed}."
