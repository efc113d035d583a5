"""The Gaussian kernel on the fused dot-product path.

    -‖q - k‖²/2b² = q·k/b² - ‖k‖²/2b² - ‖q‖²/2b²

The last term is the same for every key, and softmax does not see it; the middle one rides along
as one more column of the keys, against a column of ones. The sum of the first two cancels badly
where vectors are long against the bandwidth (2e-2 at |x| ≈ 2000), so the vectors are centred, and
taken only where none lies further than ``FURTHEST`` bandwidths from the centre.
"""

from dataclasses import replace

import torch
from torch import Tensor

from regard.attention.definition import Call
from regard.attention.fused import attend_fused, why_not_fused
from regard.attention.masks import Lengths, Padding, parts_of
from regard.attention.scores import Dot, Gaussian

FURTHEST = 4.0
"""In bandwidths. Its square is what the cancelling terms may grow to."""


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
    bandwidth = float(call.score.bandwidth.detach())
    queries, keys = _centred(call)
    with torch.no_grad():
        furthest = max(float(part.norm(dim=-1).max()) for part in (queries, keys))
    if not furthest <= FURTHEST * bandwidth:
        away = f"{furthest / bandwidth:.1f} bandwidths"
        return f"vectors lie up to {away} from their centre, further than {FURTHEST:.0f}"
    call.found["centred"] = queries, keys
    return None


def attend_gaussian(call: Call) -> Tensor:
    """The answer by the fused kernel, with one more column."""
    assert isinstance(call.score, Gaussian)
    bandwidth = call.score.bandwidth.to(call.queries.dtype)
    queries, keys = call.found.get("centred") or _centred(call)
    precision = 1 / bandwidth.square()
    column = keys.square().sum(-1, keepdim=True) * (precision / -2)
    queries = torch.cat([queries * precision, queries.new_ones(*queries.shape[:-1], 1)], dim=-1)
    return attend_fused(replace(call, queries=queries, keys=torch.cat([keys, column], dim=-1), score=Dot()))


def _centred(call: Call) -> tuple[Tensor, Tensor]:
    """Queries and keys about the middle of each sample's keys, of which no gradient need be known."""
    call = call.without_the_unheard(call.keep())
    centre = call.keys.detach().mean(dim=-2, keepdim=True)
    return call.queries - centre, call.keys - centre
