"""Attention in blocks with its backward pass written out: dot products and Bahdanau's score.

What the fused kernel lacks is here: dropout, biases that learn, and tanh. As in
:mod:`regard.attention.streaming`, the scores of a block of queries are formed, used and forgotten,
and formed again in the backward pass:

    w = exp(s - log_sum),   dv = (w∘m)ᵀ do,   ds = w∘(m∘(do vᵀ) - do·o)

where m is what dropout kept; how ds reaches queries and keys is the comparison's business. A bias
depends on the distance alone, so it is one number per head and distance, and its gradient is the
sum of ds along the diagonals.
"""

from abc import ABC, abstractmethod
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
from regard.attention.scores import Additive, Bilinear, DotProduct, widened
from regard.attention.streaming import heard

BLOCK = 2**20
"""How many numbers are formed at a time: 4 MiB in float32, which stays in cache."""
FARTHEST = 40.0
"""How far from zero x may be for e^x and its products with others to be taken: e^80 is within float32."""


def why_not_blocked(call: Call) -> str | None:
    """What keeps this question from these blocks, or None."""
    if not isinstance(call.score, DotProduct | Bilinear | Additive):
        return f"{type(call.score).__name__} is neither a dot product nor additive"
    if isinstance(call.position, Relative):
        return ""
    if torch.compiler.is_compiling():
        return "torch.compile plans its own blocks"
    numbers = len(call.score.to_score) if isinstance(call.score, Additive) else 1
    if call.scores_shape[-2] * call.scores_shape[-1] * numbers <= BLOCK // 16:
        return "the scores of one head are few"
    return None


def attend_blocked(call: Call) -> Tensor:
    """The answer, block by block."""
    call = call.without_the_unheard(heard(call))
    comparison: _Comparison
    parameters: tuple[Tensor, ...] = ()
    if isinstance(call.score, Additive):
        queries = 2 * widened(call.score.query_projection(call.queries))
        keys = 2 * widened(call.score.key_projection(call.keys))
        parameters = (widened(call.score.to_score),)
        comparison = _Tanh(numbers=len(call.score.to_score), near=is_near(queries) and is_near(keys))
    else:
        queries, keys, scale = dot_product_form(call)
        comparison = _Dots(scale)
    bias = None
    if isinstance(call.position, Bias):
        first = 1 - call.scores_shape[-2] - call.past
        distances = torch.arange(first, call.scores_shape[-1] - call.past, device=call.queries.device)
        bias = call.position.by_distance(distances).to(widened(call.queries).dtype)
    plan = _Plan(
        comparison=comparison,
        mask=call.mask,
        shape=call.scores_shape,
        past=call.past,
        dropout=call.dropout,
        seed=dropping.draw_seed() if call.dropout else 0,
        sharing=call.sharing,
    )
    wide = (with_four_axes(widened(tensor)) for tensor in (call.values, queries, keys))
    output: Tensor = _Blocked.apply(plan, bias, *wide, *parameters)
    return output.reshape(*call.queries.shape[:-1], call.values.shape[-1]).to(call.queries.dtype)


def is_near(tensor: Tensor) -> bool:
    """Whether the exponentials of all numbers may be taken; for a GPU's answer one would have to wait."""
    if tensor.device.type != "cpu":
        return False
    return tensor.numel() == 0 or bool(tensor.detach().abs().max() <= FARTHEST)


class _Comparison(ABC):
    """How the scores of one head's block come from its tensors, and how their gradients go back."""

    numbers: int
    """How many numbers are formed for one score."""

    def prepared(self, tensor: Tensor) -> Tensor:
        """What is compared of all queries, or of all keys."""
        return tensor

    @abstractmethod
    def scores(self, queries: Tensor, keys: Tensor, *parameters: Tensor) -> tuple[Tensor, Tensor]:
        """The scores, and what the way back needs."""

    @abstractmethod
    def spread(self, of_scores: Tensor, work: Tensor, tensors: list[Tensor], gradients: list[Tensor]) -> None:
        """Add the gradients of queries, keys and parameters to what there is of them."""


