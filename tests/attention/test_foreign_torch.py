"""torch's own attentions: seen by their names, and answering the same bit for bit, fast path or not."""

import threading

import pytest
import torch
from torch import Tensor, nn

from regard import watch

BATCH, QUERIES, KEYS, WIDTH, HEADS = 2, 5, 7, 12, 2  # an even number of heads: else there is no fast path
LENGTHS = torch.tensor([7, 4])
PADDING = torch.arange(KEYS) >= LENGTHS[:, None]
LATE = nn.Transformer.generate_square_subsequent_mask(KEYS)


def noisy(module: nn.Module) -> nn.Module:
    """Biases begin at zero, where a mistake in them would not show."""
    for parameter in module.parameters():
        parameter.data.add_(0.1 * torch.randn_like(parameter))
    return module


def encoder(*, norm_first: bool = False, nested: bool = False) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, dim_feedforward=11, batch_first=True, norm_first=norm_first, dropout=0.3
    )
    whole = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=nested)
    assert isinstance(noisy(whole), nn.TransformerEncoder)
    return whole


def told_by(attention: nn.MultiheadAttention, *args: Tensor, **kwargs: Tensor | None) -> Tensor:
    """Weights by head, as the module itself tells them; where gradients are wanted it takes no fast path."""
    weights: Tensor = attention.eval()(*args, **kwargs, average_attn_weights=False)[1]
    assert weights.requires_grad
    return weights.detach()


@pytest.fixture(autouse=True)
def _the_same_numbers() -> None:
    torch.manual_seed(5)


def test_the_fast_path_is_taken_watched_and_unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    kernel = torch._transformer_encoder_layer_fwd
    monkeypatch.setattr(
        torch, "_transformer_encoder_layer_fwd", lambda *args: taken.append(1) or kernel(*args)
    )
    model, x = encoder().eval(), torch.randn(BATCH, KEYS, WIDTH)
    with torch.no_grad():
        model(x)
        with watch(model):
            model(x)
    assert len(taken) == 4


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("mask", [None, LATE, LATE.isneginf()], ids=["open", "float", "bool"])
@pytest.mark.parametrize("padding", [None, PADDING], ids=["full", "padded"])
@pytest.mark.parametrize("mode", ["fast", "evaluation", "training"])
@pytest.mark.filterwarnings("ignore:enable_nested_tensor", "ignore:The PyTorch API of nested tensors")
@pytest.mark.filterwarnings("ignore:Support for mismatched")
def test_an_encoder_answers_the_same_and_is_seen(
    norm_first: bool, nested: bool, mask: Tensor | None, padding: Tensor | None, mode: str
) -> None:
    model = encoder(norm_first=norm_first, nested=nested).train(mode == "training")
    x = torch.randn(BATCH, KEYS, WIDTH)
    with torch.set_grad_enabled(mode != "fast"):
        torch.manual_seed(3)
        plain = model(x, mask, padding)
        torch.manual_seed(3)
        with watch(model) as seen:
            watched = model(x, mask, padding)
    assert torch.equal(plain, watched)
    assert list(seen) == ["layers.0.self_attn", "layers.1.self_attn"]
    record = seen["layers.0.self_attn"]
    layer = model.layers[0]
    y = layer.norm1(x) if norm_first else x
    told = told_by(layer.self_attn, y, y, y, key_padding_mask=padding, attn_mask=mask)
    rows = torch.ones(BATCH, KEYS, dtype=torch.bool) if padding is None else ~padding
    rows = rows[:, None].expand(BATCH, HEADS, KEYS)
    torch.testing.assert_close(record.weights[rows], told[rows], rtol=0, atol=1e-6)
    late = torch.zeros(KEYS, KEYS, dtype=torch.bool) if mask is None else LATE.isneginf()
    hidden = late if padding is None else late | padding[:, None, None]
    assert torch.equal(record.keep[rows], ~hidden.expand(BATCH, HEADS, KEYS, KEYS)[rows])


