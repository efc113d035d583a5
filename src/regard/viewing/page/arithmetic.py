"""What one head computed with, so that a page can compute it anew when a reader changes it."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.positions import Bias
from regard.attention.scores import DotProduct
from regard.attention.watching import Record as WatchedCall
from regard.errors import RegardError
from regard.viewing.maps import AttentionMap
from regard.viewing.page.packing import Blobs

CLOSE = 2e-3
"""Scores must give the weights that are shown, as closely as half precision allows."""


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """The scores, queries, keys and values of one head of one sample."""

    head: int
    scores: Float[Tensor, "queries keys"]
    """As they enter the softmax: minus infinity where masked."""
    values: Float[Tensor, "keys value_width"]
    queries: Float[Tensor, "queries width"] | None
    keys: Float[Tensor, "keys width"] | None
    scale: float | None
    """What the scores were multiplied by, if they are a dot product times a number."""

    def facts(self, blobs: Blobs) -> dict[str, Any]:
        """What a page needs to know, its tensors added to the blobs."""
        tensors = {
            "scores": self.scores,
            "values": self.values,
            "queries": self.queries,
            "keys": self.keys,
        }
        return {
            "head": self.head,
            "scale": self.scale,
            "width": None if self.queries is None else self.queries.shape[-1],
            "value_width": self.values.shape[-1],
            **{
                name: None if tensor is None else blobs.share(tensor.numpy().astype("<f4").tobytes())
                for name, tensor in tensors.items()
            },
        }

    @property
    def size(self) -> int:
        """How many bytes it adds to a page, at most."""
        tensors = (self.scores, self.values, self.queries, self.keys)
        return sum(4 * tensor.numel() for tensor in tensors if tensor is not None) * 4 // 3


def arithmetic_of(record: Any, seen: AttentionMap, head: int, sample: int = 0) -> Arithmetic:
    """Take one head of one sample from what was watched, without its padding.

    A record that holds the weights alone is refused, and so is one of another call.
    """
    rows, columns = len(seen.query_labels), len(seen.key_labels)
    missing = [part for part in ("scores", "values") if not isinstance(getattr(record, part, None), Tensor)]
    if missing:
        raise RegardError(
            f"{seen.name!r} cannot be edited: its record holds no {' and no '.join(missing)}, "
            "only what was attended."
        )
    scores = _head_of(record.scores, sample, head, seen.heads)[:rows, :columns].double()
    values = _head_of(record.values, sample, head, seen.heads)[:columns].double()
    silent = scores.isneginf().all(dim=-1, keepdim=True)
    weights = scores.masked_fill(silent, 0.0).softmax(dim=-1).masked_fill(silent, 0.0)
    if weights.shape != seen.per_head.shape[1:] or (weights - seen.per_head[head]).abs().max() > CLOSE:
        raise RegardError(
            f"{seen.name!r} cannot be edited: the softmax of the scores given for head {head} "
            "is not the weights that are shown."
        )
    sides = [getattr(record, side, None) for side in ("queries", "keys")]
    queries, keys = (
        _head_of(side, sample, head, seen.heads)[:count].double() if isinstance(side, Tensor) else None
        for side, count in zip(sides, (rows, columns), strict=True)
    )
    if queries is None or keys is None or queries.shape[-1] != keys.shape[-1]:
        queries = keys = None
    return Arithmetic(
        head=head,
        scores=scores.float(),
        values=values.float(),
        queries=None if queries is None else queries.float(),
        keys=None if keys is None else keys.float(),
        scale=_scale(record, scores, queries, keys),
    )


def _head_of(tensor: Tensor, sample: int, head: int, heads: int) -> Tensor:
    """One head; where several share one, the one they share."""
    return tensor[sample, head * tensor.shape[1] // heads].detach().cpu()


def _scale(record: Any, scores: Tensor, queries: Tensor | None, keys: Tensor | None) -> float | None:
    if isinstance(record, WatchedCall):
        score, position = record.call.score, record.call.position
        if not isinstance(score, DotProduct) or isinstance(position, Bias) or record.change is not None:
            return None  # a bias is added after the scale, a change may come after both
        return score.scale(record.call.queries.shape[-1])
    if queries is None or keys is None:
        return None
    kept = scores.isfinite()
    dots = (queries @ keys.mT)[kept]
    for scale in (1 / sqrt(queries.shape[-1]), 1.0):
        if torch.allclose(dots * scale, scores[kept], rtol=1e-3, atol=1e-3):
            return scale
    return None
