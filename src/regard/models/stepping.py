"""A decoder block that reads one token more, with nothing between the kernels.

Where a small model writes token by token, most of the time is spent between torch's kernels. Here
the same kernels are asked the same questions as by the modules, in the same order, so that the
answers agree bit for bit; only the choosing and checking is left out, of which the answer is known.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention.linear import linear, through
from regard.attention.memory import Memory
from regard.attention.multiplied import is_many_and_short, multiply
from regard.attention.scores import DotProduct
from regard.attention.watching import nobody_looks
from regard.models.blocks import DecoderBlock, FeedForward, Sublayer


def may_step(model: nn.Module) -> bool:
    """Whether nothing is wanted of the model but its answer."""
    return not (
        model.training or torch.is_grad_enabled() or torch.compiler.is_compiling() or not nobody_looks()
    )


def read_one(
    block: DecoderBlock,
    vectors: Float[Tensor, "batch width"],
    written: Memory | None,
    source: Memory,
    source_keep: Bool[Tensor, "batch 1 1 source"] | None,
) -> tuple[Float[Tensor, "batch width"], Memory]:
    """What ``block`` does for one new position, where it has no positions of its own and no shared heads."""
    rows, width = vectors.shape
    attention, around = block.self, block.around_self
    heads, head_width = attention.heads, attention.head_width
    assert isinstance(attention.score, DotProduct)
    scale = attention.score.scale(head_width)
    projected = through(attention.projection, _entering(vectors, around))
    queries, keys, values = projected.view(rows, 3, heads, 1, head_width).unbind(1)
    written = Memory.of(keys, values, silenced=True) if written is None else written.and_then(keys, values)
    heard = _heard(queries, written, None, scale)
    part = through(attention.output_projection, heard.transpose(1, 2).reshape(rows, width))
    vectors = _leaving(vectors, part, around)

    attention, around = block.cross, block.around_cross
    layer = attention.projection
    queries = linear(_entering(vectors, around), layer.weight, layer.bias, (0, width))
    queries = queries.view(rows, heads, 1, head_width)
    heard = _heard(queries, source, source_keep, scale)
    part = through(attention.output_projection, heard.transpose(1, 2).reshape(rows, width))
    vectors = _leaving(vectors, part, around)

    around = block.around_feed_forward
    part = _transformed(_entering(vectors, around), block.feed_forward)
    return _leaving(vectors, part, around), written


def _heard(queries: Tensor, memory: Memory, keep: Tensor | None, scale: float) -> Tensor:
    """By the path that ``attend`` would choose."""
    keys, values = memory.keys, memory.values
    if is_many_and_short(queries, len(memory)):
        if keep is None:
            return multiply(queries, keys, values, None, scale)
        if bool(keep.any(dim=-1).all()):
            bias = torch.where(keep, queries.new_zeros(()), -math.inf)
            return multiply(queries, keys, values, bias, scale)
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=keep, scale=scale)


def _transformed(vectors: Tensor, feed_forward: FeedForward) -> Tensor:
    hidden = through(feed_forward.inner, vectors)
    if feed_forward.gated:
        gate, hidden = hidden.chunk(2, dim=-1)
        hidden = feed_forward.activation(gate) * hidden
    else:
        hidden = feed_forward.activation(hidden)
    return through(feed_forward.outer, hidden)


def _entering(vectors: Tensor, around: Sublayer) -> Tensor:
    return _normed(vectors, around.norm) if around.before else vectors


def _leaving(vectors: Tensor, part: Tensor, around: Sublayer) -> Tensor:
    summed = vectors + part
    return summed if around.before else _normed(summed, around.norm)


def _normed(vectors: Tensor, norm: nn.LayerNorm) -> Tensor:
    return F.layer_norm(vectors, norm.normalized_shape, norm.weight, norm.bias, norm.eps)
