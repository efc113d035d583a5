"""What to ask of a search."""

import math
from dataclasses import dataclass

from regard.errors import RecipeError
from regard.translation.sampling import Sampling, check_at_least

WIDEST = 4_096
"""Most hypotheses of one sentence: a search compares as many continuations of each."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How to look for translations, and when to stop.

    ``beam`` hypotheses are kept at every step; one is greedy search. Whole sentences are
    compared by

        log_probability / length ** length_normalisation,

    where the length counts ``<end>``. At 0 every further token costs, so that short sentences
    win. The default, 1, is the mean over the tokens: neither short nor long is favoured, and
    its exponential is the sentence's confidence.

    A target may have ``longest_ratio`` times as many tokens as its source, and
    ``longest_slack`` more; then it is cut, and says so. ``no_repeat`` forbids any run of so
    many tokens to occur twice (0 forbids nothing). With ``sampling`` there is no beam:
    ``n_best`` sentences are drawn, in the order they are returned.

    >>> SearchSettings(beam=3).longest(source_tokens=7)
    24
    """

    beam: int = 5
    n_best: int = 1
    length_normalisation: float = 1.0
    longest_ratio: float = 2.0
    longest_slack: int = 10
    no_repeat: int = 0
    sampling: Sampling | None = None

    def __post_init__(self) -> None:
        check_at_least(1, beam=self.beam, n_best=self.n_best)
        for name in ("n_best", "beam"):
            if getattr(self, name) > WIDEST:
                raise RecipeError(
                    f"{name} must be at most {WIDEST}, or memory would not suffice, but got "
                    f"{getattr(self, name)}. Ask for fewer: beyond some 10 a beam seldom finds better."
                )
        check_at_least(0, longest_slack=self.longest_slack, no_repeat=self.no_repeat)
        for name in ("length_normalisation", "longest_ratio"):
            value = getattr(self, name)
            if not 0 <= value < math.inf:
                raise RecipeError(f"{name} must be a finite number of at least 0, but got {value}.")
        if self.longest_ratio == self.longest_slack == 0:
            raise RecipeError(
                "longest_ratio and longest_slack leave no room for a single token: both are 0. Raise one."
            )
        if self.sampling is None and self.n_best > self.beam:
            raise RecipeError(
                f"n_best must be at most the beam, but {self.n_best} are asked of a beam of {self.beam}. "
                f"Search with a beam of {self.n_best}."
            )

    @property
    def rows(self) -> int:
        """How many hypotheses of a sentence are held at a time."""
        return self.beam if self.sampling is None else self.n_best

    def longest(self, source_tokens: int) -> int:
        """How many tokens, ``<end>`` apart, the target of such a source may have."""
        return int(self.longest_ratio * source_tokens) + self.longest_slack
