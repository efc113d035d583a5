"""Torch's fused CPU kernel with its log-sum-exp: what region merge is built from.

The operators are private to torch, so they are tried once; where they are missing or
answer otherwise, :func:`available` says no and other paths are taken.
"""

import functools

import torch
from torch import Tensor

_forward = getattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu", None)
_backward = getattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu_backward", None)


def attend_with_log_sum(
    queries: Tensor, keys: Tensor, values: Tensor, *, causal: bool, bias: Tensor | None, scale: float
) -> tuple[Tensor, Tensor]:
    """The output of (batch, heads, count, width) tensors and the log-sum-exp of each query's scores.

    A query that hears nothing gets output 0 and, from this kernel, log-sum-exp 0: the
    caller knows which those are.
    """
    assert _forward is not None
    return _forward(queries, keys, values, 0.0, causal, attn_mask=bias, scale=scale)


def gradients(
    of_output: Tensor,
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    output: Tensor,
    log_sum: Tensor,
    *,
    causal: bool,
    bias: Tensor | None,
    scale: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients for queries, keys and values.

    The kernel takes weights as exp(score - log_sum) and subtracts of_output · output from
    their gradients, whatever these two are: given those of a larger attention of which
    this is a part, its gradients are those of the larger one.
    """
    assert _backward is not None
    return _backward(
        of_output, queries, keys, values, output, log_sum, 0.0, causal, attn_mask=bias, scale=scale
    )


@functools.cache
def available() -> bool:
    """Whether both operators are there and answer a case worked out by hand.

    One query of width one against two keys with scores 0 and log 3: weights 1/4 and 3/4.
    """
    if _forward is None or _backward is None:
        return False
    queries = torch.ones(1, 1, 1, 1, dtype=torch.float64)
    keys = torch.tensor([1.0, 3.0], dtype=torch.float64).log().reshape(1, 1, 2, 1)
    values = torch.tensor([0.0, 4.0], dtype=torch.float64).reshape(1, 1, 2, 1)
    try:
        output, log_sum = attend_with_log_sum(queries, keys, values, causal=False, bias=None, scale=1.0)
        _, of_keys, of_values = gradients(
            torch.ones_like(output),
            queries,
            keys,
            values,
            output,
            log_sum,
            causal=False,
            bias=None,
            scale=1.0,
        )
    except (RuntimeError, TypeError):
        return False
    found = torch.cat([part.flatten().double() for part in (output, log_sum.exp(), of_keys, of_values)])
    wanted = torch.tensor([3.0, 4.0, -0.75, 0.75, 0.25, 0.75], dtype=torch.float64)
    return torch.allclose(found, wanted)
