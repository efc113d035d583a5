"""Dot-product attention in blocks, with what the fused kernel lacks: dropout, and biases that learn.

Blocks of queries as in :mod:`regard.attention.streaming`, but with the backward pass written out,
on buffers that are used again:

    w = exp(s - log_sum),   dv = (w∘m)ᵀ do,   ds = w∘(m∘(do vᵀ) - do·o),   dq = ds k,   dk = dsᵀ q

where m is what dropout kept. A bias depends on the distance alone, so it is kept as one number per
head and distance, and its gradient is the sum of ds along the diagonals.
"""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention import dropping
from regard.attention.definition import Call
from regard.attention.fused import dot_product_form, with_four_axes
from regard.attention.masks import Mask
from regard.attention.positions import Bias, Relative
from regard.attention.scores import Bilinear, DotProduct, widened
from regard.attention.streaming import heard

BLOCK = 2**19
"""How many scores are formed at a time: 2 MiB in float32."""


def why_not_streamed_dots(call: Call) -> str | None:
    """What keeps this question from streamed dot products, or None."""
    if not isinstance(call.score, DotProduct | Bilinear):
        return f"{type(call.score).__name__} is not a dot product"
    if isinstance(call.position, Relative):
        return "Relative positions have paths of their own"
    if torch.compiler.is_compiling():
        return "torch.compile plans its own blocks"
    if call.scores_shape[-2] * call.scores_shape[-1] <= BLOCK // 8:
        return "the scores of one head are few"
    return None


