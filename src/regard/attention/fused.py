"""The fused path: dot-product attention on torch's own kernel."""

import functools
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention.definition import Call
from regard.attention.masks import Causal, Lengths, Mask, Padding, parts_of
from regard.attention.positions import Bias, Relative, Turning
from regard.attention.scores import Bilinear, DotProduct, narrowed, widened

LARGEST = 2**16
"""How many scores a head may have before forming them all costs more than blocks do."""


def why_not_fused(call: Call) -> str | None:
    """What keeps this question from the fused kernel, or None."""
    if not isinstance(call.score, DotProduct | Bilinear):
        return f"{type(call.score).__name__} is not a dot product"
    if isinstance(call.position, Relative):
        return "Relative positions add vectors to keys and values, which no fused kernel does"
    if isinstance(call.position, Bias) and call.position.learned and torch.is_grad_enabled():
        return f"{type(call.position).__name__} is learned, and the fused kernel gives a bias no gradient"
    if 0 in call.scores_shape:
        return "there are no queries or no keys"
    if call.scores_shape[-2] * call.scores_shape[-1] > LARGEST and not torch.compiler.is_compiling():
        if call.dropout:
            return "the fused kernel has no dropout, and would form every weight"
        if isinstance(call.position, Bias):
            return "a bias for the fused kernel would be as large as the scores"
    return None


def attend_fused(call: Call, key_bias: Tensor | None = None, scale: float | None = None) -> Tensor:
    """The answer by ``F.scaled_dot_product_attention``.

    A bias of keys gets no gradient; a scale stands for that of the score.
    """
    call = _without_the_tail(call)
    seen = read_mask(call)
    if call.sharing > 1 and seen.keep is not None and seen.keep.dim() > 3 and seen.keep.shape[-3] > 1:
        call = call.unshared()  # heads that share a key but not a mask
    call = call.without_the_unheard(seen.keep)
    (queries, keys, own_scale), values = dot_product_form(call), call.values
    bias = seen.keep
    if isinstance(call.position, Bias):
        bias = call.position(*call.scores_shape[-2:], call.past).to(queries.dtype)
    elif key_bias is not None:
        bias = key_bias[..., None, : keys.shape[-2]]
    if seen.keep is not None and bias is not None and bias is not seen.keep:
        bias = torch.where(seen.keep, bias, -torch.inf)
    width, value_width = queries.shape[-1], values.shape[-1]
    queries, keys, values = _equally_wide(queries, keys, values, max(width, value_width))
    output = F.scaled_dot_product_attention(
        with_four_axes(queries),
        with_four_axes(keys),
        with_four_axes(values),
        attn_mask=None if bias is None else _bias_with_four_axes(bias, call.scores_shape),
        dropout_p=call.dropout,
        is_causal=seen.causal,
        scale=own_scale if scale is None else scale,
        enable_gqa=call.sharing > 1,
    )
    output = output.reshape(*call.queries.shape[:-1], values.shape[-1])
    return output if values.shape[-1] == value_width else output[..., :value_width]


def _without_the_tail(call: Call) -> Call:
    """The same question without the keys beyond every sample's length, where that is all there is to hide."""
    mask = call.mask
    if not isinstance(mask, Lengths) or not mask.largest or mask.largest >= call.keys.shape[-2]:
        return call
    mask.check(call.scores_shape)
    there = slice(0, mask.largest)
    return replace(call, keys=call.keys[..., there, :], values=call.values[..., there, :])


def dot_product_form(call: Call) -> tuple[Tensor, Tensor, float]:
    """Queries, keys and a scale whose dot product is the score, turned where positions turn."""
    queries, keys = call.queries, call.keys
    if isinstance(call.score, Bilinear):
        queries, scale = narrowed(widened(queries) @ widened(call.score.matrix), queries.dtype), 1.0
    else:
        assert isinstance(call.score, DotProduct)
        scale = call.score.scale(queries.shape[-1])
    if isinstance(call.position, Turning):
        queries, keys = call.position.turn(queries, call.past), call.position.turn(keys)
    return queries, keys, scale


