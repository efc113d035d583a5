"""What is true of many heads, of what they remember and of who looks at them, whatever the mechanism."""

import threading
from collections.abc import Sequence
from functools import partial

import pytest
import torch
from torch import Tensor, nn

import regard
from regard import Attention, KnockOut, Memory, MultiHeadAttention, attend, masks, weigh
from regard.attention.masks import Mask
from tests.attention.mechanisms import (
    BATCH,
    DTYPES,
    HEAD_WIDTH,
    HEADS,
    KEYS,
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


def many_heads(
    mechanism: Mechanism,
    dtype: torch.dtype = torch.float64,
    *,
    heads: int = HEADS,
    key_heads: int | None = None,
    dropout: float = 0.0,
) -> MultiHeadAttention:
    score, position = mechanism.make(key_width=HEAD_WIDTH, heads=heads)
    attention = MultiHeadAttention(
        heads * HEAD_WIDTH, heads=heads, key_heads=key_heads, score=score, position=position, dropout=dropout
    )
    nn.init.normal_(attention.projection.bias)
    return attention.to(dtype)


def sentence(count: int, heads: int = HEADS, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(BATCH, count, heads * HEAD_WIDTH, dtype=dtype, requires_grad=True)


@every_mechanism
@every_mask
@pytest.mark.parametrize("key_heads", [1, HEADS])
def test_many_heads_are_attentions_side_by_side(mechanism: Mechanism, hiding: Hiding, key_heads: int) -> None:
    attention = many_heads(mechanism, key_heads=key_heads)
    queries, keys, values = sentence(hiding.queries), sentence(KEYS), sentence(KEYS)
    sizes = [attention.width, attention.key_width, attention.key_width]
    projected = [
        (vectors @ matrix.T + bias).unflatten(-1, (-1, HEAD_WIDTH)).transpose(1, 2)
        for vectors, matrix, bias in zip(
            (queries, keys, values),
            attention.projection.weight.split(sizes),
            attention.projection.bias.split(sizes),
            strict=True,
        )
    ]
    shared = [heads.repeat_interleave(HEADS // heads.shape[1], dim=1) for heads in projected]
    head_outputs, _ = oracle(
        Inputs(*shared, attention.score, attention.position, hiding.past), hiding.allowed
    )
    expected = attention.output_projection(head_outputs.transpose(1, 2).flatten(2))

    found = attention(queries, keys, values, mask=hiding.mask, past=hiding.past)

    upstream = torch.randn_like(expected)
    learned = [queries, keys, values, *attention.parameters()]
    assert_nearly(found, expected)
    for one, other in zip(
        torch.autograd.grad(found, learned, upstream, allow_unused=True, materialize_grads=True),
        torch.autograd.grad(expected, learned, upstream, allow_unused=True, materialize_grads=True),
        strict=True,
    ):
        assert_nearly(one, other)


@every_mechanism
def test_one_head_with_identity_projections_is_plain_attention(mechanism: Mechanism) -> None:
    for dtype in DTYPES:
        attention = many_heads(mechanism, dtype, heads=1)
        with torch.no_grad():
            attention.projection.weight.copy_(torch.eye(HEAD_WIDTH).repeat(3, 1))
            attention.output_projection.weight.copy_(torch.eye(HEAD_WIDTH))
            attention.projection.bias.zero_()
        x, y, z = sentence(5, 1, dtype), sentence(7, 1, dtype), sentence(7, 1, dtype)
        plain = partial(plainly, attention, mechanism.knows_heads)
        for mask in (None, masks.window(before=2, after=1), masks.lengths([3, 0])):
            assert_nearly(attention(x, mask=mask), plain(x, mask=mask))
            assert_nearly(attention(x, y, mask=mask), plain(x, y, mask=mask))
            assert_nearly(attention(x, y, z, mask=mask), plain(x, y, z, mask=mask))


def plainly(attention: MultiHeadAttention, has_heads: bool, *tensors: Tensor, mask: Mask | None) -> Tensor:
    if has_heads:
        tensors = tuple(tensor.unsqueeze(1) for tensor in tensors)
    output = attend(*tensors, score=attention.score, position=attention.position, mask=mask)
    return output.squeeze(1) if has_heads else output


def in_pieces(
    attention: MultiHeadAttention, x: Tensor, sizes: Sequence[int], mask: Mask, after: Memory | None = None
) -> tuple[Tensor, Memory]:
    """Remember a piece, let it attend to everything so far, and go on."""
    outputs = []
    for piece in x.split(list(sizes), dim=1):
        after = attention.remember(piece, after=after)
        outputs.append(attention(piece, after, mask=mask))
    assert after is not None
    return torch.cat(outputs, dim=1), after


@every_mechanism
@pytest.mark.parametrize("key_heads", [1, 2, 4])
@pytest.mark.parametrize("learning", [True, False])
def test_remembered_is_one_long_pass(mechanism: Mechanism, key_heads: int, learning: bool) -> None:
    for dtype in DTYPES[:2] if mechanism.has_an_edge else DTYPES:  # half precision rounds each projection
        attention = many_heads(mechanism, dtype, heads=4, key_heads=key_heads)
        x = sentence(7, 4, dtype)
        for mask in (masks.causal(), masks.causal() & masks.window(before=2, after=0)):
            with torch.set_grad_enabled(learning):
                expected = attention(x, mask=mask)
                found, memory = in_pieces(attention, x, [3, 1, 2, 1], mask)
            assert (len(memory), memory.past) == (7, 6)
            assert_nearly(found, expected)
            if learning and dtype == torch.float64:
                for one, other in zip(
                    torch.autograd.grad(found.square().sum(), [x, attention.projection.weight]),
                    torch.autograd.grad(expected.square().sum(), [x, attention.projection.weight]),
                    strict=True,
                ):
                    assert_nearly(one, other)


@every_mechanism
@pytest.mark.parametrize("learning", [True, False])
def test_two_memories_that_grow_from_one_do_not_disturb_each_other(
    mechanism: Mechanism, learning: bool
) -> None:
    attention = many_heads(mechanism, heads=4, key_heads=2)
    start, left, right = sentence(4, 4), sentence(3, 4), sentence(3, 4)
    with torch.set_grad_enabled(learning):
        _, memory = in_pieces(attention, start, [2, 2], masks.causal())
        _, left_memory = in_pieces(attention, left[:, :1], [1], masks.causal(), memory)
        right_output, _ = in_pieces(attention, right, [1, 2], masks.causal(), memory)
        left_output, _ = in_pieces(attention, left[:, 1:], [1, 1], masks.causal(), left_memory)
        expected_left = attention(torch.cat([start, left], dim=1), mask=masks.causal())
        expected_right = attention(torch.cat([start, right], dim=1), mask=masks.causal())
    assert_nearly(left_output, expected_left[:, 5:])
    assert_nearly(right_output, expected_right[:, 4:])
    assert len(memory) == 4


@every_mechanism
@pytest.mark.parametrize("key_heads", [1, HEADS])
def test_training_without_dropout_is_evaluation(mechanism: Mechanism, key_heads: int) -> None:
    for dtype in DTYPES:
        attention = many_heads(mechanism, dtype, key_heads=key_heads)
        x = sentence(5, dtype=dtype)
        assert torch.equal(attention.train()(x), attention.eval()(x))


@every_mechanism
@every_mask
def test_watched_is_unwatched_bit_for_bit(mechanism: Mechanism, hiding: Hiding) -> None:
    for dtype in DTYPES:
        inputs = some_inputs(mechanism, dtype, hiding)
        attention = Attention(score=inputs.score, position=inputs.position, dropout=0.3)
        tensors = (inputs.queries, inputs.keys, inputs.values)
        ask = partial(attention, *tensors, mask=hiding.mask, past=hiding.past)

        torch.manual_seed(7)
        unwatched = ask()
        backward = gradients(unwatched.sum(), inputs)
        torch.manual_seed(7)
        with regard.watch(attention) as seen:
            watched = ask()
        record = seen["attention"]
        assert torch.equal(watched, unwatched)
        assert torch.equal(record.output, unwatched)
        weights = weigh(
            *tensors[:2], score=inputs.score, position=inputs.position, past=hiding.past, mask=hiding.mask
        )
        assert torch.equal(record.weights, weights), "what is recorded comes before dropout"
        assert torch.equal(record.keep, hiding.allowed)
        for one, other in zip(gradients(watched.sum(), inputs), backward, strict=True):
            assert torch.equal(one, other)


class Pair(nn.Module):
    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__()
        self.first, self.second = many_heads(mechanism), many_heads(mechanism)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.first(x), self.second(x)


@every_mechanism
def test_a_change_to_one_attention_leaves_the_others_as_they_were_bit_for_bit(mechanism: Mechanism) -> None:
    pair, x = Pair(mechanism), sentence(5)
    first, second = pair(x)
    with regard.intervene(pair, {"second": KnockOut(heads=[0])}), regard.watch(pair) as seen:
        same, other = pair(x)
    assert torch.equal(same, first)
    assert not torch.equal(other, second)
    assert set(seen) == {"first", "second"}
    assert torch.equal(pair(x)[1], second), "the change ends with the block"


@every_mechanism
def test_a_watch_and_a_change_do_not_leak_into_another_thread(mechanism: Mechanism) -> None:
    pair, x = Pair(mechanism), sentence(5)
    expected = pair(x)
    answers = []
    with regard.watch(pair) as seen, regard.intervene(pair, {"first": KnockOut(heads=[0])}):
        thread = threading.Thread(target=lambda: answers.append(pair(x)))
        thread.start()
        thread.join()
        assert len(seen) == 0
    assert all(torch.equal(one, other) for one, other in zip(answers[0], expected, strict=True))


@every_mechanism
@pytest.mark.parametrize("poison", [torch.nan, torch.inf])
def test_keys_that_no_query_hears_leave_no_trace_in_the_projections(
    mechanism: Mechanism, poison: float
) -> None:
    attention = many_heads(mechanism)
    queries, keys, values = sentence(5), sentence(7), sentence(7)
    poisoned = [tensor.detach().clone() for tensor in (keys, values)]
    for tensor in poisoned:
        tensor[0, 3:] = poison
    for mask in (
        masks.lengths([3, 7]),
        masks.padding(torch.tensor([[5, 5, 5, 0, 0, 0, 0], [5] * 7])) & masks.window(before=9, after=9),
        masks.where(keep=(torch.arange(7) < torch.tensor([3, 7])[:, None])[:, None, None]),
    ):
        trusted, learned = (
            [one, *torch.autograd.grad(one.sum(), list(attention.parameters()), allow_unused=True)]
            for one in (attention(queries, keys, values, mask=mask), attention(queries, *poisoned, mask=mask))
        )
        for one, other in zip(learned, trusted, strict=True):
            assert one is other is None or torch.equal(one, other)
