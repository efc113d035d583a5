"""Many short sentences at once: three batched operations in place of the fused kernel.

    softmax(s · Q Kᵀ + mask) V

The fused kernel goes through a head block by block, for which it pays whether there is a block's
worth of work or not. Where a batch has many heads of few queries and few keys, forming their scores
is nothing, and torch's batched products go through them faster, forward and backward. In bfloat16 the
products alone are halved; the softmax is taken of float32.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.definition import Call
from regard.attention.fused import dot_product_form, why_not_fused
from regard.attention.positions import Bias
from regard.attention.processor import multiplies_halves

MOST = 64
"""Queries, and keys, of a head that is short: at 96 the fused kernel is as fast."""
FEWEST = 128
"""Heads, over all samples, that are many: five samples of four heads are faster fused."""

FEWEST_PRODUCTS = 400
"""Products of a head below which torch takes batched products one number at a time."""

_PRECISIONS = (torch.float32, torch.float64)


def is_many_and_short(queries: Tensor, keys: int) -> bool:
    """Whether there are enough heads, short enough, of a precision that products gain from."""
    batch, heads, count, _ = queries.shape
    if max(count, keys) > MOST or batch * heads < FEWEST:
        return False
    return queries.dtype in _PRECISIONS or (queries.dtype is torch.bfloat16 and multiplies_halves())


def why_not_multiplied(call: Call) -> str | None:
    """What keeps this question from batched products, or None; empty where it is not short."""
    if torch.compiler.is_compiling() or call.queries.device.type != "cpu":
        return ""  # a compiler takes any size, and fuses by itself
    if call.queries.dim() != 4 or not is_many_and_short(call.queries, call.scores_shape[-1]):
        return ""
    if why_not_fused(call) is not None or call.dropout or call.sharing > 1:
        return ""
    keep = call.keep()
    if keep is not None and not bool(keep.any(dim=-1).all()):
        return "some queries may attend to nothing"
    call.found["keep"] = keep
    return None


def attend_multiplied(call: Call) -> Tensor:
    """The answer by batched products."""
    keep = call.found["keep"] if "keep" in call.found else call.keep()
    call = call.without_the_unheard(keep)
    queries, keys, scale = dot_product_form(call)
    bias = None
    if isinstance(call.position, Bias):
        bias = call.position(*call.scores_shape[-2:], call.past).to(queries.dtype)
    if keep is not None:
        nothing = queries.new_zeros(()) if bias is None else bias
        bias = torch.where(keep, nothing, -math.inf)
    return multiply(queries, keys, call.values, bias, scale)


def multiply(
    queries: Float[Tensor, "batch heads queries head_width"],
    keys: Float[Tensor, "batch heads keys head_width"],
    values: Float[Tensor, "batch heads keys value_width"],
    bias: Tensor | None,
    scale: float,
) -> Float[Tensor, "batch heads queries value_width"]:
    """Attention with a bias that is minus infinity where a key is hidden; none is hidden altogether."""
    batch, heads, count, _ = queries.shape
    if queries.dtype is torch.bfloat16:
        products = torch.bmm(queries.flatten(0, 1), keys.flatten(0, 1).mT)
        scores = products.float().mul_(scale).view(batch, heads, count, -1)
        if bias is not None:
            scores = scores.add_(bias)
        weights = scores.softmax(dim=-1).to(queries.dtype).flatten(0, 1)
        return torch.bmm(weights, values.flatten(0, 1)).view(batch, heads, count, -1)
    if count == 1 and keys.shape[2] * keys.shape[3] < FEWEST_PRODUCTS and not torch.is_grad_enabled():
        scores = (queries * keys).sum(dim=-1, keepdim=True).mul_(scale)
        if bias is not None:
            scores.add_(bias.mT)
        return (scores.softmax(dim=-2) * values).sum(dim=-2, keepdim=True)
    if bias is None:
        added, share = queries.new_empty(1), 0  # nothing of it is read
    else:
        added, share = bias.expand(batch, heads, -1, -1).flatten(0, 1), 1
    scores = torch.baddbmm(added, queries.flatten(0, 1), keys.flatten(0, 1).mT, beta=share, alpha=scale)
    output = torch.bmm(scores.softmax(dim=-1), values.flatten(0, 1))
    return output.view(batch, heads, count, -1)
