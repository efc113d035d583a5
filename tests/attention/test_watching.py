"""What is seen while watching, and what a change does."""

import copy

import pytest
import torch
from torch import Tensor, nn

from regard import (
    Attention,
    KnockOut,
    MaskKeys,
    MultiHeadAttention,
    ReplaceWeights,
    Temperature,
    intervene,
    masks,
    positions,
    scores,
    watch,
)
from tests.attention.mechanisms import HEAD_WIDTH, Mechanism, assert_nearly, every_mechanism

HEADS, WIDTH = 3, 3 * HEAD_WIDTH


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(MultiHeadAttention(WIDTH, heads=HEADS, key_heads=1) for _ in range(2))
        self.summary = Attention(score=scores.Uniform())

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = x + layer(x, mask=masks.causal())
        return self.summary(x[:, :1], x)


def test_attentions_are_seen_by_the_names_of_their_modules() -> None:
    model, x = Layers(), torch.randn(2, 5, WIDTH)
    with watch(model) as seen:
        model(x)
        model(x[:, :3])
    assert list(seen) == ["layers.0", "layers.1", "summary"]
    assert [record.queries.shape[-2] for record in seen.calls("layers.1")] == [5, 3]
    record = seen["layers.0"]
    assert record.weights.shape == (2, HEADS, 3, 3)
    assert record.keys.shape == record.values.shape == (2, HEADS, 3, HEAD_WIDTH)
    assert seen["summary"].weights.shape == (2, 1, 1, 3)
    assert repr(seen) == "Seen(layers.0, layers.1, summary)"


def test_what_was_seen_fits_together() -> None:
    model = Layers().double()
    with watch(model) as seen:
        model(torch.randn(2, 5, WIDTH).double())
    record = seen["layers.0"]
    assert torch.equal(record.scores.isneginf(), ~record.keep)
    assert_nearly(record.scores.softmax(dim=-1), record.weights)
    assert_nearly(record.weights @ record.values, record.output)


def test_nothing_is_left_on_any_module() -> None:
    model = Layers()
    before = {name: set(vars(module)) for name, module in model.named_modules()}
    with watch(model):
        model(torch.randn(2, 5, WIDTH))
    assert {name: set(vars(module)) for name, module in model.named_modules()} == before


def test_watches_nest_and_end() -> None:
    model, x = Layers(), torch.randn(2, 5, WIDTH)
    with watch(model) as outer:
        with watch(model.layers[0]) as inner:
            model(x)
        model(x)
    model(x)
    assert (len(outer.calls("layers.0")), len(inner.calls("attention"))) == (2, 1)
    assert list(inner) == ["attention"]


def test_a_watch_ends_with_an_error_too() -> None:
    attention = Attention()
    with pytest.raises(ZeroDivisionError), watch(attention) as seen:
        raise ZeroDivisionError
    attention(torch.randn(2, 3, 4))
    assert len(seen) == 0


@every_mechanism
def test_a_record_outlives_what_it_saw(mechanism: Mechanism) -> None:
    """Whoever owns the tensors may overwrite them, and an optimizer the parameters."""
    score, position = mechanism.make(key_width=HEAD_WIDTH)
    attention = Attention(score=score, position=position)
    x = torch.randn(2, HEADS, 5, HEAD_WIDTH).double()
    with torch.no_grad(), watch(attention) as seen:
        output = attention(x)
        expected = seen["attention"].weights.clone(), output.clone()
        x += output
        output.zero_()
        for parameter in attention.parameters():
            parameter.add_(1.0)
    assert torch.equal(seen["attention"].weights, expected[0])
    assert torch.equal(seen["attention"].output, expected[1])


def test_a_memory_that_grows_does_not_change_what_was_seen() -> None:
    attention = MultiHeadAttention(WIDTH, heads=HEADS)
    x = torch.randn(2, 5, WIDTH)
    with torch.no_grad(), watch(attention) as seen:
        memory = attention.remember(x[:, :4])
        attention(x[:, 3:4], memory)
        before = seen["attention"].keys.clone()
        attention.remember(x[:, 4:], after=memory)
    assert torch.equal(seen["attention"].keys, before)