def test_both_layers_give_what_the_layer_makes_of_it() -> None:
    model, x = encoder().eval(), torch.randn(BATCH, KEYS, WIDTH)
    with torch.no_grad(), watch(model) as seen:
        model(x)
    heads = seen["layers.0.self_attn"].output.transpose(1, 2).flatten(2)
    first = model.layers[0]
    with torch.no_grad():
        y = first.norm1(x + first.self_attn.out_proj(heads))
        y = first.norm2(y + first._ff_block(y))
        torch.testing.assert_close(y, first(x))


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.filterwarnings("ignore:enable_nested_tensor", "ignore:The PyTorch API of nested tensors")
def test_a_whole_transformer_is_seen_side_by_side(batch_first: bool, training: bool) -> None:
    model = nn.Transformer(
        WIDTH, HEADS, 1, 2, dim_feedforward=11, dropout=0.3, batch_first=batch_first
    ).train(training)
    source, target = torch.randn(BATCH, KEYS, WIDTH), torch.randn(BATCH, QUERIES, WIDTH)
    if not batch_first:
        source, target = source.transpose(0, 1), target.transpose(0, 1)
    late = LATE[:QUERIES, :QUERIES].isneginf()

    def answer() -> Tensor:
        torch.manual_seed(3)
        return model(
            source, target, tgt_mask=late, src_key_padding_mask=PADDING, memory_key_padding_mask=PADDING,
            tgt_is_causal=True, tgt_key_padding_mask=torch.zeros(BATCH, QUERIES, dtype=torch.bool),
        )  # fmt: skip

    plain = answer()
    with watch(model) as seen:
        watched = answer()
    assert torch.equal(plain, watched)
    assert {name: tuple(record.weights.shape) for name, record in seen.items()} == {
        "encoder.layers.0.self_attn": (BATCH, HEADS, KEYS, KEYS),
        "decoder.layers.0.self_attn": (BATCH, HEADS, QUERIES, QUERIES),
        "decoder.layers.0.multihead_attn": (BATCH, HEADS, QUERIES, KEYS),
        "decoder.layers.1.self_attn": (BATCH, HEADS, QUERIES, QUERIES),
        "decoder.layers.1.multihead_attn": (BATCH, HEADS, QUERIES, KEYS),
    }
    assert torch.equal(seen["decoder.layers.0.self_attn"].keep[0, 0], ~late)
    assert torch.equal(seen["decoder.layers.1.multihead_attn"].keep[:, 0, 0], ~PADDING)


VARIANTS: dict[str, dict[str, object]] = {
    "plain": {},
    "without bias": {"bias": False},
    "other widths": {"kdim": 5, "vdim": 3},
    "a learned key": {"add_bias_kv": True},
    "a key of zeros": {"add_zero_attn": True},
    "both": {"add_bias_kv": True, "add_zero_attn": True},
    "time first": {"batch_first": False},
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("need_weights", [True, False])
def test_every_variant_of_multi_head_attention_is_seen(variant: str, need_weights: bool) -> None:
    options = {"batch_first": True, **VARIANTS[variant]}
    attention = noisy(nn.MultiheadAttention(WIDTH, HEADS, dropout=0.3, **options))  # type: ignore[arg-type]
    assert isinstance(attention, nn.MultiheadAttention)
    queries, keys, values = (
        torch.randn(BATCH, QUERIES, WIDTH),
        torch.randn(BATCH, KEYS, attention.kdim),
        torch.randn(BATCH, KEYS, attention.vdim),
    )
    if not attention.batch_first:
        queries, keys, values = (side.transpose(0, 1) for side in (queries, keys, values))
    per_head = torch.randn(BATCH * HEADS, QUERIES, KEYS)
    given = {"key_padding_mask": PADDING, "attn_mask": per_head > 1.0}

    def answer() -> Tensor:
        torch.manual_seed(3)
        output: Tensor = attention(queries, keys, values, **given, need_weights=need_weights)[0]
        return output

    plain = answer()
    with watch(attention) as seen:
        watched = answer()
    assert torch.equal(plain, watched)
    record = seen["attention"]
    told = told_by(attention, queries, keys, values, **given)
    torch.testing.assert_close(record.weights, told, rtol=0, atol=1e-6)
    made = attention.out_proj(record.output.transpose(1, 2).flatten(2))
    expected = attention(queries, keys, values, **given)[0]
    torch.testing.assert_close(made if attention.batch_first else made.transpose(0, 1), expected)


def test_numbers_that_lean_are_no_mask() -> None:
    attention, x = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True), torch.randn(BATCH, KEYS, WIDTH)
    leaning = torch.randn(KEYS, KEYS)
    with watch(attention) as seen:
        attention(
            x, x, x, attn_mask=leaning, key_padding_mask=torch.zeros(BATCH, KEYS).masked_fill(PADDING, -1e9)
        )
    told = told_by(attention, x, x, x, attn_mask=leaning, key_padding_mask=PADDING.float() * -1e9)
    torch.testing.assert_close(seen["attention"].weights, told, rtol=0, atol=1e-6)
    assert torch.equal(seen["attention"].keep[:, 0, 0], ~PADDING)


