"""Measures of a head: how sharply it looks, and where. By them heads are ranked and named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.errors import RegardError
from regard.viewing.maps import AttentionMap
from regard.viewing.words import ENDS

NOT_EXPLANATION = (
    "Attention is not explanation: a weight says where a head looked, not why the model answered as it did."
)
MARKED = 0.5
"""A head is named after the place that holds at least this share of its rows on average."""


@dataclass(frozen=True, kw_only=True)
class HeadMeasures:
    """What one head does, averaged over its rows; None where a measure has no meaning.

    Places are positions in the sequence read: ``same`` is the query's own position, so in
    a decoder it is the token just read, and ``previous`` the one before it.
    """

    entropy: float
    """−Σ w ln w: 0 looks at one key, ln(keys) at all evenly."""
    sharpness: float
    """The largest weight of a row."""
    diagonality: float
    """1 on the diagonal, 0 no nearer to it than even attention would be."""
    previous: float | None
    """Share on the position before the query's (self-attention only, as the next two)."""
    same: float | None
    """Share on the query's own position."""
    next: float | None
    """Share on the position after the query's."""
    first: float
    """Share on the first key."""
    end: float | None
    """Share on the end token, if it is among the keys."""
    evenness: float
    """Entropy as a share of the largest a row could have."""

    @property
    def name(self) -> str:
        """What the head mostly does, in a word or two."""
        places = {
            "previous token": self.previous,
            "same token": self.same,
            "next token": self.next,
            "end token": self.end,
            "first token": self.first,
        }
        place, share = max(
            ((place, share or 0.0) for place, share in places.items()), key=lambda pair: pair[1]
        )
        if share >= MARKED:
            return place
        if self.diagonality >= MARKED:
            return "diagonal"
        if self.sharpness >= MARKED:
            return "sharp"
        return "even" if self.evenness >= 0.9 else "mixed"


MEASURES = tuple(field.name for field in fields(HeadMeasures))


@dataclass(frozen=True)
class RankedHead:
    """A head among all heads: its map, its number there, and the measure it is ranked by."""

    map_name: str
    head: int
    value: float
    measures: HeadMeasures
    effect: float | None = None
    """The change in the log-probability of what the model answers without this head, where that was tried."""


def measure(seen: AttentionMap) -> tuple[HeadMeasures, ...]:
    """Measure every head of a map.

    >>> backwards = [[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.8, 0.2]]
    >>> (head,) = measure(AttentionMap(backwards, query_labels=["a", "b", "c"]))
    >>> head.name, round(head.previous, 2)
    ('previous token', 0.85)
    """
    weights, kept, speaks = _rows(seen)
    largest = kept.sum(dim=-1).to(weights.dtype).log()  # the entropy of even attention
    entropies = torch.special.entr(weights).sum(dim=-1)
    choosing = speaks & (largest > 0)
    columns = {
        "entropy": _mean(entropies, speaks),
        "sharpness": _mean(weights.amax(dim=-1), speaks),
        "diagonality": _diagonality(weights, kept, speaks),
        "previous": _share_at(seen, weights, speaks, -1),
        "same": _share_at(seen, weights, speaks, 0),
        "next": _share_at(seen, weights, speaks, +1),
        "first": _mean(weights[..., 0], speaks),
        "end": _share_of_end(seen, weights, speaks),
        "evenness": _mean(torch.where(choosing, entropies / largest.clamp_min(1e-9), 0.0), choosing),
    }
    found: dict[str, list[Any]] = {
        name: [None] * seen.heads if values is None else values.tolist() for name, values in columns.items()
    }
    return tuple(
        HeadMeasures(**{name: values[head] for name, values in found.items()}) for head in range(seen.heads)
    )


def value_of(measures: HeadMeasures, by: str, name: str) -> float:
    """One measure by its name."""
    if by not in MEASURES:
        raise RegardError(
            f"a measure must be one of {', '.join(MEASURES)}, or effect where it was tried, but got {by!r}."
        )
    value: float | None = getattr(measures, by)
    if value is None:
        raise RegardError(f"{by!r} cannot be measured in {name!r}: it has no such place among its keys.")
    return value


def rank(
    maps: Mapping[str, AttentionMap],
    by: str = "sharpness",
    *,
    effects: Mapping[str, Sequence[float]] | None = None,
) -> list[RankedHead]:
    """All heads of all maps, the highest first; by "effect", those first that are missed most.

    ``effects`` are those of knocking each head out, by the name of its map: whoever has the
    model can try it, as :func:`regard.translation.effects` does.
    """
    if by == "effect" and effects is None:
        raise RegardError("heads are ranked by their effect only where it is known: give effects=.")
    heads = []
    for name, seen in maps.items():
        tried: Sequence[float | None] = [None] * seen.heads if effects is None else effects[name]
        if len(tried) != seen.heads:
            raise RegardError(
                f"effects must be {seen.heads} for the heads of {name!r}, but there are {len(tried)}."
            )
        for head, (measures, effect) in enumerate(zip(measure(seen), tried, strict=True)):
            value = -(effect or 0.0) if by == "effect" else value_of(measures, by, name)
            heads.append(RankedHead(name, head, value, measures, effect))
    return sorted(heads, key=lambda ranked: -ranked.value)


Rows = tuple[
    Float[Tensor, "heads queries keys"], Bool[Tensor, "heads queries keys"], Bool[Tensor, "heads queries"]
]


def _rows(seen: AttentionMap) -> Rows:
    """Rows that sum to one, where they may attend, and which of them say anything."""
    sums = seen.row_sums.unsqueeze(-1)
    speaks = sums.squeeze(-1) > 0
    return torch.where(sums > 0, seen.per_head / sums.clamp_min(1e-30), 0.0), seen.kept, speaks


def _mean(
    values: Float[Tensor, "heads queries"], counted: Bool[Tensor, "heads queries"]
) -> Float[Tensor, " heads"]:
    return torch.where(counted, values, 0.0).sum(dim=-1) / counted.sum(dim=-1).clamp_min(1)


def _diagonality(weights: Tensor, kept: Tensor, speaks: Tensor) -> Float[Tensor, " heads"]:
    queries, keys = weights.shape[-2:]
    diagonal = torch.linspace(0, keys - 1, queries) if queries > 1 else torch.zeros(1)
    distances = (torch.arange(keys) - diagonal.unsqueeze(-1)).abs().to(weights.dtype)
    even = kept / kept.sum(dim=-1, keepdim=True).clamp_min(1)
    farness = _mean((weights * distances).sum(dim=-1), speaks)
    at_random = _mean((even * distances).sum(dim=-1), speaks)
    return torch.where(at_random > 0, 1 - farness / at_random.clamp_min(1e-9), 0.0)


def _share_at(
    seen: AttentionMap, weights: Tensor, speaks: Tensor, offset: int
) -> Float[Tensor, " heads"] | None:
    if seen.kind == "cross" or weights.shape[-1] != weights.shape[-2]:
        return None
    share = weights.diagonal(offset=offset, dim1=-2, dim2=-1)
    rows = speaks[:, max(-offset, 0) : weights.shape[-2] - max(offset, 0)]
    return _mean(share, rows)


def _share_of_end(seen: AttentionMap, weights: Tensor, speaks: Tensor) -> Float[Tensor, " heads"] | None:
    ends = [position for position, label in enumerate(seen.key_labels) if label in ENDS]
    return _mean(weights[..., ends[-1]], speaks) if ends else None
