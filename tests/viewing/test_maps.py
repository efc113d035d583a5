from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.errors import MaskError, RegardError, ShapeError
from regard.viewing import AttentionMap, Words

HEADS, QUERIES, KEYS = 3, 5, 7


def some_weights(*shape: int) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(11)).softmax(dim=-1)


def a_map(**changes: object) -> AttentionMap:
    given = {
        "weights": some_weights(HEADS, QUERIES, KEYS),
        "query_labels": ["je", "ne", "dors", "pas", "<end>"],
        "key_labels": ["i", "am", "not", "a", "sleep", ".", "<end>"],
        "name": "decoder.0.cross",
    }
    return AttentionMap(**(given | changes))  # type: ignore[arg-type]


def sentence_of(**changes: object) -> str:
    with pytest.raises(RegardError) as caught:
        a_map(**changes)
    return str(caught.value)


def test_weights_keep_the_shape_they_were_given_in() -> None:
    assert a_map().weights.shape == (HEADS, QUERIES, KEYS)
    assert a_map(weights=some_weights(QUERIES, KEYS)).weights.shape == (QUERIES, KEYS)
    assert a_map(weights=some_weights(QUERIES, KEYS)).per_head.shape == (1, QUERIES, KEYS)


@pytest.mark.parametrize(
    "convert", [Tensor.numpy, Tensor.tolist, Tensor.half, Tensor.bfloat16, Tensor.double]
)
def test_weights_may_be_tensors_arrays_or_lists_of_any_precision(convert: object) -> None:
    weights = some_weights(QUERIES, KEYS)
    seen = a_map(weights=convert(weights))  # type: ignore[operator]
    torch.testing.assert_close(seen.weights.float(), weights, atol=4e-3, rtol=0.0)
    assert seen.sums_to_one


def test_a_map_does_not_follow_the_tensor_it_was_made_of() -> None:
    weights = some_weights(QUERIES, KEYS)
    seen = a_map(weights=weights)
    weights.zero_()
    assert seen.sums_to_one
    assert seen.weights.sum() > 0


def test_weights_that_carry_gradients_are_taken_without_them() -> None:
    assert not a_map(weights=some_weights(QUERIES, KEYS).requires_grad_()).weights.requires_grad


def test_a_batch_of_one_is_one_sample() -> None:
    assert a_map(weights=some_weights(1, HEADS, QUERIES, KEYS)).heads == HEADS


def test_a_batch_is_refused() -> None:
    assert sentence_of(weights=some_weights(2, HEADS, QUERIES, KEYS)) == (
        "weights of 'decoder.0.cross' must be one sample, (queries, keys) or (heads, queries, keys), "
        "but (2, 3, 5, 7) is a batch of 2: take one with weights[0]."
    )


def test_weights_of_one_axis_are_refused() -> None:
    assert sentence_of(weights=[0.5, 0.5]) == (
        "weights of 'decoder.0.cross' must be (queries, keys) or (heads, queries, keys), but they are (2,)."
    )


def test_ragged_lists_are_refused() -> None:
    assert sentence_of(weights=[[0.5, 0.5], [1.0]]) == (
        "weights of 'decoder.0.cross' must be a tensor, an array, "
        "or lists of numbers, each as long as the next."
    )


def test_an_empty_map_is_refused() -> None:
    assert sentence_of(weights=torch.zeros(0, KEYS)) == (
        "weights of 'decoder.0.cross' hold nothing to show: they are (0, 7)."
    )


@pytest.mark.parametrize(
    ("wrong", "shown"), [(-3.25, "-3.25"), (2.0, "2"), (torch.nan, "nan"), (torch.inf, "inf")]
)
def test_what_cannot_be_a_weight_is_refused_where_it_stands(wrong: float, shown: str) -> None:
    weights = some_weights(QUERIES, KEYS)
    weights[2, 3] = wrong
    assert sentence_of(weights=weights) == (
        f"weights of 'decoder.0.cross' must lie between 0 and 1, but the one at (2, 3) is {shown}; "
        "scores become weights by a softmax."
    )


def test_labels_that_do_not_fit_are_refused() -> None:
    assert sentence_of(query_labels=["je"]) == (
        "query_labels of 'decoder.0.cross' must be 5, one for each query, but got 1."
    )
    assert sentence_of(key_labels=["i"] * 8) == (
        "key_labels of 'decoder.0.cross' must be 7, one for each key, but got 8."
    )
    assert sentence_of(query_labels="je ne") == (
        "query_labels of 'decoder.0.cross' must be a list of strings, but got one string: 'je ne'."
    )
    assert sentence_of(query_labels=[1, 2, 3, 4, 5]) == (
        "query_labels of 'decoder.0.cross' must be strings, but one is 1."
    )


