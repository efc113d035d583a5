from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

import regard
from regard.errors import RegardError, ShapeError
from regard.viewing import AttentionMap, AttentionMaps, Words
from regard.viewing.recorded import Record

BATCH, HEADS, SOURCE, TARGET = 2, 3, 5, 4
ENGLISH = ["the", "cat", "sleeps", "<end>"]
FRENCH = ["le", "chat", "dort", "<end>"]


@dataclass
class Recorded:
    weights: Tensor
    keep: Tensor | None = None
    values: Tensor | None = None


def attended(queries: int, keys: int, heard: int, causal: bool = False) -> Recorded:
    """What a masked softmax would leave: the last keys are padding."""
    keep = torch.arange(keys) < heard
    keep = (torch.ones(queries, keys).tril().bool() & keep) if causal else keep.expand(queries, keys)
    keep = keep.expand(BATCH, HEADS, queries, keys)
    scores = torch.randn(BATCH, HEADS, queries, keys, generator=torch.Generator().manual_seed(7))
    values = torch.arange(1.0, keys + 1).view(1, 1, keys, 1).expand(BATCH, HEADS, keys, 2)
    return Recorded(scores.masked_fill(~keep, -torch.inf).softmax(dim=-1), keep, values)


def a_translator_seen() -> dict[str, Recorded]:
    return {
        "encoder.0.self": attended(SOURCE, SOURCE, heard=4),
        "encoder.1.self": attended(SOURCE, SOURCE, heard=4),
        "decoder.0.self": attended(TARGET, TARGET, heard=4, causal=True),
        "decoder.0.cross": attended(TARGET, SOURCE, heard=4),
    }


def the_maps(**options: object) -> AttentionMaps:
    return AttentionMaps.of(a_translator_seen(), source=ENGLISH, target=FRENCH, **options)  # type: ignore[arg-type]


def sentence_of(error: type[Exception] = RegardError, **options: object) -> str:
    given: dict[str, object] = {"seen": a_translator_seen(), "source": ENGLISH, "target": FRENCH} | options
    with pytest.raises(error) as caught:
        AttentionMaps.of(given.pop("seen"), **given)  # type: ignore[arg-type]
    return str(caught.value)


def test_a_row_is_labelled_by_the_token_it_produces() -> None:
    maps = the_maps()
    assert maps["decoder.0.cross"].query_labels == tuple(FRENCH)
    assert maps["decoder.0.cross"].key_labels == tuple(ENGLISH)
    assert maps["decoder.0.self"].query_labels == tuple(FRENCH)
    assert maps["decoder.0.self"].key_labels == ("<begin>", "le", "chat", "dort")
    assert maps["encoder.0.self"].query_labels == maps["encoder.0.self"].key_labels == tuple(ENGLISH)


def test_a_row_may_be_labelled_by_the_token_read() -> None:
    maps = the_maps(rows="read")
    assert maps["decoder.0.cross"].query_labels == ("<begin>", "le", "chat", "dort")
    assert maps["decoder.0.self"].query_labels == ("<begin>", "le", "chat", "dort")
    assert maps["decoder.0.self"].axes == ("target read", "target read")


def test_kinds_come_from_names_and_axes_say_whose_words_they_are() -> None:
    maps = the_maps()
    assert [each.kind for each in maps.values()] == ["self", "self", "decoder self", "cross"]
    assert maps["decoder.0.self"].axes == ("target produced", "target read")
    assert maps["decoder.0.cross"].axes == ("target produced", "source")


def test_a_name_that_tells_nothing_is_cross_where_a_decoder_may_not_look() -> None:
    for name in ("attention", "decoder.attention"):
        maps = AttentionMaps.of({name: attended(TARGET, SOURCE, heard=4)}, source=ENGLISH, target=FRENCH)
        assert maps[name].kind == "cross"
    ahead = attended(TARGET, TARGET, heard=TARGET, causal=True)
    assert (
        AttentionMaps.of({"decoder.attention": ahead}, source=ENGLISH, target=FRENCH)[
            "decoder.attention"
        ].kind
        == "decoder self"
    )


def test_what_was_watched_becomes_maps() -> None:
    attention = regard.MultiHeadAttention(6, heads=HEADS)
    with regard.watch(attention) as seen:
        attention(
            torch.randn(BATCH, TARGET, 6), torch.randn(BATCH, SOURCE, 6), mask=regard.masks.lengths([5, 4])
        )
    maps = AttentionMaps.of(seen, source=ENGLISH, target=FRENCH, sample=1)
    (watched,) = maps.values()
    assert watched.kind == "cross"
    assert watched.sums_to_one
    torch.testing.assert_close(watched.weights, seen["attention"].weights[1, :, :, :4].detach())
    assert watched.by_value_norm().sums_to_one


