from hypothesis import given
from hypothesis import strategies as st

from regard.translation.grouping import groups_of


@given(st.lists(st.integers(1, 40)), st.integers(1, 100))
def test_every_sentence_is_in_one_group_and_no_group_is_too_large(lengths: list[int], tokens: int) -> None:
    groups = [*groups_of(lengths, tokens=tokens)]
    assert sorted(place for group in groups for place in group) == [*range(len(lengths))]
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[place] for place in group) <= tokens
    flat = [lengths[place] for group in groups for place in group]
    assert flat == sorted(flat, reverse=True)