def test_an_unknown_kind_is_refused() -> None:
    assert (
        sentence_of(kind="global") == "kind must be one of 'self', 'decoder self', 'cross', but got 'global'."
    )


def test_rows_that_do_not_sum_to_one_are_accepted_and_known() -> None:
    assert not a_map(weights=some_weights(HEADS, QUERIES, KEYS) / 2).sums_to_one
    assert a_map(weights=torch.zeros(QUERIES, KEYS)).sums_to_one, "silence is a row too"


def test_a_mask_must_be_boolean_fit_and_not_hide_weight() -> None:
    with pytest.raises(MaskError) as caught:
        a_map(keep=torch.ones(QUERIES, KEYS))
    assert (
        str(caught.value)
        == "keep of 'decoder.0.cross' must be boolean, True = may attend, but it is torch.float32."
    )
    with pytest.raises(MaskError) as caught:
        a_map(keep=torch.ones(2, KEYS, dtype=torch.bool))
    assert str(caught.value) == "keep of 'decoder.0.cross' must fit its weights, (3, 5, 7), but it is (2, 7)."
    with pytest.raises(MaskError) as caught:
        a_map(keep=np.zeros((QUERIES, KEYS), dtype=bool))
    assert str(caught.value) == (
        "keep of 'decoder.0.cross' hides cells that hold weight; True must mean that a query may attend."
    )


def test_decoder_self_attention_knows_its_triangle() -> None:
    weights = torch.ones(3, 3).tril() / torch.tensor([[1.0], [2.0], [3.0]])
    seen = AttentionMap(weights, query_labels=["le", "chat", "dort"], kind="decoder self")
    assert seen.keep is not None
    assert seen.keep.tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def test_decoder_self_attention_that_looks_ahead_is_not_given_a_triangle() -> None:
    assert AttentionMap(some_weights(3, 3), query_labels=["a", "b", "c"], kind="decoder self").keep is None


def test_one_head_is_taken_by_its_number() -> None:
    seen = a_map()
    torch.testing.assert_close(seen.head(1).weights, seen.weights[1])
    assert seen.head(1).head_names == ("head 1",)
    with pytest.raises(RegardError) as caught:
        seen.head(3)
    assert str(caught.value) == "head must be one of 0…2 in 'decoder.0.cross', but got 3."


def test_the_mean_over_heads_is_said() -> None:
    seen = a_map(keep=torch.ones(QUERIES, KEYS, dtype=torch.bool)).mean()
    torch.testing.assert_close(seen.weights, a_map().weights.sum(dim=0) / HEADS)
    assert seen.head_names == ("mean of 3 heads",)
    assert seen.keep is not None
    assert seen.keep.shape == seen.weights.shape == (QUERIES, KEYS)
    assert seen.sums_to_one


def test_rows_and_columns_are_taken_by_word_or_position() -> None:
    seen = a_map()
    taken = seen.at(queries=["pas", 1], keys=["not", -1])
    assert taken.query_labels == ("pas", "ne")
    assert taken.key_labels == ("not", "<end>")
    torch.testing.assert_close(taken.weights, seen.weights[:, [3, 1]][:, :, [2, 6]])
    assert taken.notes == ("5 keys left out",)


def test_a_word_that_is_missing_or_there_twice_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        a_map().at(queries="chat")
    assert str(caught.value) == (
        "queries of 'decoder.0.cross' are 'je' 'ne' 'dors' 'pas' '<end>', but 'chat' is asked for."
    )
    with pytest.raises(RegardError) as caught:
        a_map(key_labels=["a", "b", "a", "c", "d", "e", "f"]).at(keys="a")
    assert str(caught.value) == (
        "keys of 'decoder.0.cross' hold 'a' more than once: give its position, one of 0, 2."
    )
    with pytest.raises(RegardError) as caught:
        a_map().at(keys=7)
    assert str(caught.value) == "keys of 'decoder.0.cross' are at positions 0…6, but 7 is asked for."
    with pytest.raises(RegardError) as caught:
        a_map().at(keys=[])
    assert (
        str(caught.value)
        == "keys of 'decoder.0.cross' must be one or more words or positions, but none is given."
    )