def test_padding_beyond_the_words_is_cut_and_rows_still_sum_to_one() -> None:
    seen = the_maps()["encoder.0.self"]
    assert seen.weights.shape == (HEADS, 4, 4)
    assert seen.sums_to_one


def test_a_sample_is_chosen_by_its_number() -> None:
    records = a_translator_seen()
    maps = AttentionMaps.of(records, source=ENGLISH, target=FRENCH, sample=1)
    torch.testing.assert_close(
        maps["decoder.0.cross"].weights, records["decoder.0.cross"].weights[1, :, :, :4]
    )
    assert sentence_of(sample=2) == "sample must be one of 0…1, the samples of 'encoder.0.self', but got 2."


def test_masked_cells_are_known() -> None:
    keep = the_maps()["decoder.0.self"].keep
    assert keep is not None
    assert torch.equal(keep[0], torch.ones(4, 4).tril().bool())


def test_each_sample_has_its_own_mask() -> None:
    keep = torch.tensor([[True, True, True], [True, True, False]]).view(2, 1, 1, 3)
    record = Recorded(keep / keep.sum(dim=-1, keepdim=True), keep)
    seen = AttentionMaps.of({"decoder.0.cross": record}, source=["a", "b", "c"], target=["x"], sample=1)
    assert seen["decoder.0.cross"].kept.tolist() == [[[True, True, False]]]


def test_a_mask_may_be_broadcast_over_the_heads() -> None:
    record = attended(TARGET, SOURCE, heard=4)
    assert record.keep is not None
    record.keep = record.keep[:, :1]
    maps = AttentionMaps.of({"decoder.0.cross": record}, source=ENGLISH, target=FRENCH)
    assert maps["decoder.0.cross"].kept.shape == (HEADS, 4, 4)


def test_words_the_model_did_not_see_are_refused() -> None:
    assert sentence_of(ShapeError, source=[*ENGLISH, "more", "more"]) == (
        "'encoder.0.self' has 5 queries, but 6 words are given for the source."
    )


def test_a_forgotten_end_is_noticed() -> None:
    assert sentence_of(ShapeError, source=ENGLISH[:-1]) == (
        "'encoder.0.self' attends to 5 keys, but 3 words are given for the source: "
        "give all the model saw, <end> included."
    )


def test_missing_words_are_asked_for() -> None:
    assert sentence_of(source=None) == "'encoder.0.self' needs the words of the source: give source=[…]."
    cross = {"decoder.0.cross": attended(TARGET, SOURCE, heard=4)}
    assert (
        sentence_of(seen=cross, target=None)
        == "'decoder.0.cross' needs the words of the target: give target=[…]."
    )
    assert sentence_of(source="the cat") == "source must be a list of one or more words, but got 'the cat'."
    assert sentence_of(rows="written") == 'rows must be "produced" or "read", but got \'written\'.'
    assert sentence_of(seen={}) == "there is no attention to show: nothing was recorded."


def test_a_model_with_one_sequence_takes_it_as_source() -> None:
    record = attended(4, 4, heard=4, causal=True)
    maps = AttentionMaps.of({"decoder.layers.0.self_attn": record}, source=ENGLISH)
    assert maps["decoder.layers.0.self_attn"].query_labels == tuple(ENGLISH)


def test_maps_are_picked_by_layer_kind_head_and_word() -> None:
    maps = the_maps()
    assert list(maps.layer(0)) == ["encoder.0.self", "decoder.0.self", "decoder.0.cross"]
    assert list(maps.kind("cross")) == ["decoder.0.cross"]
    assert all(each.weights.dim() == 2 for each in maps.head(2).values())
    assert maps.mean()["decoder.0.cross"].head_names == ("mean of 3 heads",)
    assert list(maps.word("chat")) == ["decoder.0.self", "decoder.0.cross"]
    with pytest.raises(RegardError) as caught:
        maps.layer(4)
    assert str(caught.value) == (
        "no map is of layer 4: there are encoder.0.self, encoder.1.self, decoder.0.self, decoder.0.cross."
    )


def test_an_unknown_name_lists_those_there_are_and_is_a_key_error() -> None:
    maps = the_maps()
    with pytest.raises(KeyError) as caught:
        maps["decoder.7.cross"]
    assert isinstance(caught.value, RegardError)
    assert str(caught.value) == (
        "no map is called 'decoder.7.cross': "
        "there are encoder.0.self, encoder.1.self, decoder.0.self, decoder.0.cross."
    )
    assert "decoder.7.cross" not in maps


def test_two_maps_of_one_name_are_refused() -> None:
    same = AttentionMap([[1.0]], query_labels=["a"], name="x")
    with pytest.raises(RegardError) as caught:
        AttentionMaps([same, same])
    assert str(caught.value) == "maps must differ in name, but 'x' is given twice."


