"""What is true of every mechanism under every mask in every precision, forward and backward."""

import itertools
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from regard import attend, masks, weigh
from regard.attention.masks import Mask
from tests.attention.mechanisms import (
    BATCH,
    DTYPES,
    EVERY_MASK,
    EVERY_POSITION,
    EVERY_SCORE,
    HEAD_WIDTH,
    HEADS,
    KEYS,
    QUERIES,
    Hiding,
    Inputs,
    Mechanism,
    assert_nearly,
    every_mask,
    every_mechanism,
    gradients,
    oracle,
    some_inputs,
)

HIDING_SOMETHING = [hiding for hiding in EVERY_MASK if not hiding.allowed.all()]
HIDING_WHOLE_KEYS = [hiding for hiding in EVERY_MASK if not hiding.allowed.any(dim=-2).all()]
LOUD = {dtype: 6e4 if dtype == torch.float16 else 1e30 for dtype in DTYPES}
SILENCING = [hiding for hiding in EVERY_MASK if not hiding.allowed.any(dim=-1).all()]


def answers(inputs: Inputs, mask: Mask | None, upstream: Tensor | None = None) -> list[Tensor]:
    """The output and every gradient."""
    output = attend(**inputs.arguments, mask=mask)
    return [output, *gradients(output, inputs, torch.ones_like(output) if upstream is None else upstream)]


def weights_of(inputs: Inputs, mask: Mask | None) -> Tensor:
    return weigh(**{name: one for name, one in inputs.arguments.items() if name != "values"}, mask=mask)


def equal(found: list[Tensor], expected: list[Tensor]) -> bool:
    return all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


@every_mechanism
@pytest.mark.parametrize("hiding", HIDING_WHOLE_KEYS, ids=str)
def test_a_key_hidden_from_every_query_cannot_be_heard_whatever_it_holds(
    mechanism: Mechanism, hiding: Hiding
) -> None:
    unheard = ~hiding.allowed.any(dim=-2).unsqueeze(-1)
    for dtype in DTYPES:
        inputs = some_inputs(mechanism, dtype, hiding)
        before = answers(inputs, hiding.mask)
        for poison in (torch.nan, torch.inf, -torch.inf, LOUD[dtype]):
            keys, values = (tensor.masked_fill(unheard, poison) for tensor in (inputs.keys, inputs.values))
            after = answers(inputs.with_(keys=keys, values=values), hiding.mask)
            assert equal(after, before), f"{poison} was heard in {dtype}"


@every_mechanism
@pytest.mark.parametrize("hiding", HIDING_SOMETHING, ids=str)
def test_a_key_hidden_from_a_query_cannot_be_heard_by_it(mechanism: Mechanism, hiding: Hiding) -> None:
    for dtype in DTYPES:
        inputs = some_inputs(mechanism, dtype, hiding)
        hidden_from_some = [key for key in range(KEYS) if not hiding.allowed[..., key].all()]
        for key in {hidden_from_some[0], hidden_from_some[-1]}:
            deaf = ~hiding.allowed[..., key]
            only_the_deaf = deaf.unsqueeze(-1).expand(*deaf.shape, mechanism.value_width).to(dtype)
            keys, values = inputs.keys.detach().clone(), inputs.values.detach().clone()
            keys[..., key, :], values[..., key, :] = LOUD[dtype], -LOUD[dtype]

            before = answers(inputs, hiding.mask, only_the_deaf)
            after = answers(inputs.with_(keys=keys, values=values), hiding.mask, only_the_deaf)

            before[0], after[0] = before[0][deaf], after[0][deaf]
            for found, expected in zip(after, before, strict=True):  # the path taken may be another
                assert_nearly(found, expected)


@pytest.mark.parametrize("mechanism", EVERY_SCORE, ids=str)
@every_mask
def test_the_order_of_keys_is_irrelevant(mechanism: Mechanism, hiding: Hiding) -> None:
    order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
    shuffled_mask = masks.where(keep=hiding.allowed[..., order])
    for dtype in DTYPES:
        inputs = some_inputs(mechanism, dtype, hiding)
        shuffled = inputs.with_(keys=inputs.keys[..., order, :], values=inputs.values[..., order, :])
        upstream = torch.randn(BATCH, HEADS, hiding.queries, mechanism.value_width, dtype=dtype)

        expected = answers(inputs, hiding.mask, upstream)
        found = answers(shuffled, shuffled_mask, upstream)

        for number in (2, 3):  # the gradients of keys and values follow them
            expected[number] = expected[number][..., order, :]
        for one, other in zip(found, expected, strict=True):
            assert_nearly(one, other)


@pytest.mark.parametrize("mechanism", EVERY_POSITION, ids=str)
def test_with_positions_the_order_of_keys_is_heard(mechanism: Mechanism) -> None:
    inputs = some_inputs(mechanism)
    reversed_ = inputs.with_(keys=inputs.keys.flip(-2), values=inputs.values.flip(-2))
    distance = attend(**inputs.arguments) - attend(**reversed_.arguments)
    assert distance.abs().max() > 0.01


@every_mechanism
@every_mask
def test_weights_sum_to_one_or_to_zero(mechanism: Mechanism, hiding: Hiding) -> None:
    for dtype in DTYPES:
        inputs = some_inputs(mechanism, dtype, hiding)
        weights = weights_of(inputs, hiding.mask)
        _, expected = oracle(inputs.to(torch.float64), hiding.allowed)
        hears_something = expected.sum(dim=-1) > 0.5
        assert (weights >= 0).all()
        assert (weights[~hiding.allowed] == 0).all()
        assert_nearly(weights, expected.to(dtype))
        assert_nearly(weights.double().sum(dim=-1).to(dtype), hears_something.to(dtype))


