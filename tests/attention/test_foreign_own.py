"""Attention that somebody wrote by hand, and models where nothing is to be seen."""

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard import MultiHeadAttention, RegardError, watch
from regard.viewing import AttentionMaps

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 3, 5, 7, 4


class ByHand(nn.Module):
    """softmax(q kᵀ / √d + mask) v, written as people write it."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.form, self.dropout = form, nn.Dropout(0.5)
        self.to_weights = nn.Softmax(dim=-1)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor) -> Tensor:
        scores = (queries @ keys.transpose(-2, -1) / WIDTH**0.5).masked_fill(hidden, -1e9)
        if self.form == "module":
            return self.dropout(self.to_weights(scores)) @ values
        if self.form == "method":
            return self.dropout(scores.softmax(-1)).matmul(values)
        if self.form == "function":
            return torch.matmul(input=self.dropout(torch.softmax(scores, dim=3)), other=values)
        if self.form == "sum":
            return torch.einsum("bhqk,bhkd->bhqd", F.softmax(scores, -1), values)
        raise NotImplementedError


class Outer(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args: Tensor) -> Tensor:
        output: Tensor = self.inner(*args)
        return output.log_softmax(-1).softmax(-1)  # a softmax that is no attention


def four() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    torch.manual_seed(5)
    queries = torch.randn(BATCH, HEADS, QUERIES, WIDTH)
    keys, values = torch.randn(2, BATCH, HEADS, KEYS, WIDTH)
    return queries, keys, values, torch.rand(BATCH, 1, QUERIES, KEYS) < 0.3


@pytest.mark.parametrize("form", ["module", "method", "function"])
def test_attention_written_by_hand_is_seen_whole(form: str) -> None:
    model, (queries, keys, values, hidden) = Outer(ByHand(form)), four()
    torch.manual_seed(3)
    plain = model(queries, keys, values, hidden)
    torch.manual_seed(3)
    with watch(model) as seen:
        assert torch.equal(model(queries, keys, values, hidden), plain)
    record = seen["inner"]
    weights = (queries @ keys.mT / 2).masked_fill(hidden, -torch.inf).softmax(-1)
    torch.testing.assert_close(record.weights, weights, rtol=0, atol=1e-6)
    assert torch.equal(record.keep, ~hidden.expand_as(weights))
    for ours, theirs in ((record.queries, queries), (record.keys, keys), (record.values, values)):
        assert torch.equal(ours, theirs)
    assert record.output.shape == queries.shape


def test_a_batch_of_several_axes_becomes_one() -> None:
    """Windows of an image, say; and values that all samples share."""
    model, (queries, keys, values, _) = ByHand("method").eval(), four()
    windows = torch.randn(3, *queries.shape)
    with watch(model) as seen:
        output = model(windows, keys, values[0], torch.tensor(False))
    record = seen["attention"]
    assert record.weights.shape == (3 * BATCH, HEADS, QUERIES, KEYS)
    torch.testing.assert_close(record.weights @ record.values, record.output)
    torch.testing.assert_close(record.output, output.flatten(0, 1))


def test_of_a_softmax_that_no_product_follows_the_weights_alone_are_seen() -> None:
    model, given = ByHand("sum"), four()
    with watch(model) as seen:
        model(*given)
    record = seen["attention"]
    assert record.weights.shape == (BATCH, HEADS, QUERIES, KEYS)
    assert record.values.shape == (BATCH, HEADS, KEYS, 0)
    assert record.output.shape == (BATCH, HEADS, QUERIES, 0)
    maps = AttentionMaps.of(seen, source=list("abcdefg"), target=list("uvxyz"))
    assert maps["attention"].value_norms is None


def test_scaled_dot_product_attention_is_seen_in_every_shape() -> None:
    class Fused(nn.Module):
        def forward(self, queries: Tensor, keys: Tensor, **options: object) -> Tensor:
            return F.scaled_dot_product_attention(queries, keys, keys, **options)  # type: ignore[arg-type]

    model, (queries, keys, _, hidden) = Fused(), four()
    cases: list[tuple[Tensor, Tensor, dict[str, object]]] = [
        (queries, keys, {"attn_mask": ~hidden, "scale": 0.7}),
        (queries, keys, {"is_causal": True}),
        (queries[:, 0], keys[:, 0], {"attn_mask": torch.randn(QUERIES, KEYS)}),
        (queries, keys[:, :1], {"enable_gqa": True}),
        (queries[:1].expand(2, 1, -1, -1, -1), keys[:1].expand(2, 1, -1, -1, -1), {"attn_mask": ~hidden[:1]}),
    ]
    for asking, answering, options in cases:
        with watch(model) as seen:
            output = model(asking, answering, **options)
        record = seen["attention"]
        made = record.weights @ record.values
        assert record.weights.dim() == 4
        assert record.output.shape == made.shape
        torch.testing.assert_close(made.reshape(output.shape), output)


def test_a_row_that_may_hear_nothing_is_as_its_model_makes_it() -> None:
    class Fused(nn.Module):
        def forward(self, x: Tensor, mask: Tensor) -> Tensor:
            return F.scaled_dot_product_attention(x, x, x, attn_mask=mask)

    x = torch.randn(1, 1, 3, 4)
    for low, total in ((torch.finfo(x.dtype).min, 1.0), (-torch.inf, 0.0)):
        mask = torch.zeros(1, 1, 3, 3)
        mask[..., 1, :] = low
        model = Fused()
        with watch(model) as seen:
            output = model(x, mask)
        torch.testing.assert_close(seen["attention"].weights.sum(-1)[0, 0, 1], torch.tensor(total))
        torch.testing.assert_close(seen["attention"].weights @ x, output)


@pytest.mark.parametrize("form", ["fused", "method"])
def test_what_was_seen_outlives_its_tensors(form: str) -> None:
    """A model may overwrite whatever it computed with."""

    class Careless(nn.Module):
        def forward(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
            if form == "fused":
                output = F.scaled_dot_product_attention(queries, keys, values)
            else:
                scores = queries @ keys.mT / 2
                weights = scores.softmax(-1)
                scores.zero_()
                output = weights @ values
            for tensor in (queries, keys, values, output):
                tensor.zero_()
            return output

    model, (queries, keys, values, _) = Careless(), four()
    with watch(model) as seen:
        model(queries.clone(), keys.clone(), values.clone())
    record, weights = seen["attention"], (queries @ keys.mT / 2).softmax(-1)
    assert torch.equal(record.queries, queries)
    assert torch.equal(record.keys, keys)
    assert torch.equal(record.values, values)
    torch.testing.assert_close(record.weights, weights)
    torch.testing.assert_close(record.output, weights @ values)


def test_own_attention_inside_anothers_model_is_seen_once() -> None:
    model = nn.Sequential(Outer(MultiHeadAttention(6, heads=2)))
    with watch(model) as seen:
        model(torch.randn(2, 5, 6))
    assert list(seen) == ["0.inner"]
    assert len(seen.calls("0.inner")) == 1


def test_a_model_without_attention_says_that_nothing_was_seen() -> None:
    sentence = (
        "Nothing was seen in this Outer. Call it inside the with block; if it was called, its attention ran "
        "where there are no weights to see, as in flash or flex attention, xformers or a compiled part: let "
        "it run on torch's scaled_dot_product_attention."
    )
    model = Outer(nn.Linear(3, 3))
    with watch(model) as seen:
        model(torch.zeros(2, 3))
    with pytest.raises(RegardError) as caught:
        seen["inner"]
    assert str(caught.value) == sentence
    with pytest.raises(RegardError) as caught:
        AttentionMaps.of(seen, source=["a"])
    assert str(caught.value) == sentence
    assert len(seen.stitched()) == 0


def test_watching_loads_neither_a_compiler_nor_an_extra() -> None:
    program = (
        "import sys, torch, regard\n"
        "model = torch.nn.TransformerEncoderLayer(6, 2, batch_first=True)\n"
        "with regard.watch(model) as seen: model(torch.zeros(1, 3, 6))\n"
        "assert list(seen) == ['self_attn']\n"
        "print('torch._dynamo' in sys.modules, 'transformers' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert printed.stdout.split() == ["False", "False"]