@dataclass(frozen=True)
class _Dots(_Comparison):
    """q · k · scale."""

    scale: float
    numbers: int = 1

    def scores(self, queries: Tensor, keys: Tensor, *parameters: Tensor) -> tuple[Tensor, Tensor]:
        scaled = queries * self.scale
        return scaled @ keys.mT, scaled

    def spread(self, of_scores: Tensor, work: Tensor, tensors: list[Tensor], gradients: list[Tensor]) -> None:
        gradients[0].addmm_(of_scores, tensors[1], alpha=self.scale)
        gradients[1].addmm_(of_scores.mT, work)


@dataclass(frozen=True, kw_only=True)
class _Tanh(_Comparison):
    """v · tanh((q + k) / 2) = v · (2 σ(q + k) - 1), of queries and keys projected and doubled.

    Where all are ``near`` to zero, σ(q + k) = 1 / (1 + e^-q e^-k): an exponential for each query and each
    key, in place of one for each pair.
    """

    numbers: int
    near: bool

    def prepared(self, tensor: Tensor) -> Tensor:
        return (-tensor).exp_() if self.near else tensor

    def scores(self, queries: Tensor, keys: Tensor, *parameters: Tensor) -> tuple[Tensor, Tensor]:
        if self.near:
            bent = torch.addcmul(queries.new_ones(1), queries.unsqueeze(1), keys).reciprocal_()
        else:
            bent = torch.add(queries.unsqueeze(1), keys).sigmoid_()
        return (bent @ (2 * parameters[0])).sub_(parameters[0].sum()), bent

    def spread(self, of_scores: Tensor, work: Tensor, tensors: list[Tensor], gradients: list[Tensor]) -> None:
        bent, to_score = work, tensors[2]
        gradients[2].addmv_(bent.flatten(0, 1).mT, of_scores.flatten(), alpha=2.0).sub_(of_scores.sum())
        slopes = bent.addcmul_(bent, bent, value=-1.0).mul_(of_scores.unsqueeze(-1))
        gradients[0].addcmul_(slopes.sum(1), to_score, value=2.0)
        gradients[1].addcmul_(slopes.sum(0), to_score, value=2.0)


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """What of a question is not a tensor, and how it is cut."""

    comparison: _Comparison
    mask: Mask | None
    shape: tuple[int, ...]
    past: int
    dropout: float
    seed: int
    sharing: int

    def blocks(self) -> list[slice]:
        queries, keys = self.shape[-2:]
        size = min(max(BLOCK // max(keys * self.comparison.numbers, 1), 1), queries)
        return [slice(start, min(start + size, queries)) for start in range(0, queries, size)]

    def hidden(self, rows: slice, device: torch.device) -> Tensor | None:
        """True where a score is masked: (batch or 1, heads or 1, rows or 1, keys)."""
        if self.mask is None:
            return None
        hidden = ~self.mask.rows(self.shape, self.past, device, rows)
        if len(self.shape) > 4:
            hidden = hidden.expand(*self.shape[:-2], *hidden.shape[-2:])
        return with_four_axes(hidden) if hidden.dim() > 2 else hidden[None, None]

    def add_bias(self, scores: Tensor, bias: Tensor, rows: slice) -> None:
        """Query i meets key j at place j - i of the biases: windows that slide back as i grows."""
        windows = bias.unfold(0, scores.shape[-1], 1)
        last = self.shape[-2] - 1
        scores += windows[last - rows.stop + 1 : last - rows.start + 1].flip(0)

    def spread_bias(self, of_scores: Tensor, of_bias: Tensor, rows: slice) -> None:
        """The transpose of :meth:`add_bias`: shearing makes diagonals into columns, which are summed."""
        count, keys = of_scores.shape
        padded = F.pad(of_scores.flip(0), (0, count)).flatten()[: count * (keys + count - 1)]
        start = self.shape[-2] - rows.stop
        of_bias[start : start + keys + count - 1] += padded.unflatten(0, (count, -1)).sum(0)

    def kept(self, place: tuple[int, ...], scores: Tensor) -> Tensor:
        return dropping.kept(tuple(scores.shape), self.dropout, self.seed, place, scores.device)


def _one(tensor: Tensor | None, sample: int, head: int) -> Tensor | None:
    """One head's part of a tensor that may be shared by samples or heads."""
    if tensor is None:
        return None
    return tensor[sample if tensor.shape[0] > 1 else 0, head if tensor.shape[1] > 1 else 0]


class _Blocked(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any,
        plan: _Plan,
        bias: Tensor | None,
        values: Tensor,
        queries: Tensor,
        keys: Tensor,
        *parameters: Tensor,
    ) -> Tensor:
        batch, heads, count, _ = queries.shape
        output = queries.new_empty(batch, heads, count, values.shape[-1])
        log_sum = queries.new_empty(batch, heads, count, 1)
        asking, asked = plan.comparison.prepared(queries), plan.comparison.prepared(keys)
        for rows in plan.blocks():
            hidden = plan.hidden(rows, queries.device)
            for sample in range(batch):
                for head in range(heads):
                    shared = head // plan.sharing
                    scores, _ = plan.comparison.scores(
                        asking[sample, head, rows], asked[sample, shared], *parameters
                    )
                    if bias is not None:
                        plan.add_bias(scores, bias[head % len(bias)], rows)
                    masked = _one(hidden, sample, head)
                    if masked is not None:
                        scores.masked_fill_(masked, -torch.inf)
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
        context.save_for_backward(bias, output, log_sum, values, queries, keys, *parameters)
        return output

    @staticmethod
    def backward(context: Any, *of_outputs: Tensor) -> tuple[Tensor | None, ...]:
        plan: _Plan = context.plan
        bias, output, log_sum, values, queries, keys, *parameters = context.saved_tensors
        delta = (of_outputs[0] * output).sum(-1, keepdim=True)
        of_output = of_outputs[0] / dropping.kept_share(plan.dropout)
        of_bias = None if bias is None else torch.zeros_like(bias)
        of_values, of_queries, of_keys = (torch.zeros_like(tensor) for tensor in (values, queries, keys))
        of_parameters = [torch.zeros_like(tensor) for tensor in parameters]
        asking, asked = plan.comparison.prepared(queries), plan.comparison.prepared(keys)
        for rows in plan.blocks():
            hidden = plan.hidden(rows, queries.device)
            for sample in range(queries.shape[0]):
                for head in range(queries.shape[1]):
                    shared = head // plan.sharing
                    tensors = [asking[sample, head, rows], asked[sample, shared], *parameters]
                    scores, work = plan.comparison.scores(*tensors)
                    if bias is not None:
                        plan.add_bias(scores, bias[head % len(bias)], rows)
                    masked = _one(hidden, sample, head)
                    if masked is not None:
                        scores.masked_fill_(masked, -torch.inf)
                    weights = scores.sub_(log_sum[sample, head, rows]).exp_()
                    gradient = of_output[sample, head, rows]
                    of_weights = gradient @ values[sample, shared].mT
                    dropped = weights
                    if plan.dropout:
                        kept = plan.kept((sample, head, rows.start), weights)
                        of_weights.mul_(kept)
                        dropped = weights * kept
                    of_values[sample, shared].addmm_(dropped.mT, gradient)
                    of_scores = of_weights.sub_(delta[sample, head, rows]).mul_(weights)
                    gradients = [of_queries[sample, head, rows], of_keys[sample, shared], *of_parameters]
                    plan.comparison.spread(of_scores, work, tensors, gradients)
                    if of_bias is not None:
                        plan.spread_bias(of_scores, of_bias[head % len(of_bias)], rows)
        return None, of_bias, of_values, of_queries, of_keys, *of_parameters