def test_hidden_tokens_leave_both_sides_and_are_said() -> None:
    hidden = a_map().without("<end>")
    assert "<end>" not in hidden.query_labels + hidden.key_labels
    assert hidden.notes == ("<end> hidden",)
    assert not hidden.sums_to_one


def test_hidden_tokens_may_be_renormalised_away() -> None:
    hidden = a_map().without(renormalise=True)
    assert hidden.notes == ("<end> hidden, rows renormalised",)
    assert hidden.sums_to_one


def test_a_row_that_had_nothing_else_becomes_silence() -> None:
    seen = AttentionMap([[0.0, 1.0], [0.5, 0.5]], query_labels=["a", "b"], key_labels=["a", "<end>"])
    assert seen.without("<end>", renormalise=True).weights.tolist() == [[0.0], [1.0]]


def test_a_token_that_is_not_there_cannot_be_hidden() -> None:
    with pytest.raises(RegardError) as caught:
        a_map().without("<begin>")
    assert (
        str(caught.value)
        == "'<begin>' cannot be hidden from 'decoder.0.cross': no query or key is called so."
    )
    with pytest.raises(RegardError) as caught:
        AttentionMap([[1.0]], query_labels=["<end>"]).without("<end>")
    assert str(caught.value) == "hiding <end> would leave nothing of 'attention' to show."


def test_merging_averages_rows_and_sums_columns() -> None:
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]])
    seen = AttentionMap(weights, query_labels=["▁dor", "s"], key_labels=["▁sl", "eep", "▁."])
    merged = seen.to_words()
    assert merged.query_labels == ("dors",)
    assert merged.key_labels == ("sleep", ".")
    torch.testing.assert_close(merged.weights, torch.tensor([[0.55, 0.45]]))
    assert merged.notes == ("subwords merged",)


def test_a_merged_cell_is_masked_only_if_all_of_it_was() -> None:
    weights = torch.ones(4, 4).tril() / torch.arange(1.0, 5.0).unsqueeze(1)
    seen = AttentionMap(weights, query_labels=["▁a", "b", "▁c", "d"], kind="decoder self")
    merged = seen.to_words()
    assert merged.keep is not None
    assert merged.keep.tolist() == [[True, False], [True, True]]


def test_words_without_marks_stay_as_they_are() -> None:
    seen = a_map()
    assert seen.to_words().query_labels == seen.query_labels
    assert seen.to_words().notes == ()


def test_words_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError) as caught:
        a_map().to_words(keys=[[0, 1], [2, 3, 4, 5, 7]])
    assert str(caught.value) == "groups must name positions 0…6, one per label, but one is 7."
    with pytest.raises(ShapeError) as caught:
        a_map().to_words(queries=[[0, 1], [3, 4]])
    assert (
        str(caught.value)
        == "groups must hold each position once and in order, but they do not at position 2."
    )
    with pytest.raises(ShapeError) as caught:
        a_map().to_words(queries=Words(("a", "b"), ((0, 1, 2, 3, 4), ())))
    assert str(caught.value) == "groups must each hold a position, but one is empty."


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=6), st.lists(st.integers(1, 3), min_size=1, max_size=6)
)
def test_rows_still_sum_to_one_after_merging(row_sizes: list[int], column_sizes: list[int]) -> None:
    def groups(sizes: list[int]) -> list[list[int]]:
        starts = np.cumsum([0, *sizes]).tolist()
        return [list(range(start, end)) for start, end in pairwise(starts)]

    weights = some_weights(2, sum(row_sizes), sum(column_sizes))
    seen = AttentionMap(weights, query_labels=["x"] * sum(row_sizes), key_labels=["y"] * sum(column_sizes))
    merged = seen.to_words(groups(row_sizes), groups(column_sizes))
    assert merged.weights.shape == (2, len(row_sizes), len(column_sizes))
    torch.testing.assert_close(merged.row_sums, torch.ones(2, len(row_sizes)))


def test_weighing_by_value_norm_favours_long_values() -> None:
    seen = AttentionMap([[0.5, 0.5]], query_labels=["a"], key_labels=["b", "c"], value_norms=[1.0, 3.0])
    weighed = seen.by_value_norm()
    torch.testing.assert_close(weighed.weights, torch.tensor([[0.25, 0.75]]))
    assert weighed.notes == ("weighed by value norm",)


def test_weighing_without_norms_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        a_map().by_value_norm()
    assert str(caught.value) == (
        "'decoder.0.cross' has no value norms to weigh by: take them with AttentionMaps.of(seen, …) "
        "before merging words or averaging heads, or give value_norms=."
    )