@dataclass(frozen=True)
class ReadMask:
    """A mask as a kernel wants it: a causal flag, and what else is kept."""

    causal: bool
    keep: Tensor | None


def read_mask(call: Call) -> ReadMask:
    """Take out of a mask what the kernel does by itself, and what hides nothing."""
    shape, device = call.scores_shape, call.queries.device
    causal, rest = False, []
    for part in parts_of(call.mask):
        if isinstance(part, Causal):
            part.check(shape[-2], shape[-1], call.past)
            if shape[-2] == 1:
                continue
            causal = True
        elif isinstance(part, Lengths) and part.smallest is not None and part.smallest >= shape[-1]:
            part.check(shape)
        else:
            rest.append(part)
    beside = bool(rest) or isinstance(call.position, Bias)
    if causal and (call.past or (beside and not _takes_flag_and_mask(call, rest))):
        rest.append(Causal())
        causal = False
    keeps = [part.keep(shape, call.past, device=device) for part in rest]
    return ReadMask(causal, functools.reduce(torch.logical_and, keeps) if keeps else None)


def _takes_flag_and_mask(call: Call, rest: list[Mask]) -> bool:
    """Whether the kernel takes the causal flag beside a bias or a mask that hides whole keys.

    Only the CPU's fused kernel does, and torch leaves it for dropout or scattered vectors.
    """
    whole_keys = all(
        isinstance(part, Padding) or (isinstance(part, Lengths) and part.counts.dim() == 1) for part in rest
    )
    if not whole_keys or call.queries.device.type != "cpu" or torch.compiler.is_compiling():
        return False
    dense = all(tensor.stride(-1) == 1 for tensor in (call.queries, call.keys, call.values))
    enabled = torch.backends.cuda.flash_sdp_enabled()  # the switch of the CPU's kernel too
    return dense and enabled and call.dropout == 0.0 and _flag_and_mask_join()


@functools.cache
def _flag_and_mask_join() -> bool:
    """Torch documents neither a refusal nor an answer here, so ask the kernel itself."""
    one = torch.ones(1, 1, 2, 2)
    values = torch.tensor([[[[1.0, 0.0], [0.0, 1.0]]]])
    try:
        output = F.scaled_dot_product_attention(
            one, one, values, attn_mask=torch.tensor([[[[False, True]]]]), is_causal=True
        )
    except RuntimeError:
        return False
    return torch.equal(output, torch.tensor([[[[0.0, 0.0], [0.0, 1.0]]]]))


def _equally_wide(queries: Tensor, keys: Tensor, values: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """Zeros change no dot product and add columns to the output that are cut off again."""
    if queries.shape[-1] == values.shape[-1]:
        return queries, keys, values
    wide = (F.pad(tensor, (0, width - tensor.shape[-1])) for tensor in (queries, keys, values))
    first, second, third = wide
    return first, second, third


def with_four_axes(tensor: Tensor) -> Tensor:
    """(batch, heads, count, width): what the kernel wants; the first batch axis stays the first."""
    if tensor.dim() == 4:
        return tensor
    if tensor.dim() < 4:
        return tensor.reshape(*(1,) * (3 - tensor.dim()), *tensor.shape[:-2], 1, *tensor.shape[-2:])
    return tensor.flatten(1, -3)


def _bias_with_four_axes(bias: Tensor, shape: tuple[int, ...]) -> Tensor:
    if len(shape) == 4 or bias.dim() == 2:
        return bias.reshape(*(1,) * (4 - bias.dim()), *bias.shape) if bias.dim() != 4 else bias
    bias = bias.reshape(*(1,) * (len(shape) - bias.dim()), *bias.shape)
    if len(shape) < 4:
        return with_four_axes(bias)
    return bias.expand(*bias.shape[:1], *shape[1:-2], *bias.shape[-2:]).flatten(1, -3)
