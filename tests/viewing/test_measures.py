import math

import pytest
import torch

from regard.errors import RegardError
from regard.viewing import NOT_EXPLANATION, AttentionMap, AttentionMaps, HeadMeasures, measure, rank
from tests.viewing.some import by_hand, several_heads, triangle

WORDS = ["a", "b", "c", "d", "<end>"]


def shifted(by: int) -> torch.Tensor:
    """Each query looks at the key ``by`` places on; at the rim it looks at itself."""
    weights = torch.zeros(5, 5)
    for query in range(5):
        key = query + by
        weights[query, key if 0 <= key < 5 else query] = 1.0
    return weights


def measured(weights: torch.Tensor, **labels: object) -> HeadMeasures:
    (measures,) = measure(AttentionMap(weights, query_labels=WORDS, **labels))  # type: ignore[arg-type]
    return measures


def test_entropy_is_zero_on_one_key_and_the_logarithm_of_the_keys_if_even() -> None:
    assert measured(torch.eye(5)).entropy == 0.0
    assert measured(torch.full((5, 5), 0.2)).entropy == pytest.approx(math.log(5))


def test_evenness_counts_only_what_may_be_attended() -> None:
    (measures,) = measure(triangle())
    assert measures.evenness == pytest.approx(1.0)
    assert measures.entropy == pytest.approx((0 + math.log(2) + math.log(3)) / 3)


def test_sharpness_is_the_strongest_weight_of_a_row() -> None:
    assert measure(by_hand())[0].sharpness == pytest.approx((0.7 + 0.5) / 2)


@pytest.mark.parametrize(("by", "place"), [(-1, "previous"), (0, "same"), (1, "next")])
def test_a_head_that_looks_at_one_place_is_named_after_it(by: int, place: str) -> None:
    measures = measured(shifted(by))
    assert getattr(measures, place) == 1.0
    assert measures.name == f"{place} token"


def test_a_row_without_a_previous_key_is_not_counted() -> None:
    assert measured(shifted(-1)).previous == 1.0, "the first row has none"


def test_shares_on_the_first_and_the_end() -> None:
    sink = torch.tensor([[0.6, 0.0, 0.0, 0.0, 0.4]]).repeat(5, 1)
    measures = measured(sink)
    assert measures.first == pytest.approx(0.6)
    assert measures.end == pytest.approx(0.4)
    assert measures.name == "first token"
    assert measured(sink, key_labels=["a", "b", "c", "d", "e"]).end is None


def test_neighbours_have_no_meaning_in_cross_attention() -> None:
    measures = measure(by_hand())[0]
    assert (measures.previous, measures.same, measures.next) == (None, None, None)
    assert measures.end == pytest.approx(0.275)


def test_diagonality_is_one_on_the_diagonal_and_zero_if_even() -> None:
    assert measured(torch.eye(5)).diagonality == pytest.approx(1.0)
    assert measured(torch.full((5, 5), 0.2)).diagonality == pytest.approx(0.0, abs=1e-6)
    assert measured(torch.eye(5).flip(0)).diagonality < 0
    stretched = AttentionMap(
        [[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]],
        query_labels=["x", "y", "z"],
        key_labels=WORDS,
    )
    assert measure(stretched)[0].diagonality == pytest.approx(1.0)
    assert measure(AttentionMap([[1.0]], query_labels=["x"]))[0].diagonality == 0.0


def test_silent_rows_are_left_out() -> None:
    weights = torch.eye(5)
    weights[3] = 0.0
    assert measured(weights).sharpness == 1.0
    assert measured(torch.zeros(5, 5)).sharpness == 0.0


def test_rows_that_do_not_sum_to_one_are_measured_as_if_they_did() -> None:
    assert measured(shifted(-1) / 4).previous == 1.0


def test_names_without_a_place() -> None:
    assert measured(torch.full((5, 5), 0.2)).name == "even"
    scattered = torch.eye(5)[[3, 0, 4, 1, 2]]
    assert measured(scattered).name == "sharp"
    near = AttentionMap(torch.eye(5), query_labels=WORDS, key_labels=["p", "q", "r", "s", "t"])
    assert measure(near)[0].name == "diagonal"


def test_heads_of_all_maps_are_ranked_together() -> None:
    ranked = rank(AttentionMaps([several_heads(), triangle()]), by="sharpness")
    assert len(ranked) == 4
    values = [head.value for head in ranked]
    assert values == sorted(values, reverse=True)
    assert {(head.map_name, head.head) for head in ranked} == {
        ("decoder.1.cross", 0),
        ("decoder.1.cross", 1),
        ("decoder.1.cross", 2),
        ("decoder.0.self", 0),
    }
    with pytest.raises(RegardError) as caught:
        rank(AttentionMaps([several_heads()]), by="same")
    assert (
        str(caught.value)
        == "'same' cannot be measured in 'decoder.1.cross': it has no such place among its keys."
    )


def test_it_is_said_once_that_attention_is_not_explanation() -> None:
    assert NOT_EXPLANATION.startswith("Attention is not explanation")


def test_heads_are_ranked_by_how_much_they_are_missed() -> None:
    maps = {"decoder.1.cross": several_heads()}
    ranked = rank(maps, "effect", effects={"decoder.1.cross": [0.1, -2.0, -0.5]})
    assert [(head.head, head.effect) for head in ranked] == [(1, -2.0), (2, -0.5), (0, 0.1)]
    with pytest.raises(RegardError) as caught:
        rank(maps, "effect")
    assert str(caught.value) == "heads are ranked by their effect only where it is known: give effects=."
    with pytest.raises(RegardError) as caught:
        rank(maps, effects={"decoder.1.cross": [0.0]})
    assert str(caught.value) == "effects must be 3 for the heads of 'decoder.1.cross', but there are 1."
