"""The definition: scores, mask, softmax, average. Every fast path is measured against it.

Nothing here is clever. It forms the (queries × keys) matrix, and computes half
precision in float32.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention.masks import Mask
from regard.attention.positions import Bias, Position, Relative, Turning
from regard.attention.scores import DotProduct, Score, widened


@dataclass(frozen=True, kw_only=True)
class Call:
    """One question to attention: everything that decides its answer.

    ``keys`` and ``values`` may hold fewer heads than ``queries``; each is then shared by
    a group of neighbouring query heads.
    """

    queries: Float[Tensor, "*batch queries query_width"]
    keys: Float[Tensor, "*key_batch keys key_width"]
    values: Float[Tensor, "*key_batch keys value_width"]
    score: Score
    mask: Mask | None = None
    position: Position | None = None
    past: int = 0
    dropout: float = 0.0
    silenced: bool = False
    """Whether keys and values that no query may hear are known to be finite."""
    found: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What a path found out while it considered the question, not to be worked out twice."""

    @property
    def scores_shape(self) -> tuple[int, ...]:
        """(*batch, queries, keys)."""
        return (*self.queries.shape[:-1], self.keys.shape[-2])

    @property
    def sharing(self) -> int:
        """How many query heads share one key head."""
        if self.queries.dim() < 4 or self.keys.shape[-3] == self.queries.shape[-3]:
            return 1
        return self.queries.shape[-3] // self.keys.shape[-3]

    def keep(self) -> Bool[Tensor, "..."] | None:
        """Where the mask lets a query attend; broadcasts to the scores."""
        if self.mask is None:
            return None
        return self.mask.keep(self.scores_shape, self.past, device=self.queries.device)

    def unshared(self) -> "Call":
        """The same question with a key head for every query head."""
        if self.sharing == 1:
            return self
        return replace(
            self,
            keys=self.keys.repeat_interleave(self.sharing, dim=-3),
            values=self.values.repeat_interleave(self.sharing, dim=-3),
        )

    def without_the_unheard(self, keep: Bool[Tensor, "..."] | None) -> "Call":
        """The same question with zeros for keys and values that no query may hear.

        A weight of zero does not silence them: zero times NaN is NaN.
        """
        if keep is None or self.silenced:
            return self
        unheard = ~keep.any(dim=-2).unsqueeze(-1)
        if self.queries.shape[-2] == 0:  # a mask for every query hides nothing from none
            unheard = torch.ones_like(unheard)
        return replace(
            self,
            keys=self.keys.masked_fill(unheard, 0.0),
            values=self.values.masked_fill(unheard, 0.0),
            silenced=True,
        )


def masked_softmax(
    scores: Float[Tensor, "*batch queries keys"],
    keep: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*batch queries keys"]:
    """Turn scores into weights that sum to one over the keys.

    ``keep`` is True where a query may attend. A query that may attend to nothing
    gets weights of zero: it hears silence, not noise.

    >>> masked_softmax(torch.tensor([[0.0, 0.0, -torch.inf]]))
    tensor([[0.5000, 0.5000, 0.0000]])
    >>> masked_softmax(torch.tensor([[-torch.inf, -torch.inf]]))
    tensor([[0., 0.]])
    >>> masked_softmax(torch.tensor([[1.0, 1.0, 9.0]]), torch.tensor([[True, True, False]]))
    tensor([[0.5000, 0.5000, 0.0000]])
    """
    if keep is not None:
        scores = scores.masked_fill(~keep, -torch.inf)
    silent = scores.isneginf().all(dim=-1, keepdim=True)
    return scores.masked_fill(silent, 0.0).softmax(dim=-1).masked_fill(silent, 0.0)


def compare(call: Call) -> Float[Tensor, "*batch queries keys"]:
    """The scores of a question, positions included, before its mask."""
    queries, keys, position = call.queries, call.keys, call.position
    if isinstance(position, Turning):
        queries, keys = position.turn(queries, call.past), position.turn(keys)
    scores = call.score(queries, keys)
    if isinstance(position, Bias):
        bias = position(*scores.shape[-2:], call.past).to(scores.dtype)
        return scores + (bias.squeeze(0) if scores.dim() == 2 else bias)
    if isinstance(position, Relative):
        assert isinstance(call.score, DotProduct)
        rows = position.rows(scores.shape[-2], scores.shape[-1], call.past, scores.device)
        from_keys = position.key_scores(queries, rows)
        if from_keys is not None:
            return scores + from_keys * call.score.scale(queries.shape[-1])
    return scores


def average(call: Call, weights: Float[Tensor, "*batch queries keys"]) -> Tensor:
    """The weighted sum of the values, positions included: (*batch, queries, value_width)."""
    output = weights @ widened(call.values)
    if isinstance(call.position, Relative):
        rows = call.position.rows(weights.shape[-2], weights.shape[-1], call.past, weights.device)
        from_values = call.position.value_sums(weights, rows)
        if from_values is not None:
            output = output + from_values
    return output


def weigh_by_definition(call: Call) -> Float[Tensor, "*batch queries keys"]:
    """The weights of a question, in at least float32."""
    keep = call.keep()
    return masked_softmax(compare(call.unshared().without_the_unheard(keep)), keep)


def attend_by_definition(call: Call) -> Float[Tensor, "*batch queries value_width"]:
    """The answer to a question, in the precision it was asked in."""
    keep = call.keep()
    call = call.unshared().without_the_unheard(keep)
    weights = masked_softmax(compare(call), keep)
    weights = torch.nn.functional.dropout(weights, call.dropout)
    return average(call, weights).to(call.queries.dtype)
