"""Dropout whose random numbers cost less than what they are multiplied with.

Drawing them with torch's generator takes a CPU three times as long as the layer that made the
features. Sixteen bits a feature from numpy's SFC64 take a tenth of that; its seed comes from torch,
so that ``torch.manual_seed`` rules what is dropped.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.dropping import draw_seed, kept_share

_LEVELS = 2**16


def drop(vectors: Float[Tensor, "*shape"], dropout: float, training: bool) -> Float[Tensor, "*shape"]:
    """Zero for a share of the features while training; the others grow as much as is lost.

    >>> drop(torch.ones(3), 0.5, training=False)
    tensor([1., 1., 1.])
    >>> sorted(set(drop(torch.ones(100), 0.5, training=True).tolist()))
    [0.0, 2.0]
    """
    if not training or not dropout:
        return vectors
    if _left_to_torch(vectors):
        return F.dropout(vectors, dropout)
    return vectors * _factors(vectors, dropout)


def drop_and_add(
    vectors: Float[Tensor, "*shape"], part: Float[Tensor, "*shape"], dropout: float, training: bool
) -> Float[Tensor, "*shape"]:
    """The sum of vectors and a part of which some features are dropped while training."""
    if not training or not dropout:
        return vectors + part
    if _left_to_torch(part):
        return vectors + F.dropout(part, dropout)
    return torch.addcmul(vectors, part, _factors(part, dropout))


@contextmanager
def eased(model: nn.Module, share: float) -> Iterator[None]:
    """Within, the ``dropout`` of every part of a model is a share of what it is.

    The parts keep their dropout as an attribute, which is set for a while: handed through every call,
    it would be an argument of each of them for the sake of training alone.

    >>> model = nn.GRU(3, 5, num_layers=2, dropout=0.5)
    >>> with eased(model, 0.5):
    ...     model.dropout
    0.25
    >>> model.dropout
    0.5
    """
    found = [(vars(module), vars(module).get("dropout")) for module in model.modules()]
    held = [(attributes, dropout) for attributes, dropout in found if isinstance(dropout, float)]
    try:
        for attributes, dropout in held:
            attributes["dropout"] = dropout * share
        yield
    finally:
        for attributes, dropout in held:
            attributes["dropout"] = dropout


def _left_to_torch(vectors: Tensor) -> bool:
    return vectors.device.type != "cpu" or torch.compiler.is_compiling()


def _factors(vectors: Tensor, dropout: float) -> Tensor:
    """Zero for the features that are dropped, one over the share that is kept for the others."""
    random = np.random.Generator(np.random.SFC64(draw_seed()))
    count = vectors.numel()
    drawn = random.integers(0, 2**64, -(-count // 4), dtype=np.uint64).view(np.uint16)[:count]
    kept = torch.from_numpy(drawn >= round(dropout * _LEVELS)).view(torch.uint8)  # no slow bool
    return kept.to(vectors.dtype).mul_(1 / kept_share(dropout)).view(vectors.shape)