def test_hiding_reaches_every_map_that_has_the_token() -> None:
    hidden = the_maps().without("<begin>", renormalise=True)
    assert hidden["decoder.0.self"].key_labels == ("le", "chat", "dort")
    assert hidden["encoder.0.self"].notes == ()
    with pytest.raises(RegardError) as caught:
        the_maps().without("<mask>")
    assert str(caught.value) == "'<mask>' cannot be hidden: no query or key is called so."


def test_words_are_merged_on_the_side_they_belong_to() -> None:
    source = Words(("the cat", "sleeps", "<end>"), ((0, 1), (2,), (3,)))
    target = Words(("le chat", "dort", "<end>"), ((0, 1), (2,), (3,)))
    merged = the_maps().to_words(source=source, target=target)
    assert merged["decoder.0.cross"].query_labels == target.labels
    assert merged["decoder.0.cross"].key_labels == source.labels
    assert merged["decoder.0.self"].query_labels == target.labels
    assert merged["decoder.0.self"].key_labels == ("<begin>", "le chat", "dort")
    assert all(each.sums_to_one for each in merged.values())


def test_value_norms_are_kept_for_weighing() -> None:
    seen = the_maps()["decoder.0.cross"]
    assert seen.value_norms is not None
    torch.testing.assert_close(seen.value_norms[0], torch.arange(1.0, 5) * 2**0.5)


def test_shared_key_heads_lend_their_norms_to_each_head() -> None:
    record = attended(TARGET, SOURCE, heard=4)
    assert record.values is not None
    record.values = record.values[:, :1]
    seen = AttentionMaps.of({"decoder.0.cross": record}, source=ENGLISH, target=FRENCH)["decoder.0.cross"]
    assert seen.value_norms is not None
    assert seen.value_norms.shape == (HEADS, 4)


def test_weights_somebody_has_already_are_taken_layer_by_layer() -> None:
    layers = tuple(attended(4, 4, heard=4).weights for _ in range(2))
    maps = AttentionMaps.of_weights(layers, query_labels=ENGLISH, sample=1)
    assert list(maps) == ["layer.0.self", "layer.1.self"]
    torch.testing.assert_close(maps["layer.1.self"].weights, layers[1][1])
    with pytest.raises(ShapeError) as caught:
        AttentionMaps.of_weights([torch.ones(2)], query_labels=["a"])
    assert (
        str(caught.value)
        == "weights of 'layer.0.self' must be (batch, heads, queries, keys), but they are (2,)."
    )


def test_a_matrix_or_layers_in_one_tensor_are_taken_as_they_are() -> None:
    layers = torch.stack([attended(4, 4, heard=4).weights for _ in range(2)])
    assert list(AttentionMaps.of_weights(layers, query_labels=ENGLISH)) == ["layer.0.self", "layer.1.self"]
    (one,) = AttentionMaps.of_weights(layers[0, 0, 1], query_labels=ENGLISH).values()
    torch.testing.assert_close(one.per_head, layers[0, 0, 1:2])


def test_the_steps_of_decoding_become_rows() -> None:
    whole = attended(4, 4, heard=4, causal=True).weights
    steps = tuple((whole[..., row : row + 1, : row + 1],) for row in range(4))
    (seen,) = AttentionMaps.of_weights(steps, query_labels=ENGLISH, kind="decoder self").values()
    torch.testing.assert_close(seen.weights, whole[0])


def test_a_model_that_returned_no_weights_is_told_what_to_do() -> None:
    for nothing in ((), (None, None), ((), ()), ((None, None), (None, None))):
        with pytest.raises(RegardError) as caught:
            AttentionMaps.of_weights(nothing, query_labels=ENGLISH)  # type: ignore[arg-type]
        assert str(caught.value) == (
            "there are no weights to show: the model returned none, as Hugging Face models do under sdpa. "
            'Call it inside regard.watch(model), or set_attn_implementation("eager") first.'
        )


def test_a_decoder_is_known_by_the_cross_attention_beside_it() -> None:
    decoder = torch.nn.TransformerDecoder(torch.nn.TransformerDecoderLayer(6, HEADS, 7, batch_first=True), 1)
    late = torch.nn.Transformer.generate_square_subsequent_mask(4)
    with regard.watch(decoder) as seen:
        decoder(torch.randn(BATCH, 4, 6), torch.randn(BATCH, 4, 6), late)
    maps = AttentionMaps.of(seen, source=ENGLISH, target=FRENCH)
    assert [each.kind for each in maps.values()] == ["decoder self", "cross"]
    assert maps["layers.0.self_attn"].key_labels == ("<begin>", "le", "chat", "dort")
    assert maps["layers.0.multihead_attn"].key_labels == tuple(ENGLISH)


def test_what_is_recorded_can_be_checked_while_running() -> None:
    assert isinstance(attended(1, 1, heard=1), Record)
    assert not isinstance("record", Record)
