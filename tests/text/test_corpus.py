import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import DataError, RecipeError
from regard.text import Corpus, Pair, Reading
from regard.text.corpus import drawn


def corpus_of(pairs: list[tuple[str, str]]) -> Corpus:
    return Corpus(pairs=tuple(Pair(*pair) for pair in pairs), reading=Reading(kept=len(pairs)))


sentences = st.text("abc", max_size=3)


@given(st.lists(st.tuples(sentences, sentences), min_size=2), st.floats(0.01, 0.99))
def test_a_source_sentence_never_stands_in_both_parts(pairs: list[tuple[str, str]], share: float) -> None:
    if len({source for source, _ in pairs}) < 2:
        return
    train, validation = corpus_of(pairs).split(share=share)
    assert {pair.source for pair in train.pairs}.isdisjoint({pair.source for pair in validation.pairs})
    assert sorted([*train.pairs, *validation.pairs]) == sorted(pairs)
    assert train.pairs
    assert validation.pairs
    assert train.reading.kept == len(train.pairs)


def test_the_division_does_not_depend_on_order_or_company() -> None:
    pairs = [(f"sentence {number}", "x") for number in range(500)]
    aside = set(corpus_of(pairs).split(share=0.2).validation.pairs)
    assert set(corpus_of(pairs[::-1]).split(share=0.2).validation.pairs) == aside
    half = set(corpus_of(pairs[::2]).split(share=0.2).validation.pairs)
    assert half == aside & set(corpus_of(pairs[::2]).pairs)


def test_a_smaller_share_is_part_of_a_larger() -> None:
    corpus = corpus_of([(f"sentence {number}", "x") for number in range(500)])
    assert set(corpus.split(share=0.1).validation.pairs) < set(corpus.split(share=0.3).validation.pairs)


def test_at_most_about_a_thousand_pairs_are_set_aside() -> None:
    pairs = [(f"sentence {number}", "x") for number in range(40_000)]
    assert abs(len(corpus_of(pairs).split().validation.pairs) - 1_000) < 100


def test_draws_are_even() -> None:
    draws = [drawn(f"sentence {number}") for number in range(10_000)]
    assert abs(sum(draw < 0.3 for draw in draws) / 10_000 - 0.3) < 0.02


def test_what_cannot_be_divided_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        corpus_of([("a", "b"), ("a", "c")]).split()
    assert str(caught.value) == (
        "the 2 pairs hold fewer than two different source sentences, "
        "so none can be set aside for validation. Give more pairs."
    )


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_a_share_that_leaves_a_part_empty_is_refused(share: float) -> None:
    with pytest.raises(RecipeError) as caught:
        corpus_of([("a", "b"), ("b", "c")]).split(share=share)
    assert str(caught.value) == f"the validation share must lie between 0 and 1, but got {share}."


def test_the_hash_is_that_of_the_lines() -> None:
    # printf 'a\nb\nc\nd\n' | sha256sum
    assert corpus_of([("a", "b"), ("c", "d")]).sha256 == (
        "cf2c7f63055d2e84af6e3f01ac1bb7fce598d20cf213fab2b56b8e8047b46ced"
    )


@pytest.mark.parametrize("pairs", [[("c", "d"), ("a", "b")], [("a", "b")], [("ab", ""), ("c", "d")]])
def test_other_pairs_have_another_hash(pairs: list[tuple[str, str]]) -> None:
    assert corpus_of(pairs).sha256 != corpus_of([("a", "b"), ("c", "d")]).sha256


def test_a_reading_that_dropped_nothing_says_only_what_was_kept() -> None:
    assert str(Reading(kept=1_234)) == "kept 1,234 of 1,234 pairs"


def test_what_was_dropped_in_reading_is_still_told_after_the_division() -> None:
    pairs = tuple(Pair(f"sentence {number}", "x") for number in range(50))
    read = Corpus(pairs=pairs, reading=Reading(kept=50, dropped={"missing tab": 3, "unequal": 1}))
    train, validation = read.split(share=0.2)
    assert train.reading == Reading(kept=len(train.pairs), dropped={"missing tab": 3, "unequal": 1})
    assert validation.reading == Reading(kept=len(validation.pairs))
