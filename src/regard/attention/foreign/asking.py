"""What a model built elsewhere asked, in regard's own words: a :class:`Call`."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention import masks
from regard.attention.definition import Call
from regard.attention.scores import DotProduct, Score, widened

FAR_BELOW = 5e3
"""So far below the best of its row a score is meant to hide a key: its weight is zero in every precision."""


class Times(DotProduct):
    """q · k times a number of somebody's choosing.

    >>> Times(3.0)(torch.ones(1, 2), torch.ones(1, 2))
    tensor([[6.]])
    """

    formula = "q·k · c"

    def __init__(self, times: float) -> None:
        super().__init__()
        self.times = times

    def scale(self, width: int) -> float:
        """The number, whatever the width."""
        return self.times


class Told(Score):
    """q · k times a number, plus numbers given for each pair; times zero, those alone.

    >>> Told(torch.tensor([[1.0, 5.0]]))(torch.ones(1, 2), torch.ones(2, 2))
    tensor([[1., 5.]])
    """

    formula = "q·k · c + b"

    def __init__(self, numbers: Float[Tensor, "*batch queries keys"], times: float = 0.0) -> None:
        super().__init__()
        self.numbers, self.times = numbers, times

    def forward(
        self,
        queries: Float[Tensor, "*batch queries query_width"],
        keys: Float[Tensor, "*batch keys key_width"],
    ) -> Float[Tensor, "*batch queries keys"]:
        """Score every query against every key."""
        if self.times == 0.0:
            return widened(self.numbers).expand(*queries.shape[:-1], keys.shape[-2])
        return widened(queries) @ widened(keys).mT * self.times + widened(self.numbers)


def asked(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Call:
    """What ``F.scaled_dot_product_attention`` is asked by these arguments; dropout comes after the weights.

    >>> asked(torch.ones(1, 3, 2), torch.ones(1, 3, 2), torch.ones(1, 3, 2), is_causal=True).keep().int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    shape = (*query.shape[:-1], key.shape[-2])
    scale = 1 / math.sqrt(max(query.shape[-1], 1)) if scale is None else scale
    score: Score = Times(scale)
    keep = None
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        keep = attn_mask.clone()
    elif attn_mask is not None:
        keep = heard(attn_mask)
        if (attn_mask.masked_fill(~keep, 0.0) != 0).any():
            score = Told(_of_rank(attn_mask.detach().clone(), shape), scale)
    if is_causal:  # torch counts from the first key, however many there are
        early = torch.ones(shape[-2:], dtype=torch.bool, device=query.device).tril()
        keep = early if keep is None else early & keep
    key, value = (side.expand(*query.shape[:-3], *side.shape[-3:]) for side in (key, value))
    return Call(
        queries=_with_one_batch(query.detach()),
        keys=_with_one_batch(key.detach()),
        values=_with_one_batch(value.detach()),
        score=score,
        mask=None if keep is None else masks.where(keep=_of_rank(keep, shape)),
    )


def weighed(
    scores: Tensor, queries: Tensor | None = None, keys: Tensor | None = None, values: Tensor | None = None
) -> Call:
    """What a softmax of these scores was asked; sides that were not seen have no width.

    >>> weighed(torch.zeros(2, 3, 5, 7)).keys.shape
    torch.Size([2, 3, 7, 0])
    """
    *batch, rows, columns = scores.shape
    queries, keys, values = (
        scores.new_empty(*batch, length, 0) if side is None else side.detach().expand(*batch, -1, -1)
        for side, length in ((queries, rows), (keys, columns), (values, columns))
    )
    scores = _with_one_batch(scores)
    keep = heard(scores)
    return Call(
        queries=_with_one_batch(queries),
        keys=_with_one_batch(keys),
        values=_with_one_batch(values),
        score=Told(scores),
        mask=None if keep.all() else masks.where(keep=keep),
    )


def heard(scores: Float[Tensor, "*batch queries keys"]) -> Bool[Tensor, "*batch queries keys"]:
    """Where a key can be heard: models hide keys by minus infinity, or by numbers far below all others.

    Where all of a row are far below, as in a row of padding, all are heard alike.

    >>> heard(torch.tensor([[1.0, -1e9, -torch.inf], [-1e9, -1e9, -1e9]])).int()
    tensor([[1, 0, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    scores = widened(scores.detach())
    best = scores.amax(dim=-1, keepdim=True) if scores.shape[-1] else scores
    return (scores >= best - FAR_BELOW) & ~scores.isneginf()


def _of_rank(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Two axes, or as many as the scores have; a batch of several axes becomes one."""
    if tensor.dim() > 2:
        tensor = tensor[(None,) * (len(shape) - tensor.dim())]
    if len(shape) > 4 and tensor.dim() > 2:
        tensor = tensor.expand(*shape[:-3], *tensor.shape[-3:])
    return _with_one_batch(tensor)


def _with_one_batch(tensor: Tensor) -> Tensor:
    return tensor.flatten(0, -4) if tensor.dim() > 4 else tensor
