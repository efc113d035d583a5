"""A window at the cost of the window: blocks of queries against the blocks of keys they can see.

Queries are cut into blocks; a block's window reaches some blocks back and some ahead, and these
are laid beside each other, so that the fused kernel sees many short sequences in place of one long
one. Time and memory are proportional to length × window.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention.definition import Call
from regard.attention.fused import dot_product_form, with_four_axes
from regard.attention.masks import Causal, Lengths, Padding, Window, parts_of
from regard.attention.positions import Turning
from regard.attention.scores import Bilinear, DotProduct


def why_not_banded(call: Call) -> str | None:
    """What keeps this question from the band, or None."""
    parts = list(parts_of(call.mask))
    if not any(isinstance(part, Window) for part in parts):
        return ""
    if not isinstance(call.score, DotProduct | Bilinear):
        return f"{type(call.score).__name__} is not a dot product"
    if call.position is not None and not isinstance(call.position, Turning):
        return f"{type(call.position).__name__} positions are not turned into queries and keys"
    if call.dropout:
        return "the fused kernel has no dropout"
    for part in parts:
        per_key = isinstance(part, Padding) or (isinstance(part, Lengths) and part.counts.dim() == 1)
        if not (per_key or isinstance(part, Window | Causal)):
            return f"the mask {part!r} is not a band"
    if torch.compiler.is_compiling():
        return "the whole mask is fused by torch.compile"
    band = _Band(call)
    if 2 * band.seen >= call.scores_shape[-1] or call.scores_shape[-2] < band.block:
        return "the window covers about as much as the whole"
    return None


class _Band:
    """Which blocks see which: sizes, decided from the masks."""

    def __init__(self, call: Call) -> None:
        self.before = self.after = call.scores_shape[-1] + call.scores_shape[-2] + call.past
        for part in parts_of(call.mask):
            if isinstance(part, Window):
                self.before, self.after = min(self.before, part.before), min(self.after, part.after)
            if isinstance(part, Causal):
                part.check(call.scores_shape[-2], call.scores_shape[-1], call.past)
                self.after = 0
        half = (self.before + self.after + 1) // 2
        self.block = min(max(1 << max(half - 1, 0).bit_length(), 32), 256)
        self.back, self.ahead = -(-self.before // self.block), -(-self.after // self.block)
        self.seen = (self.back + 1 + self.ahead) * self.block


def attend_banded(call: Call) -> Tensor:
    """The answer, in time proportional to the window."""
    band, shape = _Band(call), call.scores_shape
    places = torch.arange(shape[-1], device=call.queries.device)
    per_key = (places >= call.past - band.before) & (places < call.past + shape[-2] + band.after)
    per_key = per_key.reshape(*(1,) * (len(shape) - 1), shape[-1])
    for part in parts_of(call.mask):
        if isinstance(part, Lengths | Padding):
            per_key = per_key & part.keep(shape, device=call.queries.device)
    call = call.unshared().without_the_unheard(per_key)
    queries, keys, scale = dot_product_form(call)
    queries, keys, values = (with_four_axes(tensor) for tensor in (queries, keys, call.values))
    batch, _, count, _ = queries.shape
    blocks = -(-count // band.block)
    padded = F.pad(queries, (0, 0, 0, blocks * band.block - count))
    rows = padded.unflatten(2, (blocks, band.block)).transpose(1, 2).flatten(0, 1)
    output = F.scaled_dot_product_attention(
        rows,
        _windows(keys, band, blocks, call.past),
        _windows(values, band, blocks, call.past),
        attn_mask=_keep(band, blocks, call.past, per_key.reshape(-1, shape[-1]).expand(batch, -1)),
        scale=scale,
    )
    output = output.unflatten(0, (batch, blocks)).transpose(1, 2).flatten(2, 3)[:, :, :count]
    return output.reshape(*call.queries.shape[:-1], values.shape[-1])


def _windows(tensor: Tensor, band: _Band, blocks: int, past: int) -> Tensor:
    """(batch, heads, keys, width) as (batch·blocks, heads, seen, width): each block's window."""
    first = past - band.back * band.block
    last = past + (blocks + band.ahead) * band.block
    # Negative padding cuts: keys before the first window are seen by nobody.
    padded = F.pad(tensor, (0, 0, -first, last - tensor.shape[2])).unflatten(2, (-1, band.block))
    shifted = [padded[:, :, shift : shift + blocks] for shift in range(band.back + 1 + band.ahead)]
    return torch.cat(shifted, dim=3).transpose(1, 2).flatten(0, 1)


def _keep(band: _Band, blocks: int, past: int, per_key: Tensor) -> Tensor:
    """(batch·blocks, 1, block, seen): near enough, within the keys, and not hidden."""
    device, keys = per_key.device, per_key.shape[-1]
    distance = torch.arange(band.seen, device=device) - band.back * band.block
    distance = distance - torch.arange(band.block, device=device)[:, None]
    near = (distance >= -band.before) & (distance <= band.after)
    starts = past + (torch.arange(blocks, device=device) - band.back) * band.block
    places = starts[:, None] + torch.arange(band.seen, device=device)
    there = (places >= 0) & (places < keys) & per_key[:, places.clamp(0, keys - 1)]
    return (near & there.unsqueeze(-2)).flatten(0, 1).unsqueeze(1)
