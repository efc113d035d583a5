import math
from typing import Any

import pytest

from regard.errors import RecipeError
from regard.translation import Sampling, SearchSettings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"beam": 0}, "beam must be a whole number of at least 1, but got 0."),
        ({"beam": True}, "beam must be a whole number of at least 1, but got True."),
        ({"n_best": 0}, "n_best must be a whole number of at least 1, but got 0."),
        (
            {"n_best": 7},
            "n_best must be at most the beam, but 7 are asked of a beam of 5. Search with a beam of 7.",
        ),
        (
            {"beam": 100_000},
            "beam must be at most 4096, or memory would not suffice, but got 100000. "
            "Ask for fewer: beyond some 10 a beam seldom finds better.",
        ),
        (
            {"n_best": 5_000, "sampling": Sampling()},
            "n_best must be at most 4096, or memory would not suffice, but got 5000. "
            "Ask for fewer: beyond some 10 a beam seldom finds better.",
        ),
        ({"no_repeat": -1}, "no_repeat must be a whole number of at least 0, but got -1."),
        ({"longest_slack": -3}, "longest_slack must be a whole number of at least 0, but got -3."),
        ({"longest_ratio": math.nan}, "longest_ratio must be a finite number of at least 0, but got nan."),
        (
            {"length_normalisation": -0.5},
            "length_normalisation must be a finite number of at least 0, but got -0.5.",
        ),
        (
            {"longest_ratio": 0.0, "longest_slack": 0},
            "longest_ratio and longest_slack leave no room for a single token: both are 0. Raise one.",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        SearchSettings(**wrong)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"temperature": 0.0},
            "temperature must be positive, but got 0.0. "
            "For the likeliest token at every step search with a beam of 1.",
        ),
        ({"top_k": -1}, "top_k must be a whole number of at least 0, but got -1."),
        ({"top_p": 0.0}, "top_p must be above 0 and at most 1, but got 0.0."),
        ({"top_p": 1.5}, "top_p must be above 0 and at most 1, but got 1.5."),
        ({"seed": -1}, "seed must be a whole number from 0 to below 2**64, but got -1."),
    ],
)
def test_draws_that_cannot_be_made_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Sampling(**wrong)
    assert str(caught.value) == message


def test_more_may_be_drawn_than_a_beam_is_wide() -> None:
    assert SearchSettings(n_best=7, sampling=Sampling()).n_best == 7
