from hypothesis import given
from hypothesis import strategies as st

from regard.translation.grouping import groups_of


@given(st.lists(st.integers(0, 40)), st.integers(1, 100), st.none() | st.integers(1, 9), st.integers(1, 5))
def test_every_sentence_is_in_one_group_and_no_group_is_too_large(
    lengths: list[int], tokens: int, sentences: int | None, parts: int
) -> None:
    groups = [*groups_of(lengths, tokens=tokens, sentences=sentences, parts=parts)]
    assert sentences is None or all(len(group) <= sentences for group in groups)
    assert sorted(place for group in groups for place in group) == [*range(len(lengths))]
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[place] for place in group) <= tokens
    flat = [lengths[place] for group in groups for place in group]
    assert flat == sorted(flat, reverse=True)


@given(st.lists(st.integers(1, 40), min_size=1), st.integers(40, 1_000), st.integers(2, 5))
def test_of_several_each_gets_as_many_groups_and_none_much_larger_than_another(
    lengths: list[int], tokens: int, parts: int
) -> None:
    few = len([*groups_of(lengths, tokens=tokens)])
    groups = [*groups_of(lengths, tokens=tokens, parts=parts)]
    assert len(groups) <= few + (-few) % parts
    largest = max(len(group) * max(lengths[place] for place in group) for group in groups)
    alone = max(lengths)
    assert largest <= max(alone, 2 * sum(lengths) / len(groups) + alone) or len(groups) == few


def test_sentences_of_one_length_are_parted_evenly() -> None:
    assert [len(group) for group in groups_of([20] * 64, tokens=2_048, parts=2)] == [32, 32]
    assert [len(group) for group in groups_of([20] * 250, tokens=2_048, parts=2)] == [63, 63, 63, 61]
