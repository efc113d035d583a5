import pytest

from regard.errors import DataError
from regard.translation import AligningHead, align, alignment_error_rate, best_head, rank_heads
from tests.translation.taught import a_translator, every_pair

DEVELOPMENT, HELD_BACK = every_pair()[::11], every_pair()[5::11]


def test_the_best_head_is_named_and_aligns_sentences_it_was_not_chosen_on() -> None:
    translator = a_translator()
    ranked = rank_heads(translator, DEVELOPMENT)
    assert {(head.name, head.head, head.rows) for head in ranked} == {
        ("decoder.0.cross", head, rows) for head in (0, 1) for rows in ("produced", "read")
    }
    rates = [head.error_rate for head in ranked]
    assert rates == sorted(rates, key=lambda rate: rate or 0.0)
    best = best_head(translator, DEVELOPMENT)
    assert best == ranked[0]
    found = [align(translator, pair.source, pair.target, head=best) for pair in HELD_BACK]
    rate = alignment_error_rate(found, [pair.sure for pair in HELD_BACK])
    assert rate < 0.4
    along_the_diagonal = frozenset((place, place) for place in range(5))
    naive = alignment_error_rate([along_the_diagonal] * len(HELD_BACK), [pair.sure for pair in HELD_BACK])
    assert rate < naive


def test_a_head_says_which_it_is() -> None:
    head = AligningHead(name="decoder.2.cross", head=1, rows="produced")
    assert str(head) == "head 1 of decoder.2.cross, by the word produced"


def test_no_head_is_chosen_without_gold() -> None:
    with pytest.raises(DataError) as caught:
        best_head(a_translator(), [])
    assert str(caught.value) == "no head can be chosen: no aligned pair is given."
