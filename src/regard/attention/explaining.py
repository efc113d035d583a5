"""Every step of one attention as tensors, and which path :func:`regard.attend` takes and why."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention.attending import ask
from regard.attention.definition import Call, average, compare, masked_softmax
from regard.attention.masks import Mask
from regard.attention.paths import choose
from regard.attention.positions import Position, Turning
from regard.attention.scores import Dot, ScaledDot, Score


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The arithmetic of one attention, step by step.

    ``similarities`` are the scores as the formula gives them, without scaling or position;
    ``scaled`` differs where the score is scaled, ``scores`` where a position takes part.
    """

    queries: Float[Tensor, "*batch queries query_width"]
    keys: Float[Tensor, "*batch keys key_width"]
    values: Float[Tensor, "*batch keys value_width"]
    formula: str
    similarities: Float[Tensor, "*batch queries keys"]
    scale: float
    scaled: Float[Tensor, "*batch queries keys"]
    position: str | None
    scores: Float[Tensor, "*batch queries keys"]
    keep: Bool[Tensor, "*batch queries keys"] | None
    exponentials: Float[Tensor, "*batch queries keys"]
    """e^(score - largest score of the row), zero where masked: no overflow, same weights."""
    totals: Float[Tensor, "*batch queries"]
    weights: Float[Tensor, "*batch queries keys"]
    output: Float[Tensor, "*batch queries value_width"]
    path: str
    reason: str


def explain(
    queries: Float[Tensor, "*batch queries query_width"],
    keys: Float[Tensor, "*batch keys key_width"] | None = None,
    values: Float[Tensor, "*batch keys value_width"] | None = None,
    *,
    score: Score | None = None,
    mask: Mask | None = None,
    position: Position | None = None,
    past: int = 0,
    dropout: float = 0.0,
) -> Explanation:
    """Work one attention out by the definition and keep every step.

    >>> steps = explain(torch.eye(2), score=Dot())
    >>> steps.similarities
    tensor([[1., 0.],
            [0., 1.]])
    >>> steps.path, steps.reason
    ('fused', "one pass of torch's fused kernel")
    """
    call = ask(queries, keys, values, score, mask, position, past, dropout)
    choice = choose(call)
    keep = call.keep()
    similarities, scale = _without_scale(call)
    scaled = similarities if scale == 1.0 else similarities * scale
    scores = compare(call)
    hidden = scores if keep is None else scores.masked_fill(~keep, -torch.inf)
    highest = (
        hidden.amax(dim=-1, keepdim=True) if hidden.shape[-1] else hidden.new_zeros(*hidden.shape[:-1], 1)
    )
    exponentials = (hidden - highest.masked_fill(highest.isneginf(), 0.0)).exp()
    weights = masked_softmax(scores, keep)
    return Explanation(
        queries=call.queries,
        keys=call.keys,
        values=call.values,
        formula=call.score.formula,
        similarities=similarities,
        scale=scale,
        scaled=scaled,
        position=None if position is None else type(position).__name__,
        scores=scores,
        keep=None if keep is None else keep.expand(call.scores_shape),
        exponentials=exponentials,
        totals=exponentials.sum(dim=-1),
        weights=weights,
        output=average(call.without_the_unheard(keep), weights).to(queries.dtype),
        path=choice.path.name,
        reason=choice.reason,
    )


def _without_scale(call: Call) -> tuple[Tensor, float]:
    position = call.position if isinstance(call.position, Turning) else None
    call = replace(call, position=position)
    if isinstance(call.score, ScaledDot):
        return compare(replace(call, score=Dot())), call.score.scale(call.queries.shape[-1])
    return compare(call), 1.0
