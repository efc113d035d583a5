import pytest

from regard.errors import DataError
from regard.text import END
from regard.translation import force, rivals
from tests.translation.some import KINDS, a_model, next_log_probabilities, some_sources


@pytest.mark.parametrize("kind", KINDS)
def test_each_token_is_judged_after_those_before_it(kind: str) -> None:
    model, sources, targets = a_model(kind), some_sources(7), some_sources(7)
    for source, target, forced in zip(sources, targets, force(model, sources, targets), strict=True):
        expected = [
            next_log_probabilities(model, source, target[:place])[token]
            for place, token in enumerate([*target, END])
        ]
        assert forced == pytest.approx(expected, abs=1e-5)


def test_the_rivals_of_a_place_are_its_likeliest_tokens() -> None:
    model, source, target = a_model("transformer"), [5, 6, 7], [8, 9]
    places = rivals(model, source, target, count=4)
    for place, found in enumerate(places):
        chances = next_log_probabilities(model, source, target[:place])
        expected = sorted(range(23), key=lambda token: -chances[token])[:4]
        assert [rival.token for rival in found] == expected
        forced = force(model, [source], [[*target[:place], expected[0]]])[0][place]
        if expected[0] != END:
            assert found[0].probability == pytest.approx(2.718281828459045**forced, rel=1e-4)
    assert len(places) == 3


def test_no_more_rivals_are_named_than_there_are_tokens_to_write() -> None:
    places = rivals(a_model("transformer", vocabulary=7), [5], [], count=100)
    assert [{rival.token for rival in place} for place in places] == [{2, 4, 5, 6}]


def test_what_is_not_a_pair_is_refused() -> None:
    model = a_model("transformer")
    assert force(model, [], []) == []
    with pytest.raises(DataError) as caught:
        force(model, [[5]], [])
    assert str(caught.value) == "sources and targets must be pairs, but got 1 and 0."
    with pytest.raises(DataError) as caught:
        rivals(model, [5], [6], count=0)
    assert str(caught.value) == "count must be a whole number of at least 1, but got 0."