def test_one_sentence_without_a_batch_is_a_batch_of_one() -> None:
    attention, x = nn.MultiheadAttention(WIDTH, HEADS), torch.randn(KEYS, WIDTH)
    with watch(attention) as seen:
        _, told = attention(x, x, x, key_padding_mask=PADDING[1], average_attn_weights=False)
    torch.testing.assert_close(seen["attention"].weights, told[None])


def test_a_default_device_leaves_things_as_they_are() -> None:
    """It is a function mode too, and already bars the fast path."""
    model, x = encoder().eval(), torch.randn(BATCH, KEYS, WIDTH)
    with torch.no_grad(), torch.device("cpu"):
        plain = model(x)
        with watch(model) as seen:
            watched = model(x)
    with torch.no_grad(), watch(model) as later, torch.device("cpu"):
        assert torch.equal(model(x), plain)
    assert torch.equal(watched, plain)
    assert list(seen) == list(later) == ["layers.0.self_attn", "layers.1.self_attn"]
    assert all(len(seen.calls(name)) == 1 for name in seen)
    assert torch.overrides._get_current_function_mode_stack() == []


def test_two_watches_keep_the_fast_path() -> None:
    model, x = encoder().eval(), torch.randn(BATCH, KEYS, WIDTH)
    with torch.no_grad():
        plain = model(x)
        with watch(model) as outer, watch(model) as inner:
            assert torch.equal(model(x), plain)
    assert list(outer) == list(inner) == ["layers.0.self_attn", "layers.1.self_attn"]


def test_one_watch_does_not_see_another_at_work() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.heads = nn.MultiheadAttention(WIDTH, HEADS)

        def forward(self, x: Tensor) -> Tensor:
            output: Tensor = self.heads(x, x, x)[0]
            return output

    model = Outer()
    with watch(model) as outer, watch(model) as inner:
        model(torch.randn(KEYS, BATCH, WIDTH))
    assert list(outer) == list(inner) == ["heads"]


def test_another_thread_is_not_seen() -> None:
    model, x = encoder().eval(), torch.randn(BATCH, KEYS, WIDTH)
    with watch(model) as seen:
        other = threading.Thread(target=model, args=(x,))
        other.start()
        other.join()
    assert len(seen) == 0


def test_an_error_leaves_no_mode_aside() -> None:
    model = encoder().eval()
    with torch.no_grad(), watch(model) as seen:
        with pytest.raises((RuntimeError, AssertionError)):
            model(torch.randn(BATCH, KEYS, WIDTH + 1))
        model(torch.randn(BATCH, KEYS, WIDTH))
    assert len(seen) == 2
    assert torch.overrides._get_current_function_mode_stack() == []


def test_a_call_broken_off_is_cleaned_up() -> None:
    class Breaking(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            raise KeyboardInterrupt

    model = encoder()
    model.layers[1].linear1 = Breaking(WIDTH, 11)
    with pytest.raises(KeyboardInterrupt), watch(model):
        model(torch.randn(BATCH, KEYS, WIDTH))
    assert torch.overrides._get_current_function_mode_stack() == []
    assert not torch.nn.modules.module._global_forward_hooks


def test_what_was_seen_outlives_its_inputs_and_parameters() -> None:
    attention, x = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True), torch.randn(BATCH, KEYS, WIDTH)
    with torch.no_grad(), watch(attention) as seen:
        _, told = attention(x, x, x, average_attn_weights=False)
        x.zero_()
        for parameter in attention.parameters():
            parameter.zero_()
    torch.testing.assert_close(seen["attention"].weights, told)
