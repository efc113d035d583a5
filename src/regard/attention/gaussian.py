"""The Gaussian kernel on the fused dot-product path.

    -‖q - k‖²/2b² = q·k/b² - ‖k‖²/2b² - ‖q‖²/2b²

The last term is the same for every key, and softmax does not see it; the middle one is a bias
of the keys. To a bias the kernel gives no gradient, so where one is wanted the bias rides along as
one more column of the keys, against a column of ones. The sum of the first two cancels badly
where vectors are long against the bandwidth (2e-2 at |x| ≈ 2000), so the vectors are taken as they
are or else centred, and only where none lies further than ``FURTHEST`` bandwidths from there.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention import flash
from regard.attention.definition import Call
from regard.attention.fused import attend_fused, why_not_fused
from regard.attention.masks import Lengths, Padding, parts_of
from regard.attention.scores import Dot, Gaussian

FURTHEST = 4.0
"""In bandwidths. Its square is what the cancelling terms may grow to."""
ALIGNED = 8
"""Columns that come by so many: 65 take the kernel a fifth longer than 72."""


def why_not_gaussian(call: Call) -> str | None:
    """What keeps this question from the fused kernel, or None."""
    if not isinstance(call.score, Gaussian):
        return ""
    if call.queries.dtype in (torch.float16, torch.bfloat16):
        return "half precision has no digits to spare for the extra column"
    if torch.compiler.is_compiling():
        return "how far the vectors lie apart is not known while compiling"
    for part in parts_of(call.mask):
        if not (isinstance(part, Padding) or (isinstance(part, Lengths) and part.counts.dim() == 1)):
            return (
                f"{part!r} hides keys from some queries, who would hear of them by the path they bring about"
            )
    obstacle = why_not_fused(replace(call, score=Dot()))
    if obstacle is not None:
        return obstacle
    near = _near(call)
    if not near.furthest <= FURTHEST:  # nor where it is not a number
        away = f"{near.furthest:.1f} bandwidths"
        return f"vectors lie up to {away} from their centre, further than {FURTHEST:.0f}"
    call.found["near"] = near
    return None


def attend_gaussian(call: Call) -> Tensor:
    """The answer by the fused kernel, with a bias or one more column."""
    assert isinstance(call.score, Gaussian)
    queries, keys, of_keys, _ = call.found.get("near") or _near(call)
    bandwidth = call.score.bandwidth.to(queries.dtype)
    if _rides(call, keys, bandwidth):
        return _Riding.apply(queries, keys, call.values, bandwidth, of_keys)
    precision = 1 / bandwidth.square()
    column = (keys.square().sum(-1) if keys.requires_grad else of_keys.square()) * (precision / -2)
    fixed = None
    if torch.is_grad_enabled() and bandwidth.requires_grad:
        queries = queries * precision
    else:
        fixed = float(precision)
    if not column.requires_grad and call.sharing == 1:
        return attend_fused(replace(call, queries=queries, keys=keys, score=Dot()), column, fixed)
    one = queries.new_ones(1) if fixed is None else 1 / precision.reshape(1)
    queries, keys = _with_column(queries, one), _with_column(keys, column.unsqueeze(-1))
    return attend_fused(replace(call, queries=queries, keys=keys, score=Dot()), scale=fixed)


def _rides(call: Call, keys: Tensor, bandwidth: Tensor) -> bool:
    """Whether gradients are wanted that the kernel gives without any step in between."""
    return (
        torch.is_grad_enabled()
        and (keys.requires_grad or bandwidth.requires_grad)
        and call.mask is None
        and not call.dropout
        and call.sharing == 1
        and keys.dim() == 4
        and keys.device.type == "cpu"
        and flash.available()
    )


class _Riding(torch.autograd.Function):
    """The column and its gradient by hand: autograd would copy every tensor once more.

    With S = p (q·k - ‖k‖²/2), p = 1/b², the kernel's gradient for a column of 1/p in the queries is
    Σᵢ ∂Sᵢⱼ, which a key receives times -p k, and the bandwidth as p's part of both terms.
    """

    @staticmethod
    def forward(
        ctx: Any, queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor, of_keys: Tensor
    ) -> Tensor:
        precision = float(bandwidth) ** -2
        width = max(keys.shape[-1] + 1, values.shape[-1])
        width += -width % ALIGNED
        column = (of_keys.square() * (precision / -2)).unsqueeze(-1)
        ones = queries.new_tensor([1 / precision])
        wide = _with_column(queries, ones, width), _with_column(keys, column, width)
        padded = F.pad(values, (0, width - values.shape[-1]))
        output, log_sum = flash.attend_with_log_sum(*wide, padded, causal=False, bias=None, scale=precision)
        ctx.save_for_backward(*wide, padded, output, log_sum, bandwidth)
        ctx.widths = keys.shape[-1], values.shape[-1], precision
        return output[..., : values.shape[-1]]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, of_output: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, output, log_sum, bandwidth = ctx.saved_tensors
        key_width, value_width, precision = ctx.widths
        of_queries, of_keys, of_values = flash.gradients(
            F.pad(of_output, (0, values.shape[-1] - value_width)),
            queries,
            keys,
            values,
            output,
            log_sum,
            causal=False,
            bias=None,
            scale=precision,
        )
        vectors = slice(0, key_width)
        of_scores = of_keys[..., key_width : key_width + 1]
        of_bandwidth = None
        if ctx.needs_input_grad[3]:
            both = (queries[..., vectors] * of_queries[..., vectors]).sum()
            both = both + (keys[..., key_width : key_width + 1] * of_scores).sum()
            of_bandwidth = (both * -2 / bandwidth).reshape(bandwidth.shape)
        of_keys = torch.addcmul(of_keys[..., vectors], of_scores, keys[..., vectors], value=-precision)
        return of_queries[..., vectors], of_keys, of_values[..., :value_width], of_bandwidth, None


def _with_column(vectors: Tensor, column: Tensor, width: int | None = None) -> Tensor:
    """Vectors with one more column, and zeros up to a width that the kernel's loads like."""
    spare = -(vectors.shape[-1] + 1) % ALIGNED if width is None else width - vectors.shape[-1] - 1
    zeros = vectors.new_zeros(1).expand(*vectors.shape[:-1], spare)
    return torch.cat([vectors, column.expand(*vectors.shape[:-1], 1), zeros], dim=-1)


class _Near(NamedTuple):
    """Queries and keys, the keys' lengths, and how many bandwidths the longest vector has."""

    queries: Tensor
    keys: Tensor
    of_keys: Tensor
    furthest: float


def _near(call: Call) -> _Near:
    """The vectors as they are, where they lie near zero; else about the middle of their keys."""
    assert isinstance(call.score, Gaussian)
    bandwidth = float(call.score.bandwidth.detach())
    call = call.without_the_unheard(call.keep())
    queries, keys = call.queries, call.keys
    for centred in (False, True):
        if centred:  # of the centre no gradient need be known: any would do
            centre = keys.detach().mean(dim=-2, keepdim=True)
            queries, keys = queries - centre, keys - centre
        lengths = [torch.linalg.vector_norm(part.detach(), dim=-1) for part in (queries, keys)]
        furthest = max(float(part.max()) for part in lengths) / bandwidth
        if furthest <= FURTHEST:
            break
    return _Near(queries, keys, lengths[1], furthest)
