"""A decoder block that reads one token more, with nothing between the kernels.

Where a small model writes token by token, much of the time is spent between torch's kernels. Here
the same kernels are asked the same questions as by the modules, in the same order, so that the
answers agree bit for bit; choosing and checking, of which the answer is known, is done once for a
sentence.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention.linear import prepared
from regard.attention.masks import Mask
from regard.attention.memory import Memory
from regard.attention.multihead import MultiHeadAttention
from regard.attention.multiplied import is_many_and_short, multiply
from regard.attention.scores import DotProduct
from regard.attention.watching import nobody_looks
from regard.models.blocks import DecoderBlock, FeedForward, Sublayer

Change = Callable[[Tensor], Tensor]


def may_step(model: nn.Module) -> bool:
    """Whether nothing is wanted of the model but its answer."""
    return not (
        model.training or torch.is_grad_enabled() or torch.compiler.is_compiling() or not nobody_looks()
    )


class Kept(NamedTuple):
    """Which source positions the new tokens of every sentence may look at."""

    keep: Bool[Tensor, "sentences 1 1 source"]
    bias: Float[Tensor, "sentences 1 1 source"] | None
    """The same as numbers that are added to scores; None where a sentence has nothing to look at."""

    @classmethod
    def of(cls, mask: Mask, source: Memory) -> "Kept":
        """What a mask says, worked out once for every block and every token."""
        like = source.keys
        keep = mask.keep((len(like), 1, 1, len(source)), 0, device=like.device)
        if not bool(keep.any(dim=-1).all()):
            return cls(keep, None)
        return cls(keep, torch.where(keep, like.new_zeros(()), -math.inf))


class Step:
    """What a block does for one new position, where it has no positions of its own and no shared heads.

    It goes with a sentence half written: the block's parameters are to stay as they are.
    """

    def __init__(self, block: DecoderBlock) -> None:
        attention = block.self
        assert isinstance(attention.score, DotProduct)
        self.heads, self.head_width = attention.heads, attention.head_width
        self.scale = attention.score.scale(attention.head_width)
        self.project, self.gather = prepared(attention.projection), _gathering(attention)
        self.enter, self.leave = _around(block.around_self)
        self.look = prepared(block.cross.projection, (0, attention.width))
        self.gather_source = _gathering(block.cross)
        self.enter_source, self.leave_source = _around(block.around_cross)
        self.transform = _transforming(block.feed_forward)
        self.enter_transform, self.leave_transform = _around(block.around_feed_forward)

    def __call__(
        self,
        vectors: Float[Tensor, "batch width"],
        written: Memory | None,
        source: Memory,
        kept: Kept | None,
    ) -> tuple[Float[Tensor, "batch width"], Memory]:
        """The vectors after the block, and all that is written now."""
        rows, heads, head_width = len(vectors), self.heads, self.head_width
        projected = self.project(self.enter(vectors))
        queries, keys, values = projected.view(rows, 3, heads, 1, head_width).unbind(1)
        written = (
            Memory.of(keys, values, silenced=True) if written is None else written.and_then(keys, values)
        )
        vectors = self.leave(vectors, self.gather(_heard(queries, written, None, self.scale)))
        queries = self.look(self.enter_source(vectors)).view(-1, source.beside, heads, head_width)
        heard = _heard(queries.transpose(1, 2), source, kept, self.scale)
        vectors = self.leave_source(vectors, self.gather_source(heard))
        return self.leave_transform(vectors, self.transform(self.enter_transform(vectors))), written


def _gathering(attention: MultiHeadAttention) -> Change:
    """What the heads of a query heard, as one vector."""
    product, width = prepared(attention.output_projection), attention.width
    return lambda heard: product(heard.transpose(1, 2).reshape(-1, width))


def _heard(queries: Tensor, memory: Memory, kept: Kept | None, scale: float) -> Tensor:
    """By the path that ``attend`` would choose."""
    keys, values = memory.keys, memory.values
    if is_many_and_short(queries, len(memory)) and (kept is None or kept.bias is not None):
        return multiply(queries, keys, values, None if kept is None else kept.bias, scale)
    mask = None if kept is None else kept.keep
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, scale=scale)


def _transforming(feed_forward: FeedForward) -> Change:
    inner = prepared(feed_forward.inner, rectified=feed_forward.rectified)
    outer, activation = prepared(feed_forward.outer), feed_forward.activation
    if feed_forward.rectified:
        return lambda vectors: outer(inner(vectors))
    if not feed_forward.gated:
        return lambda vectors: outer(activation(inner(vectors)))

    def gated(vectors: Tensor) -> Tensor:
        gate, hidden = inner(vectors).chunk(2, dim=-1)
        return outer(activation(gate) * hidden)

    return gated


def _around(sublayer: Sublayer) -> tuple[Change, Callable[[Tensor, Tensor], Tensor]]:
    """How vectors enter a part, and how its answer is added to them."""
    norm = sublayer.norm
    shape, weight, bias, eps = norm.normalized_shape, norm.weight, norm.bias, norm.eps

    def normed(vectors: Tensor) -> Tensor:
        return torch.layer_norm(vectors, shape, weight, bias, eps)

    if sublayer.before:
        return normed, lambda vectors, part: vectors + part
    return lambda vectors: vectors, lambda vectors, part: normed(vectors + part)
