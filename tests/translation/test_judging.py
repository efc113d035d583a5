import pytest

from regard.errors import DataError, RegardError
from regard.translation import (
    Aligner,
    Translator,
    align_pairs,
    aligner_by_gold,
    aligner_by_information,
    aligners_by_agreement,
    alignment_error_rate,
    best_head,
    judging,
    rank_heads,
    reverse,
)
from regard.translation.crossing import turned
from tests.translation.taught import a_translator, every_pair

DEVELOPMENT, HELD_BACK = every_pair()[::11], every_pair()[5::11]


def rate_of(translator: Translator, aligner: Aligner) -> float:
    found = [*align_pairs(translator, HELD_BACK, aligner)]
    return alignment_error_rate(found, [pair.sure for pair in HELD_BACK])


def by_chance() -> float:
    along_the_diagonal = frozenset((place, place) for place in range(5))
    return alignment_error_rate([along_the_diagonal] * len(HELD_BACK), [pair.sure for pair in HELD_BACK])


def test_heads_are_ranked_by_their_error_rate() -> None:
    translator = a_translator()
    ranked = rank_heads(translator, DEVELOPMENT)
    assert {(head.name, head.head, head.rows) for head in ranked} == {
        ("decoder.0.cross", head, rows) for head in (0, 1) for rows in ("produced", "read")
    }
    rates = [head.error_rate for head in ranked]
    assert rates == sorted(rates, key=lambda rate: rate or 0.0)
    best = best_head(translator, DEVELOPMENT)
    assert best == ranked[0]


def test_heads_chosen_by_gold_align_sentences_they_were_not_chosen_on() -> None:
    translator = a_translator()
    one = aligner_by_gold(translator, DEVELOPMENT, most=1)
    several = aligner_by_gold(translator, DEVELOPMENT)
    assert len(one.heads) == 1
    assert several.heads[0] == one.heads[0]
    assert several.reason.startswith("alignment error rate ")
    assert several.reason.endswith(f"% on {len(DEVELOPMENT)} gold pairs")
    assert rate_of(translator, several) < 0.2 < by_chance()


def test_heads_are_chosen_without_gold_by_what_linked_words_tell_of_each_other() -> None:
    aligner = aligner_by_information(a_translator(), every_pair()[::3])
    assert aligner.reason.startswith("mutual information of linked words ")
    assert rate_of(a_translator(), aligner) < 0.2


def test_heads_are_chosen_without_gold_by_two_runs_that_agree() -> None:
    # One translator for both: turned round it reads what it was not taught, and agrees only by its heads.
    forward, backward = aligners_by_agreement(a_translator(), a_translator(), DEVELOPMENT)
    assert forward.reason == backward.reason
    assert forward.reason.startswith("agreement of the two directions ")
    assert len([*align_pairs(a_translator(), map(turned, HELD_BACK), backward)]) == len(HELD_BACK)


def test_agreement_adds_to_the_first_head_and_does_not_choose_it(monkeypatch: pytest.MonkeyPatch) -> None:
    telling = judging._ignorance

    def least_telling(candidates: judging.Candidates) -> judging.Judge:
        judge = telling(candidates)
        return lambda linked: -judge(linked)

    monkeypatch.setattr(judging, "_ignorance", least_telling)
    first = aligner_by_information(a_translator(), DEVELOPMENT, most=1).heads
    for most in (1, 3):
        forward, _ = aligners_by_agreement(a_translator(), a_translator(), DEVELOPMENT, most=most)
        assert forward.heads[:1] == first


def test_a_head_that_agrees_is_not_added_where_links_tell_less_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def told_by_single_heads(candidates: judging.Candidates) -> judging.Judge:
        alone = [candidates.linked([head]) for head in range(len(candidates.heads))]
        return lambda linked: -float(any(linked.equal(one) for one in alone))

    monkeypatch.setattr(judging, "_ignorance", told_by_single_heads)
    forward, backward = aligners_by_agreement(a_translator(), a_translator(), DEVELOPMENT, most=3)
    assert len(forward.heads) == len(backward.heads) == 1


def test_a_pair_turned_round_brings_its_gold() -> None:
    pair = HELD_BACK[0]
    other = turned(pair)
    assert (other.source, other.target_words) == (pair.target, pair.source_words)
    assert (other.sure, other.possible) == (reverse(pair.sure), reverse(pair.possible))


def test_no_head_is_chosen_of_nothing() -> None:
    with pytest.raises(DataError) as caught:
        best_head(a_translator(), [])
    assert str(caught.value) == "no head can be chosen: no aligned pair is given."
    with pytest.raises(DataError) as caught:
        aligner_by_information(a_translator(), [])
    assert str(caught.value) == "no head can be chosen: no pair is given."
    with pytest.raises(RegardError) as caught:
        aligner_by_gold(a_translator(), DEVELOPMENT, most=0)
    assert str(caught.value) == "one head or more must be chosen, but got 0."
