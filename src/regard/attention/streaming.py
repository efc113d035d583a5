"""The definition in blocks of queries: any mechanism, in memory linear in the length.

A block's scores are formed, used and forgotten; the backward pass forms them again. What was
dropped is not kept either: its random numbers come again from the same seed. A block is small
enough to stay in the processor's cache, so that this is often faster than the definition, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from regard.attention import dropping, merging
from regard.attention.definition import Call, average, compare, masked_softmax
from regard.attention.positions import Relative
from regard.attention.scores import Additive

BLOCK = 2**20
"""How many numbers of a block's largest tensor are formed at a time: 4 MiB in float32."""


def why_not_streamed(call: Call) -> str | None:
    """What keeps this question from being streamed, or None."""
    if torch.compiler.is_compiling():
        return "torch.compile plans its own blocks"
    if _numbers_per_query(call) * call.scores_shape[-2] <= BLOCK:
        return "the whole of it is one block"
    if isinstance(call.position, Relative) and not call.dropout and merging.is_short(call):
        return "sums per distance are faster whole"
    return None


def attend_streamed(call: Call) -> Tensor:
    """The answer, block by block."""
    call = call.without_the_unheard(heard(call))
    parameters = [*call.score.parameters(), *(call.position.parameters() if call.position else ())]
    seed = dropping.draw_seed() if call.dropout else None
    return _Streamed.apply(_Plan(call, seed), call.queries, call.keys, call.values, *parameters)


def _numbers_per_query(call: Call) -> int:
    """How many numbers the definition forms for one query of every sample and head."""
    shape = call.scores_shape
    hidden_width = len(call.score.to_score) if isinstance(call.score, Additive) else 1
    samples = 1
    for size in shape[:-2]:
        samples *= size
    return samples * shape[-1] * hidden_width


def heard(call: Call) -> Tensor | None:
    """For each key whether any query hears it: (*batch, 1, keys), without forming the whole mask."""
    if call.mask is None:
        return None
    heard: Tensor | None = None
    for rows in _Plan(call, None).blocks():
        kept = call.mask.rows(call.scores_shape, call.past, call.queries.device, rows)
        if kept.shape[-2] < rows.stop - rows.start:
            return kept  # the same for every query
        kept = kept.any(dim=-2, keepdim=True)
        heard = kept if heard is None else heard | kept
    return heard


@dataclass(frozen=True)
class _Plan:
    """A question, how it is cut, and the seed of what it drops."""

    call: Call
    seed: int | None

    def blocks(self) -> Iterator[slice]:
        queries = self.call.scores_shape[-2]
        size = min(max(BLOCK // max(_numbers_per_query(self.call), 1), 1), queries)
        for start in range(0, queries, size):
            yield slice(start, min(start + size, queries))

    def answer(self, rows: slice, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The definition for one block of queries."""
        whole = self.call
        call = replace(
            whole, queries=queries, keys=keys, values=values, past=whole.past + rows.start
        ).unshared()
        keep = None
        if whole.mask is not None:
            keep = whole.mask.rows(whole.scores_shape, whole.past, queries.device, rows)
        weights = masked_softmax(compare(call), keep)
        if self.seed is not None:
            kept = dropping.kept(
                tuple(weights.shape), whole.dropout, self.seed, (rows.start,), queries.device
            )
            weights = weights * kept / dropping.kept_share(whole.dropout)
        return average(call, weights).to(queries.dtype)


class _Streamed(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any, plan: _Plan, queries: Tensor, keys: Tensor, values: Tensor, *parameters: Tensor
    ) -> Tensor:
        context.plan = plan
        context.save_for_backward(queries, keys, values, *parameters)
        blocks = [plan.answer(rows, queries[..., rows, :], keys, values) for rows in plan.blocks()]
        return torch.cat(blocks, dim=-2)

    @staticmethod
    def backward(context: Any, *of_outputs: Tensor) -> tuple[Tensor | None, ...]:
        plan, (of_output,) = context.plan, of_outputs
        queries, *shared = context.saved_tensors
        queries, keys, values = (tensor.detach().requires_grad_() for tensor in (queries, *shared[:2]))
        inputs = [keys, values, *shared[2:]]
        of_queries = torch.empty_like(queries)
        totals: list[Tensor | None] = [None] * len(inputs)
        for rows in plan.blocks():
            with torch.enable_grad():
                block = queries[..., rows, :].detach().requires_grad_()
                output = plan.answer(rows, block, keys, values)
            found = torch.autograd.grad(output, [block, *inputs], of_output[..., rows, :], allow_unused=True)
            of_queries[..., rows, :] = 0.0 if found[0] is None else found[0]
            totals = [
                one if total is None else total if one is None else total.add_(one)
                for total, one in zip(totals, found[1:], strict=True)
            ]
        return None, of_queries, *totals
