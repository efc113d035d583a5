"""Questions nobody thought of: any shape, mask and size of numbers, put to every mechanism.

Sixty to a mechanism by default. With REGARD_EXAMPLES=thorough five thousand, and then marked slow:

    REGARD_EXAMPLES=thorough python -m pytest -m slow tests/attention/test_attention_properties.py
"""

from dataclasses import dataclass

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from regard import attend, masked_softmax, masks, positions, weigh
from regard.attention.masks import Mask
from tests.attention.mechanisms import (
    DTYPES,
    HEAD_WIDTH,
    HEADS,
    Inputs,
    Mechanism,
    every_mechanism,
    every_path,
    gradients,
    oracle,
    short_paths,
)

pytestmark = [pytest.mark.slow] if settings.default.max_examples >= 5_000 else []

LONGEST = 9
Masking = tuple[Mask, Tensor]
"""A mask and what it should keep."""


@dataclass(frozen=True)
class Question:
    batch: int
    queries: int
    keys: int
    past: int
    mask: Mask | None
    allowed: Tensor
    size: float
    poison: float
    seed: int


seeds = st.integers(0, 2**32 - 1)


@st.composite
def patterns(draw: st.DrawFn, *shape: int) -> Tensor:
    """Booleans at random, with whole rows and whole columns of False."""
    generator = torch.Generator().manual_seed(draw(seeds))
    density = draw(st.sampled_from([0.0, 0.3, 0.7, 1.0]))
    rows, columns = (*shape[:-1], 1), (*shape[:-2], 1, shape[-1])
    keep = torch.rand(shape, generator=generator) < density
    for blanks in (rows, columns):
        keep = keep & (torch.rand(blanks, generator=generator) < draw(st.sampled_from([0.5, 1.0])))
    return keep


@st.composite
def simple_maskings(draw: st.DrawFn, batch: int, queries: int, keys: int, past: int) -> Masking:
    shape = (batch, HEADS, queries, keys)
    places, distance = torch.arange(keys), torch.arange(keys) - torch.arange(past, past + queries)[:, None]
    kinds = ["lengths", "lengths per query", "window", "segments", "padding", "where", "where of full rank"]
    kind = draw(st.sampled_from(kinds + ["causal"] * (keys == past + queries)))
    counts = st.integers(0, keys)
    if kind == "causal":
        mask, kept = masks.causal(), distance <= 0
    elif kind == "lengths":
        per_sample = draw(st.lists(counts, min_size=batch, max_size=batch))
        mask = masks.lengths(per_sample)
        kept = places < torch.tensor(per_sample, dtype=torch.long).reshape(batch, 1, 1, 1)
    elif kind == "lengths per query":
        flat = draw(st.lists(counts, min_size=batch * queries, max_size=batch * queries))
        per_query = torch.tensor(flat, dtype=torch.long).reshape(batch, queries)
        mask, kept = masks.lengths(per_query), places < per_query[:, None, :, None]
    elif kind == "window":
        before, after = draw(st.integers(0, LONGEST)), draw(st.integers(0, LONGEST))
        mask, kept = masks.window(before=before, after=after), (-before <= distance) & (distance <= after)
    elif kind == "segments":
        generator = torch.Generator().manual_seed(draw(seeds))
        query_ids, key_ids = (torch.randint(3, (batch, n), generator=generator) for n in (queries, keys))
        mask, kept = masks.segments(query_ids, key_ids), query_ids[:, None, :, None] == key_ids[:, None, None]
    elif kind == "padding":
        tokens = draw(patterns(batch, keys)).long() * 7
        mask, kept = masks.padding(tokens), tokens[:, None, None] != 0
    else:
        pattern = draw(patterns(*(shape if kind.endswith("rank") else shape[2:])))
        mask, kept = masks.where(keep=pattern), pattern
    return mask, kept.expand(shape)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    batch, queries, past = (
        draw(st.integers(0, 2)),
        draw(st.integers(0, LONGEST)),
        draw(st.integers(0, LONGEST)),
    )
    fitting = [past + queries] * 2 if past + queries <= LONGEST else []
    keys = draw(st.sampled_from([*range(LONGEST + 1), *fitting]))
    mask: Mask | None = None
    allowed = torch.ones(batch, HEADS, queries, keys, dtype=torch.bool)
    for how in draw(st.lists(st.sampled_from(["&", "|", "&~"]), max_size=3)):
        other, kept = draw(simple_maskings(batch, queries, keys, past))
        other, kept = (~other, ~kept) if how.endswith("~") else (other, kept)
        mask = other if mask is None else (mask | other if how == "|" else mask & other)
        allowed = kept if mask is other else (allowed | kept if how == "|" else allowed & kept)
    size = draw(st.sampled_from([0.0, 1e-3, 1.0, 30.0, 1e4]))
    poison = draw(st.sampled_from([torch.nan, torch.inf, 1e30]))
    return Question(batch, queries, keys, past, mask, allowed, size, poison, draw(seeds))


