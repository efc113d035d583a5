"""What is true of every translator, whatever it is made of."""

import pytest
import torch

import regard
from tests.models.translators import (
    BATCH,
    HEADS,
    LENGTHS,
    SOURCE,
    TARGET,
    VOCABULARY,
    Kind,
    assert_same,
    attentions,
    either_precision,
    every_translator,
    in_steps,
    some_sources,
    some_targets,
)

FURTHER = 4  # where a sentence goes on differently, or padding goes on longer


@every_translator
@either_precision
@pytest.mark.parametrize("sizes", [(1,) * TARGET, (3, 1, 0, 2, 1)], ids=str)
def test_many_short_steps_equal_one_long_pass(kind: Kind, dtype: torch.dtype, sizes: tuple[int, ...]) -> None:
    model, source, target = kind.make(dtype), some_sources(), some_targets()
    with torch.no_grad():
        expected = model(source, target, LENGTHS)
        stepped, _ = in_steps(model, target, model.start(source, LENGTHS), sizes)
    assert_same(stepped, expected)


@every_translator
def test_steps_and_a_long_pass_learn_the_same(kind: Kind) -> None:
    model, source, target = kind.make(), some_sources(), some_targets()
    long = model(source, target, LENGTHS)
    stepped, _ = in_steps(model, target, model.start(source, LENGTHS), (1, 3, TARGET - 4))
    upstream = torch.randn_like(long)
    for one, other in zip(
        torch.autograd.grad(stepped, [*model.parameters()], upstream),
        torch.autograd.grad(long, [*model.parameters()], upstream),
        strict=True,
    ):
        assert_same(one, other)


@every_translator
def test_products_in_half_precision_change_little_and_teach_every_parameter(kind: Kind) -> None:
    model, source, target = kind.make(torch.float32), some_sources(), some_targets()
    expected = model(source, target, LENGTHS).detach()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        halved = model(source, target, LENGTHS)
    torch.testing.assert_close(halved.detach().float(), expected, rtol=0.1, atol=0.2 * expected.std().item())
    for gradient in torch.autograd.grad(halved.float().square().sum(), [*model.parameters()]):
        assert gradient.isfinite().all()


@every_translator
def test_the_future_cannot_change_the_past(kind: Kind) -> None:
    model, source, target = kind.make(), some_sources(), some_targets()
    before = model(source, target, LENGTHS)
    target[:, FURTHER:] = (target[:, FURTHER:] + 1) % VOCABULARY
    after = model(source, target, LENGTHS)
    assert_same(after[:, :FURTHER], before[:, :FURTHER])
    assert ((after - before)[:, FURTHER:].abs().amax(dim=-1) > 1e-6).all()


@every_translator
def test_every_word_of_the_source_is_heard_by_every_word_of_the_target(kind: Kind) -> None:
    model, target = kind.make(), some_targets()
    source = some_sources()
    before = model(source, target, LENGTHS)
    for place in range(int(LENGTHS.min())):
        other = source.clone()
        other[:, place] = (source[:, place] + 1) % VOCABULARY
        assert ((model(other, target, LENGTHS) - before).abs().amax(dim=-1) > 1e-9).all()


@every_translator
@either_precision
def test_padding_changes_nothing(kind: Kind, dtype: torch.dtype) -> None:
    model, source, target = kind.make(dtype), some_sources(), some_targets()
    there = torch.arange(SOURCE) < LENGTHS[:, None]
    before = model(source, target, LENGTHS)
    other_padding = torch.where(there, source, some_sources())
    longer = torch.cat([other_padding, some_sources(FURTHER)], dim=1)
    assert_same(model(other_padding, target, LENGTHS), before)
    assert_same(model(longer, target, LENGTHS), before)
    for row, length in enumerate(LENGTHS):
        alone = model(source[row : row + 1, :length], target[row : row + 1])
        assert_same(alone, before[row : row + 1])


@every_translator
def test_a_sentence_of_nothing_is_answered_with_finite_numbers(kind: Kind) -> None:
    model = kind.make()
    logits = model(some_sources(), some_targets(), torch.tensor([0, SOURCE, 1]))
    assert logits.isfinite().all()
    logits.sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all(), name


@every_translator
def test_batch_order_is_irrelevant(kind: Kind) -> None:
    model, source, target = kind.make(), some_sources(), some_targets()
    order = torch.tensor([2, 0, 1])
    assert_same(model(source[order], target[order], LENGTHS[order]), model(source, target, LENGTHS)[order])


@every_translator
def test_gradients_reach_every_parameter(kind: Kind) -> None:
    model = kind.make()
    model(some_sources(), some_targets(), LENGTHS).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().max() > 1e-9, name


@every_translator
def test_dropout_is_felt_in_training_alone(kind: Kind) -> None:
    model, source, target = kind.make(dropout=0.5), some_sources(), some_targets()
    assert not torch.equal(model(source, target), model(source, target))
    model.eval()
    plain = kind.make(dropout=0.0)
    plain.load_state_dict(model.state_dict())
    assert_same(model(source, target), plain(source, target))


@every_translator
def test_the_logits_are_the_hidden_vectors_compared_with_every_token(kind: Kind) -> None:
    model, source, target = kind.make(), some_sources(), some_targets()
    hidden = model.hidden(source, target, LENGTHS)
    assert model.output_table.shape == (model.target_vocabulary, model.width)
    assert_same(hidden @ model.output_table.T, model(source, target, LENGTHS))


@every_translator
def test_every_attention_is_seen_under_its_name(kind: Kind) -> None:
    model, source, target = kind.make(), some_sources(), some_targets()
    unwatched = model(source, target, LENGTHS)
    with regard.watch(model) as seen:
        watched = model(source, target, LENGTHS)
    assert torch.equal(watched, unwatched)
    assert sorted(seen) == sorted(attentions(model))
    heads = HEADS if "Transformer" in kind.name else 1
    for name in seen:
        side, *_, attention = name.split(".")
        queries = SOURCE if side == "encoder" else TARGET
        keys = TARGET if (side, attention) == ("decoder", "self") else SOURCE
        # A recurrent decoder asks once for each word, the others once for all.
        weights = torch.cat([record.weights for record in seen.calls(name)], dim=2)
        assert weights.shape == (BATCH, heads, queries, keys), name
        assert_same(weights.sum(dim=-1), torch.ones(weights.shape[:-1], dtype=weights.dtype))
        if keys == SOURCE:
            beyond = torch.arange(SOURCE) >= LENGTHS[:, None]
            assert weights.masked_select(beyond[:, None, None]).count_nonzero() == 0, name
        else:
            assert weights.triu(1).count_nonzero() == 0, name


@every_translator
def test_what_is_seen_in_steps_is_what_is_seen_in_a_long_pass(kind: Kind) -> None:
    model, source, target = kind.make(), some_sources(), some_targets()
    with torch.no_grad(), regard.watch(model) as long:
        model(source, target, LENGTHS)
    with torch.no_grad(), regard.watch(model) as short:
        in_steps(model, target, model.start(source, LENGTHS))
    for name in (name for name in attentions(model) if name.startswith("decoder")):
        rows = torch.cat([record.weights for record in long.calls(name)], dim=2).unbind(dim=2)
        for record, row in zip(short.calls(name), rows, strict=True):
            (step,) = record.weights.unbind(dim=2)
            assert_same(step, row[..., : step.shape[-1]])
