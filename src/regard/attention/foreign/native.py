"""What torch's own attention modules ask of scaled dot product attention, worked out from their inputs.

In evaluation torch runs them, or a whole encoder layer, in one kernel that shows nothing of the
attention inside. So queries, keys and values are projected anew, beside the call.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def is_multihead(module: nn.Module) -> bool:
    """Whether a module attends as torch's multi-head attention does, not in a way of its own."""
    return isinstance(module, nn.MultiheadAttention) and runs_as(module, nn.MultiheadAttention)


def runs_as(module: nn.Module, kind: type[nn.Module]) -> bool:
    """Whether a module is called as this kind is."""
    return type(module).forward is kind.forward


def asked_by_multihead(
    attention: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> dict[str, Any]:
    """The arguments of ``F.scaled_dot_product_attention`` inside ``attention(query, key, value, …)``."""
    if query.is_nested:
        query, key_padding_mask = padded(query)
        key = value = query
    elif query.dim() == 2:
        query, key, value = (side.unsqueeze(0) for side in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    elif not attention.batch_first:
        query, key, value = (side.transpose(0, 1) for side in (query, key, value))
    queries, keys, values = _projected(attention, query, key, value)
    mask = _added_together(attn_mask, key_padding_mask, queries)
    for more in _further_keys(attention, queries):
        keys, values = (
            torch.cat([side, one], dim=-2) for side, one in zip((keys, values), more, strict=True)
        )
        mask = None if mask is None else F.pad(mask, (0, 1))
    return {"query": queries, "key": keys, "value": values, "attn_mask": mask}


def asked_by_encoder_layer(
    layer: nn.TransformerEncoderLayer,
    src: Tensor,
    src_mask: Tensor | None = None,
    src_key_padding_mask: Tensor | None = None,
    is_causal: bool = False,
) -> dict[str, Any]:
    """The same for the attention inside ``layer(src, …)``."""
    if src.is_nested:
        src, src_key_padding_mask = padded(src)
    if layer.norm_first:
        src = layer.norm1(src)
    return asked_by_multihead(layer.self_attn, src, src, src, src_key_padding_mask, attn_mask=src_mask)


def padded(nested: Tensor) -> tuple[Tensor, Tensor]:
    """Sequences of their own lengths as one batch, and True where it is padding."""
    lengths = torch.tensor([len(sequence) for sequence in nested.unbind()], device=nested.device)
    whole = nested.to_padded_tensor(0.0)
    return whole, torch.arange(whole.shape[1], device=nested.device) >= lengths[:, None]


def _projected(attention: nn.MultiheadAttention, *sides: Tensor) -> list[Tensor]:
    if attention.in_proj_weight is None:
        matrices = (attention.q_proj_weight, attention.k_proj_weight, attention.v_proj_weight)
    else:
        matrices = attention.in_proj_weight.chunk(3)
    biases = (None,) * 3 if attention.in_proj_bias is None else attention.in_proj_bias.chunk(3)
    return [
        F.linear(side, matrix, bias).unflatten(-1, (attention.num_heads, -1)).transpose(1, 2)
        for side, matrix, bias in zip(sides, matrices, biases, strict=True)
    ]


def _added_together(over_pairs: Tensor | None, over_keys: Tensor | None, queries: Tensor) -> Tensor | None:
    """Both masks as numbers to add, (batch, heads, queries, keys); torch's True hides."""
    if over_pairs is not None and over_pairs.dim() == 3:
        over_pairs = over_pairs.unflatten(0, queries.shape[:2])
    if over_keys is not None:
        over_keys = over_keys[:, None, None, :]
    numbers = [
        mask if mask.is_floating_point() else queries.new_zeros(mask.shape).masked_fill(mask, -torch.inf)
        for mask in (over_pairs, over_keys)
        if mask is not None
    ]
    return sum(numbers[1:], numbers[0]).to(queries.dtype) if numbers else None


def _further_keys(attention: nn.MultiheadAttention, queries: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Keys and values beyond those given: learned ones, then zeros."""
    batch, heads, _, width = queries.shape
    further = []
    if attention.bias_k is not None and attention.bias_v is not None:
        further.append((attention.bias_k, attention.bias_v))
    if attention.add_zero_attn:
        further.append((queries.new_zeros(heads * width),) * 2)
    shape, spread = (1, heads, 1, width), (batch, -1, -1, -1)
    return [(key.view(shape).expand(spread), value.view(shape).expand(spread)) for key, value in further]
