"""Step-by-step decoding put together: one map per sequence, the one a single pass would show."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
import transformers
from torch import Tensor, nn

from regard import RegardError, Seen, watch
from regard.viewing import AttentionMaps
from tests.attention.foreign_models import (
    BACKENDS,
    GENERATORS,
    GPT2,
    LLAMA,
    MARIAN,
    SOURCE,
    TRANSLATORS,
    VOCABULARY,
    Family,
    made,
)

NEW = 5
each_backend = pytest.mark.parametrize("backend", BACKENDS)


def generated(model: Any, family: Family, **options: Any) -> tuple[Tensor, Seen]:
    """What the model wrote, and what was seen of it; padding on the left, as decoders want it."""
    inputs = family.inputs(pad="right" if family.has_target else "left")
    inputs.pop("decoder_input_ids", None)
    model.generation_config.eos_token_id = None  # all sentences equally long
    model.generation_config.pad_token_id = 0
    torch.manual_seed(13)
    with watch(model) as seen:
        written = model.generate(**inputs, max_new_tokens=NEW, **options)
    return written, seen


def forced(model: nn.Module, family: Family, written: Tensor, times: int = 1) -> Seen:
    """One pass over what was written."""
    inputs = family.inputs(pad="right" if family.has_target else "left")
    inputs = {name: tensor.repeat_interleave(times, dim=0) for name, tensor in inputs.items()}
    if family.has_target:
        inputs["decoder_input_ids"] = written[:, :-1]
    else:
        inputs["input_ids"] = written[:, :-1]
        mask = inputs["attention_mask"]
        inputs["attention_mask"] = torch.cat([mask, mask.new_ones(len(mask), NEW - 1)], dim=1)
        inputs["position_ids"] = (inputs["attention_mask"].cumsum(dim=1) - 1).clamp(min=0)
    with torch.no_grad(), watch(model) as seen:
        model(**inputs)
    return seen


def assert_alike(stitched: Seen, whole: Seen) -> None:
    assert set(stitched) == set(whole)
    for name, record in whole.items():
        ours = stitched[name]
        heard = record.keep.any(dim=-1)
        if record.keep.shape[-1] == record.keep.shape[-2]:  # what padding itself looks at is nobody's concern
            heard = record.keep[..., -1, :]
        assert heard.float().mean() > 0.7
        torch.testing.assert_close(ours.weights[heard], record.weights[heard], rtol=0, atol=1e-5)
        assert torch.equal(ours.keep[heard], record.keep[heard])
        assert ours.queries.shape == record.queries.shape
        assert ours.keys.shape == record.keys.shape
        torch.testing.assert_close(ours.output[heard], record.output[heard], rtol=0, atol=1e-4)
        torch.testing.assert_close(ours.scores[heard], record.scores[heard], rtol=0, atol=1e-4)


@pytest.mark.parametrize("family", GENERATORS, ids=str)
@each_backend
def test_greedy_steps_are_one_pass(family: Family, backend: str) -> None:
    model = made(family, backend)
    written, seen = generated(model, family, do_sample=False)
    last = list(seen)[-1]
    assert len(seen.calls(last)) == NEW
    assert_alike(seen.stitched(), forced(model, family, written))


@pytest.mark.parametrize("family", TRANSLATORS, ids=str)
@each_backend
def test_padding_that_no_sentence_fills_stays_in_the_map(family: Family, backend: str) -> None:
    """As where a tokenizer pads all sentences to one fixed length."""
    model = made(family, backend)
    inputs = {name: F.pad(tensor, (0, 2)) for name, tensor in family.inputs().items()}
    inputs.pop("decoder_input_ids")
    model.generation_config.eos_token_id = None  # type: ignore[union-attr]
    with watch(model) as seen:
        model.generate(**inputs, max_new_tokens=NEW, do_sample=False)  # type: ignore[operator]
    cross = seen.stitched()[family.told["cross_attentions"].format(1)]
    assert cross.keep.shape[-2:] == (NEW, SOURCE + 2)
    assert not cross.keep[..., SOURCE:].any()
    source = [*"abcdefg", "<pad>", "<pad>"]
    maps = AttentionMaps.of(seen.stitched(), source=source, target=list("uvwxy"))
    assert maps[cross.name].key_labels == tuple(source)


@pytest.mark.parametrize("family", GENERATORS, ids=str)
def test_watched_generation_writes_the_same(family: Family) -> None:
    model = made(family, "sdpa")
    inputs = family.inputs(pad="right" if family.has_target else "left")
    inputs.pop("decoder_input_ids", None)
    written, _ = generated(model, family, do_sample=True)
    torch.manual_seed(13)
    assert torch.equal(written, model.generate(**inputs, max_new_tokens=NEW, do_sample=True))  # type: ignore[operator]


@pytest.mark.parametrize("family", [LLAMA, MARIAN], ids=str)
def test_several_sentences_drawn_for_one_source_are_each_a_sequence(family: Family) -> None:
    model = made(family, "sdpa")
    written, seen = generated(model, family, do_sample=True, num_return_sequences=3)
    assert_alike(seen.stitched(), forced(model, family, written, times=3))


@pytest.mark.parametrize("family", [GPT2, MARIAN], ids=str)
def test_without_a_cache_the_last_step_is_the_whole(family: Family) -> None:
    model = made(family, "sdpa")
    written, seen = generated(model, family, do_sample=False, use_cache=False)
    assert_alike(seen.stitched(), forced(model, family, written))


@pytest.mark.parametrize("family", [LLAMA, MARIAN], ids=str)
def test_of_two_generations_the_last_is_stitched(family: Family) -> None:
    model = made(family, "sdpa")
    inputs = family.inputs(pad="right" if family.has_target else "left")
    inputs.pop("decoder_input_ids", None)
    model.generation_config.eos_token_id = None  # type: ignore[union-attr]
    model.generation_config.pad_token_id = 0  # type: ignore[union-attr]
    with watch(model) as seen:
        for count in (NEW + 2, NEW):
            written = model.generate(**inputs, max_new_tokens=count, do_sample=False)  # type: ignore[operator]
    assert_alike(seen.stitched(), forced(model, family, written))


def test_a_cache_with_room_to_spare_is_read_as_far_as_it_is_filled() -> None:
    model = made(LLAMA, "sdpa")
    written, seen = generated(
        model, LLAMA, do_sample=False, cache_implementation="static", disable_compile=True
    )
    assert_alike(seen.stitched(), forced(model, LLAMA, written))


def test_beam_search_is_refused_with_what_to_do() -> None:
    model = made(MARIAN, "sdpa")
    written, seen = generated(model, MARIAN, num_beams=3, do_sample=False)
    with pytest.raises(RegardError) as caught:
        seen.stitched()
    assert str(caught.value) == (
        "model.decoder.layers.0.self_attn cannot be stitched: a step does not go on with the rows of the "
        "step before, as in beam search. Call the model once over the sequence it wrote, inside watch()."
    )
    assert forced(model, MARIAN, written)["model.decoder.layers.0.encoder_attn"].weights.shape[-2] == NEW


def test_a_window_that_forgets_is_refused_with_what_to_do() -> None:
    config = transformers.MistralConfig(
        vocab_size=VOCABULARY, hidden_size=12, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, intermediate_size=11, sliding_window=4, attn_implementation="sdpa",
    )  # fmt: skip
    _, seen = generated(transformers.MistralForCausalLM(config).eval(), LLAMA, do_sample=False)
    with pytest.raises(RegardError) as caught:
        seen.stitched()
    assert str(caught.value) == (
        "model.layers.0.self_attn cannot be stitched: it kept only its last 4 keys. Call the model once over "
        "the sequence it wrote, inside watch()."
    )


def test_the_memory_of_watching_grows_with_the_length_not_its_square() -> None:
    _, seen = generated(made(LLAMA, "sdpa"), LLAMA, do_sample=False, min_new_tokens=NEW)
    calls = seen.calls("model.layers.0.self_attn")
    rooms = {record.call.keys.untyped_storage().data_ptr() for record in calls}
    assert len(rooms) == 2  # the prompt, and room for all that follows
    lengths = [record.keys.shape[-2] for record in calls]
    assert lengths == list(range(lengths[0], lengths[0] + NEW))


@pytest.mark.parametrize("family", TRANSLATORS, ids=str)
@each_backend
def test_a_generation_becomes_maps_with_words(family: Family, backend: str) -> None:
    _, seen = generated(made(family, backend), family, do_sample=False)
    source = [f"s{number}" for number in range(4)]
    target = [f"t{number}" for number in range(NEW)]
    maps = AttentionMaps.of(seen.stitched(), source=source, target=target, sample=1)
    kinds = [each.kind for each in maps.values()]
    assert kinds == ["self", "self", "decoder self", "cross", "decoder self", "cross"]
    cross = maps[family.told["cross_attentions"].format(1)]
    assert (cross.query_labels, cross.key_labels) == (tuple(target), tuple(source))
    assert all(each.sums_to_one for each in maps.values())


@pytest.mark.parametrize("family", [GPT2, LLAMA], ids=str)
def test_a_decoder_alone_takes_its_one_sequence_as_source(family: Family) -> None:
    written, seen = generated(made(family, "sdpa"), family, do_sample=False)
    words = [str(int(token)) for token in written[0, :-1]]
    maps = AttentionMaps.of(seen.stitched(), source=words)
    (first, _) = maps.values()
    assert first.query_labels == first.key_labels == tuple(words)
    assert torch.equal(first.kept[0], torch.ones(len(words), len(words)).tril().bool())


@each_backend
def test_what_generate_returns_is_accepted_as_it_is(backend: str) -> None:
    """A tuple of layers for each step."""
    model = made(MARIAN, "eager")
    inputs = MARIAN.inputs()
    inputs.pop("decoder_input_ids")
    model.generation_config.eos_token_id = None  # type: ignore[union-attr]
    told = model.generate(  # type: ignore[operator]
        **inputs, max_new_tokens=NEW, do_sample=False, output_attentions=True, return_dict_in_generate=True
    )
    model.set_attn_implementation(backend)  # type: ignore[operator]
    _, seen = generated(model, MARIAN, do_sample=False)
    rows, columns = [str(row) for row in range(NEW)], [str(column) for column in range(7)]
    cross = AttentionMaps.of_weights(
        told.cross_attentions, query_labels=rows, key_labels=columns, kind="cross"
    )
    decoder = AttentionMaps.of_weights(told.decoder_attentions, query_labels=rows, kind="decoder self")
    stitched = seen.stitched()
    for layer in range(2):
        torch.testing.assert_close(
            cross[f"layer.{layer}.cross"].weights,
            stitched[f"model.decoder.layers.{layer}.encoder_attn"].weights[0], rtol=0, atol=1e-6,
        )  # fmt: skip
        torch.testing.assert_close(
            decoder[f"layer.{layer}.self"].weights,
            stitched[f"model.decoder.layers.{layer}.self_attn"].weights[0], rtol=0, atol=1e-6,
        )  # fmt: skip