def attend_streamed_dots(call: Call) -> Tensor:
    """The answer, block by block."""
    call = call.without_the_unheard(heard(call))
    queries, keys, scale = dot_product_form(call)
    bias = None
    if isinstance(call.position, Bias):
        first = 1 - call.scores_shape[-2] - call.past
        distances = torch.arange(first, call.scores_shape[-1] - call.past, device=queries.device)
        bias = call.position.by_distance(distances).to(widened(queries).dtype)
    plan = _Plan(
        mask=call.mask,
        shape=call.scores_shape,
        past=call.past,
        scale=scale,
        dropout=call.dropout,
        seed=dropping.draw_seed() if call.dropout else 0,
        sharing=call.sharing,
    )
    wide = (with_four_axes(widened(tensor)) for tensor in (queries, keys, call.values))
    output = _StreamedDots.apply(plan, *wide, bias)
    return output.reshape(*call.queries.shape[:-1], call.values.shape[-1]).to(call.queries.dtype)


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """What of a question is not a tensor, and how it is cut."""

    mask: Mask | None
    shape: tuple[int, ...]
    past: int
    scale: float
    dropout: float
    seed: int
    sharing: int

    def blocks(self) -> list[slice]:
        queries, keys = self.shape[-2:]
        size = min(max(BLOCK // max(keys, 1), 1), queries)
        return [slice(start, min(start + size, queries)) for start in range(0, queries, size)]

    def hidden(self, rows: slice, device: torch.device) -> Tensor | None:
        """True where a score is masked: (batch or 1, heads or 1, rows or 1, keys)."""
        if self.mask is None:
            return None
        hidden = ~self.mask.rows(self.shape, self.past, device, rows)
        if len(self.shape) > 4:
            hidden = hidden.expand(*self.shape[:-2], *hidden.shape[-2:])
        return with_four_axes(hidden) if hidden.dim() > 2 else hidden[None, None]

    def scores(
        self, rows: slice, block: Tensor, keys: Tensor, bias: Tensor | None, hidden: Tensor | None
    ) -> Tensor:
        """The scores of one head's block of queries."""
        scores = (block * self.scale) @ keys.mT
        if bias is not None:
            # Query i meets key j at place j - i of the biases: windows that slide back as i grows.
            windows = bias.unfold(0, scores.shape[-1], 1)
            last = self.shape[-2] - 1
            scores += windows[last - rows.stop + 1 : last - rows.start + 1].flip(0)
        return scores if hidden is None else scores.masked_fill_(hidden, -torch.inf)

    def kept(self, place: tuple[int, ...], scores: Tensor) -> Tensor:
        return dropping.kept(tuple(scores.shape), self.dropout, self.seed, place, scores.device)


def _one(tensor: Tensor | None, sample: int, head: int) -> Tensor | None:
    """One head's part of a tensor that may be shared by samples or heads."""
    if tensor is None:
        return None
    return tensor[sample if tensor.shape[0] > 1 else 0, head if tensor.shape[1] > 1 else 0]


class _StreamedDots(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any, plan: _Plan, queries: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None
    ) -> Tensor:
        batch, heads, count, _ = queries.shape
        output = queries.new_empty(batch, heads, count, values.shape[-1])
        log_sum = queries.new_empty(batch, heads, count, 1)
        for rows in plan.blocks():
            hidden = plan.hidden(rows, queries.device)
            for sample in range(batch):
                for head in range(heads):
                    shared = head // plan.sharing
                    scores = plan.scores(
                        rows,
                        queries[sample, head, rows],
                        keys[sample, shared],
                        None if bias is None else bias[head % len(bias)],
                        _one(hidden, sample, head),
                    )
                    highest = scores.amax(-1, keepdim=True)
                    highest.masked_fill_(highest.isneginf(), 0.0)
                    weights = scores.sub_(highest).exp_()
                    total = weights.sum(-1, keepdim=True).clamp_(min=torch.finfo(weights.dtype).tiny)
                    log_sum[sample, head, rows] = total.log() + highest
                    if plan.dropout:
                        weights.mul_(plan.kept((sample, head, rows.start), weights))
                        total *= dropping.kept_share(plan.dropout)
                    output[sample, head, rows] = (weights @ values[sample, shared]).div_(total)
        context.plan = plan
        context.save_for_backward(queries, keys, values, bias, output, log_sum)
        return output

    @staticmethod
    def backward(context: Any, *of_outputs: Tensor) -> tuple[Tensor | None, ...]:
        plan: _Plan = context.plan
        queries, keys, values, bias, output, log_sum = context.saved_tensors
        of_output = of_outputs[0]
        delta = (of_output * output).sum(-1, keepdim=True)
        share = dropping.kept_share(plan.dropout)
        of_queries = torch.empty_like(queries)
        of_keys, of_values = torch.zeros_like(keys), torch.zeros_like(values)
        of_bias = None if bias is None else torch.zeros_like(bias)
        for rows in plan.blocks():
            hidden = plan.hidden(rows, queries.device)
            for sample in range(queries.shape[0]):
                for head in range(queries.shape[1]):
                    shared = head // plan.sharing
                    block, gradient = queries[sample, head, rows], of_output[sample, head, rows] / share
                    scores = plan.scores(
                        rows,
                        block,
                        keys[sample, shared],
                        None if bias is None else bias[head % len(bias)],
                        _one(hidden, sample, head),
                    )
                    weights = scores.sub_(log_sum[sample, head, rows]).exp_()
                    of_weights = gradient @ values[sample, shared].mT
                    if plan.dropout:
                        kept = plan.kept((sample, head, rows.start), weights)
                        of_weights.mul_(kept)
                        of_values[sample, shared].addmm_((weights * kept).mT, gradient)
                    else:
                        of_values[sample, shared].addmm_(weights.mT, gradient)
                    of_scores = of_weights.sub_(delta[sample, head, rows]).mul_(weights)
                    of_queries[sample, head, rows] = of_scores @ keys[sample, shared]
                    of_keys[sample, shared].addmm_(of_scores.mT, block, alpha=plan.scale)
                    if of_bias is not None:
                        last = plan.shape[-2] - 1
                        diagonals = _sums_along_diagonals(of_scores)
                        start = last - rows.stop + 1
                        of_bias[head % len(of_bias), start : start + len(diagonals)] += diagonals
        return None, of_queries.mul_(plan.scale), of_keys, of_values, of_bias


def _sums_along_diagonals(block: Tensor) -> Tensor:
    """Entry d sums block[i, j] where j - i = d - (rows - 1).

    Shearing makes diagonals into columns: rows of one more than their length slide by one.
    """
    rows, columns = block.shape
    sheared = F.pad(block.flip(0), (0, rows)).flatten()[: rows * (columns + rows - 1)]
    return sheared.unflatten(0, (rows, columns + rows - 1)).sum(0)
