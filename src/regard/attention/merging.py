"""Region merge: Shaw's relative positions in memory linear in the length.

    score_ij = q_i · (k_j + a^K_r) · scale,   output_i = Σ_j w_ij (v_j + a^V_r),   r = clip(j - i, -K, K)

Written out, a is an n×n×d tensor. But clipping makes both tails constant along a row: where
j - i ≤ -K the score only gains q_i · a^K_-K, which is a constant of the row, so the left tail is
*plain causal attention* of the queries from K on over the keys up to n - K, on the fused kernel.
The right tail is the same with time reversed. Between them lies a band of 2K - 1 diagonals, taken
in blocks. Each region gives its output and its log-sum-exp, and a softmax over the three
log-sum-exps merges them exactly.

The backward pass needs no such merge: given the log-sum-exp and the output of the whole, each
region's kernel computes the gradients of the whole that fall into it.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention import flash
from regard.attention.definition import Call, masked_softmax
from regard.attention.fused import with_four_axes
from regard.attention.masks import Causal, Lengths, parts_of
from regard.attention.positions import Relative
from regard.attention.scores import DotProduct, widened

SHORTEST = 704
"""Where region merge begins to win over the bucketed definition (benchmarks/attention.py)."""
FEW = 2**24
"""How many scores of all heads the definition may form for a short question: 64 MiB in float32."""


def why_not_merged(call: Call) -> str | None:
    """What keeps this question from region merge, or None."""
    if not isinstance(call.position, Relative):
        return ""
    if is_short(call):
        return f"fewer than {SHORTEST} keys are faster by sums per distance"
    if call.past or call.scores_shape[-2] != call.scores_shape[-1]:
        return "region merge is for self-attention over whole sentences"
    if call.dropout:
        return "the kernel has no dropout"
    if call.values.shape[-1] != call.queries.shape[-1]:
        return "the kernel wants values as wide as queries"
    for part in parts_of(call.mask):
        if not (isinstance(part, Causal) or (isinstance(part, Lengths) and part.counts.dim() == 1)):
            return f"the mask {part!r} is neither causal() nor lengths() per sample"
    if call.queries.device.type != "cpu" or torch.compiler.is_compiling():
        return "the kernel's log-sum-exp is at hand on a CPU, outside torch.compile"
    if not flash.available():
        return "this torch does not offer the kernel's log-sum-exp"
    return None


def is_short(call: Call) -> bool:
    """Whether sums per distance, over scores that are formed whole, are the fastest way."""
    return call.scores_shape[-1] < SHORTEST and math.prod(call.scores_shape) <= FEW


def attend_merged(call: Call) -> Tensor:
    """The answer by region merge."""
    position, shape = call.position, call.scores_shape
    assert isinstance(position, Relative)
    assert isinstance(call.score, DotProduct)
    scale = call.score.scale(call.queries.shape[-1])
    counts = None
    causal = False
    for part in parts_of(call.mask):
        if isinstance(part, Causal):
            causal = True
        elif isinstance(part, Lengths):
            part.check(shape)
            counts = part.counts if counts is None else torch.minimum(counts, part.counts)
    if counts is not None:
        call = call.without_the_unheard(_heard(counts, shape))
    call = call.unshared()
    queries, keys, values = (
        with_four_axes(widened(tensor)) for tensor in (call.queries, call.keys, call.values)
    )
    output: Tensor = _RegionMerge.apply(
        queries,
        keys,
        values,
        _for_each_head(position.key_table),
        _for_each_head(position.value_table),
        counts,
        _Shape(position.reach, causal, scale),
    )
    return output.reshape(*shape[:-1], values.shape[-1]).to(call.queries.dtype)


def _heard(counts: Tensor, shape: tuple[int, ...]) -> Tensor:
    keep = torch.arange(shape[-1], device=counts.device) < counts[:, None]
    return keep.reshape(keep.shape[0], *(1,) * (len(shape) - 2), shape[-1])


def _for_each_head(table: Tensor | None) -> Tensor | None:
    """(heads or 1, rows, width), in full precision."""
    if table is None:
        return None
    return widened(table if table.dim() == 3 else table.unsqueeze(0))


@dataclass(frozen=True)
class _Shape:
    """What of a question is not a tensor."""

    reach: int
    causal: bool
    scale: float


@dataclass(frozen=True)
class _Tail:
    """One tail: which queries and keys it joins, in the order the causal kernel wants them."""

    row: int  # of the tables: first or last
    queries: slice
    keys: slice
    reverse: bool

    def ordered(self, tensor: Tensor, places: slice) -> Tensor:
        part = tensor[:, :, places]
        return part.flip(2) if self.reverse else part

    def restored(self, tensor: Tensor) -> Tensor:
        return tensor.flip(2) if self.reverse else tensor

    def bias(self, counts: Tensor | None, length: int, like: Tensor) -> Tensor | None:
        """0 or minus infinity per sample and key, spread over the queries without memory."""
        if counts is None:
            return None
        hidden = torch.arange(length)[self.keys] >= counts[:, None]
        hidden = hidden.flip(1) if self.reverse else hidden
        bias = torch.zeros(hidden.shape, dtype=like.dtype).masked_fill(hidden, -math.inf)
        return bias[:, None, None].expand(-1, 1, hidden.shape[1], -1)

    def silent(self, counts: Tensor | None, length: int) -> Tensor | None:
        """Which of its queries hear nothing: (batch, 1, queries)."""
        if counts is None:
            return None
        places = torch.arange(length)[self.queries]
        nearest = places + (length - len(places)) if self.reverse else torch.zeros_like(places)
        return (nearest >= counts[:, None])[:, None]


def _tails(shape: _Shape, length: int) -> list[_Tail]:
    reach = shape.reach
    if length <= reach:
        return []
    early, late = slice(0, length - reach), slice(reach, length)
    left = _Tail(0, queries=late, keys=early, reverse=False)
    right = _Tail(-1, queries=early, keys=late, reverse=True)
    return [left] if shape.causal else [left, right]


class _Band:
    """The diagonals |j - i| < reach in blocks of queries, each against its window of keys.

    Within a block, query a and window column b lie at distance b - a - before. Shearing
    turns columns by distance into columns by key, and back, without an index.
    """

    def __init__(self, shape: _Shape, length: int, counts: Tensor | None) -> None:
        self.before = shape.reach - 1
        self.after = 0 if shape.causal else shape.reach - 1
        self.length = length
        self.block = max(shape.reach, 32)
        self.blocks = -(-length // self.block)
        self.padding = self.blocks * self.block - length
        self.window = self.block + self.before + self.after
        self.distances = self.before + 1 + self.after
        self.rows = slice(1, 1 + self.distances)  # of the tables
        column, row = torch.arange(self.window), torch.arange(self.block)[:, None]
        near = (column >= row) & (column - row < self.distances)
        keys = torch.arange(self.blocks)[:, None] * self.block + column - self.before
        there = keys >= 0
        there = there & (keys < length) if counts is None else there & (keys < counts[:, None, None])
        self.keep = near & there.reshape(-1, 1, self.blocks, 1, self.window)

    def blocked(self, tensor: Tensor) -> Tensor:
        """(batch, heads, n, width) as (batch, heads, blocks, block, width)."""
        return F.pad(tensor, (0, 0, 0, self.padding)).unflatten(2, (self.blocks, self.block))

    def windows(self, tensor: Tensor) -> Tensor:
        """(batch, heads, n, width) as (batch, heads, blocks, window, width)."""
        padded = F.pad(tensor, (0, 0, self.before, self.after + self.padding))
        return padded.unfold(2, self.window, self.block).mT

    def whole(self, tensor: Tensor) -> Tensor:
        """Blocks back into one length."""
        return tensor.flatten(2, 3)[:, :, : self.length]

    def from_windows(self, windows: Tensor) -> Tensor:
        """The sum of overlapping windows, one place each: the transpose of :meth:`windows`."""
        batch, heads, width = windows.shape[0], windows.shape[1], windows.shape[-1]
        padded = windows.new_zeros(batch, heads, (self.blocks - 1) * self.block + self.window, width)
        for start in range(0, self.window, self.block):
            part = windows[:, :, :, start : start + self.block]
            size = part.shape[3]
            span = padded[:, :, start : start + (self.blocks - 1) * self.block + size]
            if size == self.block:
                span.unflatten(2, (self.blocks, self.block)).add_(part)
            else:
                for block in range(self.blocks):
                    span[:, :, block * self.block : block * self.block + size] += part[:, :, block]
        return padded[:, :, self.before : self.before + self.length]

    def sheared(self, by_distance: Tensor) -> Tensor:
        """Columns by distance as columns by key."""
        padded = F.pad(by_distance, (0, self.window + 1 - self.distances)).flatten(-2)
        return padded[..., : self.block * self.window].unflatten(-1, (self.block, self.window))

    def unsheared(self, by_key: Tensor) -> Tensor:
        """Columns by key as columns by distance; what lies beyond the band must be zero."""
        padded = F.pad(by_key.flatten(-2), (0, self.block))
        return padded.unflatten(-1, (self.block, self.window + 1))[..., : self.distances]


class _RegionMerge(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        key_table: Tensor | None,
        value_table: Tensor | None,
        counts: Tensor | None,
        shape: _Shape,
    ) -> Tensor:
        length, scale = queries.shape[2], shape.scale
        by_row = None if key_table is None else queries @ (key_table.mT * scale)
        band = _Band(shape, length, counts)
        scores = band.blocked(queries * scale) @ band.windows(keys).mT
        if by_row is not None:
            scores += band.sheared(band.blocked(by_row)[..., band.rows])
        scores.masked_fill_(~band.keep, -math.inf)
        highest = scores.amax(-1, keepdim=True)
        highest.masked_fill_(highest == -math.inf, 0.0)
        exponentials = scores.sub_(highest).exp_()
        totals = exponentials.sum(-1, keepdim=True)
        near = exponentials @ band.windows(values)
        if value_table is not None:
            near += band.unsheared(exponentials) @ value_table[..., None, band.rows, :]
        near = band.whole(near / totals.clamp(min=torch.finfo(totals.dtype).tiny))
        outputs, log_sums = [near], [band.whole(totals.log() + highest).squeeze(-1)]
        tails = _tails(shape, length)
        for tail in tails:
            output, log_sum = flash.attend_with_log_sum(
                tail.ordered(queries, tail.queries),
                tail.ordered(keys, tail.keys),
                tail.ordered(values, tail.keys),
                causal=True,
                bias=tail.bias(counts, length, queries),
                scale=scale,
            )
            output, log_sum = tail.restored(output), tail.restored(log_sum.to(queries.dtype))
            if by_row is not None:
                log_sum = log_sum + by_row[:, :, tail.queries, tail.row]
            silent = tail.silent(counts, length)
            if silent is not None:
                log_sum = log_sum.masked_fill(silent, -math.inf)
            if value_table is not None:
                output = output + value_table[..., tail.row, None, :]
            ends = (tail.queries.start, length - tail.queries.stop)
            outputs.append(F.pad(output, (0, 0, *ends)))
            log_sums.append(F.pad(log_sum, ends, value=-math.inf))
        stacked = torch.stack(log_sums, dim=-1)
        shares = masked_softmax(stacked).unbind(-1)
        output = shares[0].unsqueeze(-1) * outputs[0]
        for share, part in zip(shares[1:], outputs[1:], strict=True):
            output += share.unsqueeze(-1) * part
        log_sum = torch.logsumexp(stacked, dim=-1)
        context.save_for_backward(
            queries, keys, values, key_table, value_table, counts, output, log_sum, *outputs[1:], *shares[1:]
        )
        context.shape = shape
        return output

    @staticmethod
    def backward(context: Any, *of_outputs: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, key_table, value_table, counts, output, log_sum, *rest = context.saved_tensors
        shape: _Shape = context.shape
        of_output, length, scale = of_outputs[0], queries.shape[2], shape.scale
        tails = _tails(shape, length)
        parts, shares = rest[: len(tails)], rest[len(tails) :]
        by_row = None if key_table is None else queries @ (key_table.mT * scale)
        delta = (of_output * output).sum(-1, keepdim=True)
        heard = log_sum.masked_fill(log_sum == -math.inf, 0.0)
        of_queries, of_keys, of_values = (torch.zeros_like(tensor) for tensor in (queries, keys, values))
        of_rows = None if by_row is None else torch.zeros_like(by_row)
        value_sums = None
        if value_table is not None:
            value_sums = queries.new_zeros(*queries.shape[:3], 2 * shape.reach + 1)

        for tail, part, share in zip(tails, parts, shares, strict=True):
            tail_output, tail_log_sum = output[:, :, tail.queries], heard[:, :, tail.queries]
            if value_table is not None and value_sums is not None:
                tail_output = tail_output - value_table[..., tail.row, None, :]
                value_sums[..., tail.row] = share
            if by_row is not None and of_rows is not None:
                tail_log_sum = tail_log_sum - by_row[:, :, tail.queries, tail.row]
                of_rows[..., tail.row] = share * ((of_output * part).sum(-1) - delta.squeeze(-1))
            everyone = slice(None)
            found = flash.gradients(
                tail.ordered(of_output, tail.queries),
                tail.ordered(queries, tail.queries),
                tail.ordered(keys, tail.keys),
                tail.ordered(values, tail.keys),
                tail.ordered(tail_output, everyone),
                tail.ordered(tail_log_sum, everyone).to(log_sum.dtype),
                causal=True,
                bias=tail.bias(counts, length, queries),
                scale=scale,
            )
            of_queries[:, :, tail.queries] += tail.restored(found[0])
            of_keys[:, :, tail.keys] += tail.restored(found[1])
            of_values[:, :, tail.keys] += tail.restored(found[2])

        band = _Band(shape, length, counts)
        blocks, key_windows, value_windows = band.blocked(queries), band.windows(keys), band.windows(values)
        of_blocks = band.blocked(of_output)
        scores = (blocks * scale) @ key_windows.mT
        if by_row is not None:
            scores += band.sheared(band.blocked(by_row)[..., band.rows])
        log_sums = band.blocked(heard.unsqueeze(-1))
        weights = scores.sub_(log_sums).masked_fill_(~band.keep, -math.inf).exp_()
        of_weights = of_blocks @ value_windows.mT
        if value_table is not None and value_sums is not None:
            of_weights += band.sheared(of_blocks @ value_table[..., None, band.rows, :].mT)
            value_sums[..., band.rows] = band.whole(band.unsheared(weights))
        of_values += band.from_windows(weights.mT @ of_blocks)
        of_scores = of_weights.sub_(band.blocked(delta)).mul_(weights)
        of_queries += band.whole(of_scores @ key_windows).mul_(scale)
        of_keys += band.from_windows(of_scores.mT @ (blocks * scale))
        of_key_table = of_value_table = None
        if key_table is not None and of_rows is not None:
            of_rows[..., band.rows] = band.whole(band.unsheared(of_scores))
            of_queries += of_rows @ (key_table * scale)
            of_key_table = _summed_to(of_rows.mT @ (queries * scale), key_table)
        if value_table is not None and value_sums is not None:
            of_value_table = _summed_to(value_sums.mT @ of_output, value_table)
        return of_queries, of_keys, of_values, of_key_table, of_value_table, None, None


def _summed_to(gradient: Tensor, table: Tensor) -> Tensor:
    """(batch, heads, rows, width) summed over what the table is shared by."""
    return gradient.sum(0).sum_to_size(table.shape)
