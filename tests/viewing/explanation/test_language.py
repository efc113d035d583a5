import re

import pytest

from regard import scores
from regard.errors import RegardError
from regard.viewing.explanation.language import SENTENCES, WHY_SIMILAR, Said


def test_every_sentence_has_the_same_parts_in_every_language() -> None:
    for said in SENTENCES.values():
        assert set(re.findall(r"{\w+}", said.en)) == set(re.findall(r"{\w+}", said.zh)), said.en
        assert said.zh != said.en


def test_every_score_has_a_sentence_of_its_own() -> None:
    families = (scores.Score, scores.DotProduct, scores.Kernel)
    every = [getattr(scores, name) for name in scores.__all__]
    assert {score.formula for score in every if score not in families} == set(WHY_SIMILAR)
    assert set(WHY_SIMILAR.values()) <= set(SENTENCES)


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        Said("yes", "是").to("fr")
    assert str(caught.value) == "language must be one of 'en', 'zh', but got 'fr'."
