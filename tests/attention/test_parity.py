"""regard and torch's own attention agree, parameter for parameter."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard import MultiHeadAttention, attend, masks
from regard.attention.masks import Mask
from tests.attention.mechanisms import assert_nearly

BATCH, HEADS, QUERIES, KEYS, WIDTH = 3, 2, 5, 7, 22
PADDED = torch.tensor([[False] * 7, [False] * 4 + [True] * 3, [False] + [True] * 6])  # True hides
AFTER = torch.ones(QUERIES, QUERIES, dtype=torch.bool).triu(1)


def copy_of(theirs: nn.MultiheadAttention) -> MultiHeadAttention:
    ours = MultiHeadAttention(theirs.embed_dim, heads=theirs.num_heads, bias=theirs.in_proj_bias is not None)
    ours = ours.to(theirs.in_proj_weight.dtype)
    with torch.no_grad():
        ours.projection.weight.copy_(theirs.in_proj_weight)
        ours.output_projection.weight.copy_(theirs.out_proj.weight)
        if theirs.in_proj_bias is not None:
            ours.projection.bias.copy_(theirs.in_proj_bias)
            ours.output_projection.bias.copy_(theirs.out_proj.bias)
    return ours


CASES: dict[str, tuple[bool, dict[str, Tensor], Mask | None]] = {
    "self": (False, {}, None),
    "cross": (True, {}, None),
    "causal": (False, {"attn_mask": AFTER}, masks.causal()),
    "key padding": (True, {"key_padding_mask": PADDED}, masks.lengths([7, 4, 1])),
    "both": (
        False,
        {"attn_mask": AFTER, "key_padding_mask": PADDED[:, :QUERIES]},
        masks.causal() & masks.where(keep=~PADDED[:, None, None, :QUERIES]),
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_many_heads_with_copied_parameters_agree_with_torch(
    case: str, bias: bool, dtype: torch.dtype
) -> None:
    crossed, their_masks, our_mask = CASES[case]
    theirs = nn.MultiheadAttention(WIDTH, HEADS, bias=bias, batch_first=True, dtype=dtype)
    if bias:
        nn.init.normal_(theirs.in_proj_bias)
    ours = copy_of(theirs)
    x = torch.randn(BATCH, QUERIES, WIDTH, dtype=dtype, requires_grad=True)
    y = torch.randn(BATCH, KEYS, WIDTH, dtype=dtype, requires_grad=True) if crossed else x

    expected, _ = theirs(x, y, y, need_weights=False, **their_masks)
    found = ours(x, y, mask=our_mask) if crossed else ours(x, mask=our_mask)

    assert_nearly(found, expected)
    upstream = torch.randn_like(expected)
    for one, other in (
        (x, x),
        (ours.projection.weight, theirs.in_proj_weight),
        (ours.output_projection.weight, theirs.out_proj.weight),
    ):
        mine = torch.autograd.grad(found, one, upstream, retain_graph=True)[0]
        assert_nearly(mine, torch.autograd.grad(expected, other, upstream, retain_graph=True)[0])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize(
    ("theirs", "mask"),
    [
        ({}, None),
        ({"is_causal": True}, masks.causal()),
        ({"attn_mask": ~AFTER}, masks.where(keep=~AFTER)),
    ],
    ids=["plain", "causal", "mask"],
)
def test_attend_agrees_with_scaled_dot_product_attention(
    theirs: dict[str, Any], mask: Mask | None, dtype: torch.dtype
) -> None:
    queries, keys, values = torch.randn(3, BATCH, HEADS, QUERIES, 11, dtype=dtype).unbind()
    expected = F.scaled_dot_product_attention(queries, keys, values, **theirs)
    assert_nearly(attend(queries, keys, values, mask=mask), expected)


@pytest.mark.parametrize("key_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("causal", [False, True])
def test_shared_key_heads_agree_with_enable_gqa(key_heads: int, causal: bool) -> None:
    ours = MultiHeadAttention(18, heads=6, key_heads=key_heads).double()
    x = torch.randn(BATCH, QUERIES, 18).double()
    queries, keys, values = (
        part.unflatten(-1, (-1, 3)).transpose(1, 2)
        for part in ours.projection(x).split([18, 3 * key_heads, 3 * key_heads], dim=-1)
    )
    heads = F.scaled_dot_product_attention(queries, keys, values, is_causal=causal, enable_gqa=True)
    expected = ours.output_projection(heads.transpose(1, 2).flatten(2))
    assert_nearly(ours(x, mask=masks.causal() if causal else None), expected)