@every_mechanism
@pytest.mark.parametrize("mask", [None, masks.causal() & masks.lengths([2, 5])], ids=str)
def test_one_head_or_one_query_alone_are_those_of_the_whole(
    mechanism: Mechanism, mask: masks.Mask | None
) -> None:
    score, position = mechanism.make(key_width=HEAD_WIDTH)
    attention = MultiHeadAttention(WIDTH, heads=HEADS, score=score, position=position).double()
    with watch(attention) as seen:
        attention(torch.randn(2, 5, WIDTH).double(), mask=mask)
    record = seen["attention"]
    assert_nearly(record.weights_of(head=1), record.weights[:, 1:2])
    assert_nearly(record.weights_of(query=3), record.weights[:, :, 3:4])
    assert_nearly(record.weights_of(head=2, query=0), record.weights[:, 2:, :1])


def changed(attention: MultiHeadAttention, x: Tensor, change: object) -> tuple[Tensor, Tensor]:
    """The weights and the heads' outputs under a change."""
    with watch(attention) as seen, intervene(attention, {"attention": change}):
        attention(x)
    return seen["attention"].weights, seen["attention"].output


@pytest.fixture(name="attention")
def an_attention() -> MultiHeadAttention:
    position = positions.Relative(reach=2, head_width=HEAD_WIDTH)
    return MultiHeadAttention(WIDTH, heads=HEADS, key_heads=1, position=position).double()


def test_heads_that_are_knocked_out_answer_zero(attention: MultiHeadAttention) -> None:
    x = torch.randn(2, 5, WIDTH).double()
    with watch(attention) as seen:
        attention(x)
    weights, output = changed(attention, x, KnockOut(heads=iter([0, 2])))
    assert (output[:, [0, 2]] == 0).all()
    assert (weights[:, [0, 2]] == 0).all()
    assert_nearly(output[:, 1], seen["attention"].output[:, 1])


def test_hidden_keys_leave_their_weight_to_the_others(attention: MultiHeadAttention) -> None:
    x = torch.randn(2, 5, WIDTH).double()
    with watch(attention) as seen:
        attention(x)
    left = seen["attention"].weights.clone()
    left[..., [1, 4]] = 0
    weights, _ = changed(attention, x, MaskKeys(keys=iter([1, 4])))
    assert_nearly(weights, left / left.sum(dim=-1, keepdim=True))


def test_weights_may_be_replaced(attention: MultiHeadAttention) -> None:
    attention.position = None
    x = torch.randn(2, 5, WIDTH).double()
    with watch(attention) as seen:
        attention(x)
    weights, output = changed(attention, x, ReplaceWeights(torch.eye(5).flip(0)))
    assert torch.equal(weights, torch.eye(5).double().flip(0).expand(2, HEADS, 5, 5))
    assert_nearly(output, seen["attention"].values.flip(-2))


def test_temperature_flattens_and_sharpens(attention: MultiHeadAttention) -> None:
    x = torch.randn(2, 5, WIDTH).double()
    with watch(attention) as seen:
        attention(x)
    assert_nearly(changed(attention, x, Temperature(1.0))[0], seen["attention"].weights)
    even = torch.full((2, HEADS, 5, 5), 0.2, dtype=torch.float64)
    assert_nearly(changed(attention, x, Temperature(1e18))[0], even)
    cold = changed(attention, x, Temperature(1e-3))[0]
    assert torch.equal(cold.argmax(dim=-1), seen["attention"].weights.argmax(dim=-1))
    assert (cold.amax(dim=-1) > 0.99).all()


def test_a_change_has_gradients(attention: MultiHeadAttention) -> None:
    x = torch.randn(2, 5, WIDTH).double()
    with intervene(attention, {"attention": MaskKeys(keys=[0])}):
        attention(x).sum().backward()
    assert all(parameter.grad is not None for parameter in attention.parameters())


def test_changes_nest_and_end(attention: MultiHeadAttention) -> None:
    x = torch.randn(2, 5, WIDTH).double()
    plain = copy.deepcopy(attention)(x)
    with intervene(attention, {"attention": KnockOut(heads=[0])}):
        outer = attention(x)
        with intervene(attention, {"attention": KnockOut(heads=[1])}):
            assert not torch.equal(attention(x), outer)
        assert torch.equal(attention(x), outer)
    assert torch.equal(attention(x), plain)