@every_mechanism
@pytest.mark.parametrize("hiding", SILENCING, ids=str)
def test_a_query_that_may_attend_to_nothing_answers_exactly_zero(
    mechanism: Mechanism, hiding: Hiding
) -> None:
    silent = ~hiding.allowed.any(dim=-1)
    for dtype in DTYPES:
        inputs = some_inputs(mechanism, dtype, hiding)
        output, *backward = answers(inputs, hiding.mask)
        assert (output[silent] == 0).all()
        assert (backward[0][silent] == 0).all()
        assert all(gradient.isfinite().all() for gradient in backward)


@every_mechanism
@pytest.mark.parametrize(
    ("batch", "queries", "keys"), [(BATCH, QUERIES, 0), (BATCH, 0, KEYS), (0, QUERIES, KEYS), (0, 0, 0)]
)
@pytest.mark.parametrize("masked", [False, True])
def test_nothing_asked_or_nothing_to_hear_is_no_error(
    mechanism: Mechanism, batch: int, queries: int, keys: int, masked: bool
) -> None:
    mask = masks.lengths([keys // 2] * batch) & masks.window(before=2, after=1) if masked else None
    for dtype in DTYPES:
        whole = some_inputs(mechanism, dtype)
        inputs = whole.with_(
            queries=whole.queries[:batch, :, :queries],
            keys=whole.keys[:batch, :, :keys],
            values=whole.values[:batch, :, :keys],
        )
        output, *backward = answers(inputs, mask)
        assert output.shape == (batch, HEADS, queries, mechanism.value_width)
        assert output.dtype == dtype
        assert (output == 0).all()
        assert all((gradient == 0).all() for gradient in backward)


@every_mechanism
def test_a_key_alone_is_heard_whole_or_not_at_all(mechanism: Mechanism) -> None:
    inputs = some_inputs(mechanism)
    weights = weights_of(inputs, masks.lengths([1, 0]))
    assert ((weights[0, ..., 0] == 1) | (weights[0, ..., 0] == 0)).all()
    assert (weights[0, ..., 0] == 1).any()
    assert (weights[0, ..., 1:] == 0).all()
    assert (weights[1] == 0).all()


@every_mechanism
def test_a_padded_batch_equals_its_sentences_one_by_one(mechanism: Mechanism) -> None:
    counts = [3, KEYS]
    tokens = torch.tensor([[5] * count + [0] * (KEYS - count) for count in counts])
    for dtype in DTYPES:
        inputs = some_inputs(mechanism, dtype)
        alone = [attend(**one.arguments) for one in one_by_one(inputs, counts)]
        for mask in (
            masks.lengths(counts),
            masks.lengths(torch.tensor(counts)),
            masks.lengths([[count] * QUERIES for count in counts]),
            masks.padding(tokens),
            masks.segments(torch.full((BATCH, QUERIES), 5), tokens),
            masks.where(keep=(tokens != 0)[:, None, None, :]),
        ):
            together = attend(**inputs.arguments, mask=mask)
            for sample, expected in zip(together, alone, strict=True):
                assert_nearly(sample, expected)


def one_by_one(inputs: Inputs, counts: list[int]) -> Iterator[Inputs]:
    for sample, count in enumerate(counts):
        one = inputs.at(sample)
        yield one.with_(keys=one.keys[..., :count, :], values=one.values[..., :count, :])


@every_mechanism
def test_any_batch_axes_equal_a_loop_over_them(mechanism: Mechanism) -> None:
    leading = (2, 5)
    counts = torch.tensor([3, KEYS])[:, None, None, None, None]
    pattern = torch.rand(*leading, HEADS, QUERIES, KEYS) < 0.5
    whole = torch.ones_like(pattern)
    before = torch.arange(KEYS) <= torch.arange(KEYS - QUERIES, KEYS)[:, None]
    inputs = some_inputs(mechanism, batch=(*leading, HEADS))
    for mask, keep in (
        (None, whole),
        (masks.lengths([3, KEYS]), whole & (torch.arange(KEYS) < counts)),
        (masks.causal() & masks.lengths([3, KEYS]), whole & before & (torch.arange(KEYS) < counts)),
        (masks.where(keep=pattern), pattern),
    ):
        together = attend(**inputs.arguments, mask=mask)
        for place in itertools.product(*map(range, leading)):
            alone = attend(**inputs.at(*place).arguments, mask=masks.where(keep=keep[place]))
            assert_nearly(together[place], alone)
            if not mechanism.knows_heads:
                plain = attend(**inputs.at(*place, 1).arguments, mask=masks.where(keep=keep[place][1]))
                assert_nearly(together[place][1], plain)


@pytest.mark.parametrize("mechanism", EVERY_SCORE, ids=str)
def test_attending_to_oneself_has_finite_gradients(mechanism: Mechanism) -> None:
    for dtype in DTYPES:
        score, _ = mechanism.make(dtype, key_width=HEAD_WIDTH)
        x = torch.randn(BATCH, KEYS, HEAD_WIDTH, dtype=dtype, requires_grad=True)
        (gradient,) = torch.autograd.grad(attend(x, score=score).square().sum(), [x])
        assert gradient.isfinite().all()


def test_attention_of_a_tensor_alone_is_attention_to_itself() -> None:
    x = torch.randn(2, 3, 5)
    assert torch.equal(attend(x), attend(x, x, x))
    y = torch.randn(2, 7, 5)
    assert torch.equal(attend(x, y), attend(x, y, y))
