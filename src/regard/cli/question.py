"""A question to ``regard explain``: words and numbers, and what attends to what."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import Explanation, explain, masks, scores
from regard.attention.masks import Mask
from regard.attention.scores import Kernel, Score
from regard.errors import MaskError, MechanismError, RegardError, ShapeError
from regard.viewing.explanation import Said, Walkthrough
from regard.worked import made_up_vectors

DOTS: dict[str, Callable[[], Score]] = {"scaled-dot": scores.ScaledDot, "dot": scores.Dot}
KERNELS: dict[str, type[Kernel]] = {
    "gaussian": scores.Gaussian,
    "boxcar": scores.Boxcar,
    "triangular": scores.Triangular,
    "epanechnikov": scores.Epanechnikov,
}
SCORES = (*DOTS, *KERNELS, "uniform")

MADE_UP = Said(
    "The vectors are made up from the spelling of each word, always the same ones: they show the "
    "arithmetic, not the meaning.",
    "向量是由每个词的拼写编造的，总是同样的：它们展示的是算法，不是词义。",
)
OWN_NUMBERS = Said("Attention on your own numbers", "用你自己的数算注意力")

Rows = Sequence[Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is to be explained; None is what was not said."""

    words: Sequence[str] | None = None
    vectors: Rows | None = None
    key_words: Sequence[str] | None = None
    keys: Rows | None = None
    values: Rows | None = None
    score: str | None = None
    scale: bool | None = None
    bandwidth: float | None = None
    mask: str | None = None
    lengths: Sequence[int] | None = None

    @property
    def said(self) -> dict[str, object]:
        """What was said, by name."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in given.items() if value is not None}

    def walk(self, *, language: str, digits: int) -> Walkthrough:
        """Answer it, step by step."""
        explanation, keys_differ = self.explanation(), self.keys is not None or self.key_words is not None
        made_up = (self.vectors is None) or (self.key_words is not None and self.keys is None)
        return Walkthrough.of(
            explanation,
            query_labels=self.words,
            key_labels=self.key_words if keys_differ else self.words,
            title=" ".join(self.words) if self.words else OWN_NUMBERS.to(language),
            lead=MADE_UP.to(language) if made_up else "",
            language=language,
            digits=digits,
        )

    def explanation(self) -> Explanation:
        """Work it out; lengths need a sample to belong to, so there is one."""
        queries = _vectors(self.vectors, self.words, "vectors", "words")
        if queries is None:
            said = " and ".join(self.said)
            raise RegardError(f"Nothing is asked yet: besides {said}, give words or vectors to explain.")
        keys = _vectors(self.keys, self.key_words, "keys", "key words", width=queries.shape[-1])
        values = None if self.values is None else torch.tensor(self.values, dtype=torch.float64)
        batch = [None if tensor is None else tensor[None] for tensor in (queries, keys, values)]
        assert batch[0] is not None
        return explain(batch[0], *batch[1:], score=self._score(), mask=self._mask())

    def _score(self) -> Score:
        name = self.score or "scaled-dot"
        if name not in SCORES:
            raise MechanismError(f"score must be one of {', '.join(SCORES)}, but got {_meant(name, SCORES)}")
        if self.bandwidth is not None and name not in KERNELS:
            raise MechanismError(f"A bandwidth goes with {', '.join(KERNELS)}, but the score is {name}.")
        if self.scale is not None and name not in DOTS:
            raise MechanismError(f"Only {' and '.join(DOTS)} can be scaled or not, but the score is {name}.")
        if name in DOTS:
            return DOTS[name if self.scale is None else "scaled-dot" if self.scale else "dot"]()
        if name == "uniform":
            return scores.Uniform()
        return KERNELS[name]() if self.bandwidth is None else KERNELS[name](self.bandwidth)

    def _mask(self) -> Mask | None:
        parts = []
        if self.mask is not None:
            parts.append(_named_mask(self.mask))
        if self.lengths is not None:
            parts.append(masks.lengths(self.lengths if len(self.lengths) == 1 else [self.lengths]))
        return parts[0] & parts[-1] if parts else None


def _vectors(
    rows: Rows | None, words: Sequence[str] | None, rows_name: str, words_name: str, width: int = 4
) -> Float[Tensor, "count width"] | None:
    if rows is None:
        return None if words is None else made_up_vectors(words, width)
    if words is not None and len(words) != len(rows):
        raise ShapeError(
            f"There must be as many {words_name} as {rows_name}, but there are {len(words)} and {len(rows)}."
        )
    return torch.tensor(rows, dtype=torch.float64)


def _named_mask(mask: str) -> Mask:
    if mask == "causal":
        return masks.causal()
    kind, _, reach = mask.partition(":")
    before, _, after = reach.partition(",")
    if kind == "window" and before.isdecimal() and after.isdecimal():
        return masks.window(before=int(before), after=int(after))
    raise MaskError(f"mask must be causal or window:BEFORE,AFTER, such as window:1,0, but got {mask!r}.")


def _meant(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name, names, n=1)
    return f"{name!r}. Did you mean {near[0]!r}?" if near else f"{name!r}."