def inputs_for(question: Question, mechanism: Mechanism) -> Inputs:
    torch.manual_seed(question.seed)
    score, position = mechanism.make()
    shapes = (
        (question.queries, HEAD_WIDTH),
        (question.keys, mechanism.key_width),
        (question.keys, mechanism.value_width),
    )
    tensors = (
        (question.size * torch.randn(question.batch, HEADS, *shape).double()).requires_grad_()
        for shape in shapes
    )
    return Inputs(*tensors, score, position, question.past)


def largest(*tensors: Tensor | None) -> float:
    return max((t.detach().abs().max().item() for t in tensors if t is not None and t.numel()), default=0.0)


def bound(inputs: Inputs) -> float:
    """How far roundings may carry an output: those of the largest score, times the largest value."""
    size = max(largest(*inputs.learned), 1.0)
    return 1e3 * torch.finfo(torch.float64).eps * size**3


@every_mechanism
@given(question=questions())
def test_every_path_answers_every_question_as_the_oracle_does(
    mechanism: Mechanism, question: Question
) -> None:
    inputs = inputs_for(question, mechanism)
    expected, _ = oracle(inputs, question.allowed)
    call = inputs.call(question.mask)
    kept = call.keep()
    assert kept is None or torch.equal(kept.expand(question.allowed.shape), question.allowed)
    silent = ~question.allowed.any(dim=-1)
    unheard = ~question.allowed.any(dim=-2).unsqueeze(-1) & (question.mask is not None)
    poisoned = inputs.with_(
        keys=inputs.keys.masked_fill(unheard, question.poison),
        values=inputs.values.masked_fill(unheard, question.poison),
    )
    with short_paths():
        for path in every_path(call):
            output = path.attend(call)
            assert output.shape == expected.shape
            assert not output.numel() or (output - expected).abs().max().item() <= bound(inputs), path.name
            assert (output[silent] == 0).all(), path.name
            again = path.attend(poisoned.call(question.mask))
            assert torch.equal(again, output), path.name
            assert all(gradient.isfinite().all() for gradient in gradients(again.sum(), poisoned)), path.name


@every_mechanism
@given(question=questions(), dtype=st.sampled_from(DTYPES))
def test_every_answer_is_an_average_in_every_precision(
    mechanism: Mechanism, question: Question, dtype: torch.dtype
) -> None:
    inputs = inputs_for(question, mechanism).to(dtype)
    asked = {name: one for name, one in inputs.arguments.items() if name != "values"}
    weights = weigh(**asked, mask=question.mask).double()
    output = attend(**inputs.arguments, mask=question.mask)

    slack = 16 * torch.finfo(dtype).eps
    assert (weights[~question.allowed] == 0).all()
    assert (weights >= 0).all()
    totals = weights.sum(dim=-1)
    assert (((totals - 1).abs() <= slack) | (totals == 0)).all()
    assert output.dtype == dtype
    table = inputs.position.value_table if isinstance(inputs.position, positions.Relative) else None
    assert largest(output) <= (largest(inputs.values) + largest(table)) * (1 + slack)
    assert output.isfinite().all()


@given(
    st.integers(0, LONGEST).flatmap(
        lambda keys: st.lists(
            st.lists(
                st.sampled_from([-torch.inf, -1e30, -3.0, 0.0, 7.0, 1e30]), min_size=keys, max_size=keys
            ),
            min_size=1,
            max_size=5,
        )
    ),
    seeds,
)
def test_masked_softmax_sums_to_one_or_to_zero(rows: list[list[float]], seed: int) -> None:
    scores = torch.tensor(rows).reshape(len(rows), len(rows[0]))
    keep = torch.rand(scores.shape, generator=torch.Generator().manual_seed(seed)) < 0.6
    for kept in (torch.ones_like(keep), keep):
        weights = masked_softmax(scores, kept)
        hears_something = (kept & ~scores.isneginf()).any(dim=-1)
        torch.testing.assert_close(weights.sum(dim=-1), hears_something.to(weights.dtype))
        assert (weights[~kept] == 0).all()
