"""Calls of step-by-step decoding, put together as if they had been one call."""

from collections.abc import Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention import masks
from regard.attention.definition import Call
from regard.attention.foreign.asking import Times, Told
from regard.attention.scores import Score
from regard.errors import RegardError
from regard.wording import counted


def belonging(name: str, calls: Sequence[Call]) -> tuple[int, bool]:
    """How many of the last calls make one sequence, and whether a sequence looked at itself.

    A step of self-attention adds its own keys to those of the step before; a step of cross-attention
    looks at the same keys again.
    """
    last, first = len(calls) - 1, len(calls) - 1
    while first and calls[first].queries.shape[-2] == 1 and _same(calls[first - 1].keys, calls[last].keys):
        first -= 1
    missing = reach(calls[last]) - calls[last].queries.shape[-2]
    if first < last or missing == 0:
        return len(calls) - first, first == last
    for first in range(last - 1, -1, -1):
        call = calls[first]
        if reach(call) != missing:
            break
        if not _same(call.keys[..., :missing, :], calls[last].keys[..., :missing, :]):
            raise RegardError(
                f"{name} cannot be stitched: a step does not go on with the rows of the step before, as in "
                "beam search. Call the model once over the sequence it wrote, inside watch()."
            )
        missing -= call.queries.shape[-2]
        if missing == 0:
            return len(calls) - first, True
    if last and calls[last].queries.shape[-2] == 1 and calls[last - 1].keys.shape == calls[last].keys.shape:
        raise RegardError(
            f"{name} cannot be stitched: it kept only its last {counted(calls[last].keys.shape[-2], 'key')}. "
            "Call the model once over the sequence it wrote, inside watch()."
        )
    return 1, False


def reach(call: Call) -> int:
    """How many keys there are up to the last that anyone hears: a cache may have room for more."""
    keep = call.keep()
    if keep is None:
        return call.keys.shape[-2]
    audible = keep.flatten(0, -2).any(dim=0).nonzero()
    return int(audible[-1]) + 1 if len(audible) else 0


def stitch(calls: Sequence[Call], *, of_itself: bool) -> Call:
    """One call with the queries of all, in order, and the keys of the last, as many as a sequence wrote."""
    last = calls[-1]
    keys = reach(last) if of_itself else last.keys.shape[-2]
    keeps = [_widened(_keep(call), keys) for call in calls]
    score = last.score
    if any(isinstance(call.score, Told) for call in calls):
        numbers = [_widened(_numbers(call), keys) for call in calls]
        score = Told(torch.cat(numbers, dim=-2), _scale(last.score))
    return replace(
        last,
        queries=torch.cat([call.queries for call in calls], dim=-2),
        keys=last.keys[..., :keys, :],
        values=last.values[..., :keys, :],
        score=score,
        mask=masks.where(keep=torch.cat(keeps, dim=-2)),
        past=calls[0].past,
    )


def repeat(call: Call, times: int) -> Call:
    """The same call for several sequences that begin alike, as when several are drawn for one source."""
    score = call.score
    if isinstance(score, Told):
        score = Told(_numbers(call).repeat_interleave(times, dim=0), score.times)
    return replace(
        call,
        queries=call.queries.repeat_interleave(times, dim=0),
        keys=call.keys.repeat_interleave(times, dim=0),
        values=call.values.repeat_interleave(times, dim=0),
        score=score,
        mask=None if call.mask is None else masks.where(keep=_keep(call).repeat_interleave(times, dim=0)),
    )


def _same(before: Tensor, after: Tensor) -> bool:
    # without a cache keys are projected anew, and come out alike to rounding
    return before.shape == after.shape and torch.allclose(before, after, rtol=1e-3, atol=1e-5)


def _keep(call: Call) -> Tensor:
    keep = call.keep()
    if keep is None:
        keep = torch.ones((), dtype=torch.bool, device=call.queries.device)
    return keep.expand(call.scores_shape)


def _numbers(call: Call) -> Tensor:
    numbers = call.score.numbers if isinstance(call.score, Told) else call.queries.new_zeros(())
    return numbers.expand(call.scores_shape)


def _scale(score: Score) -> float:
    return score.times if isinstance(score, Told | Times) else 1.0


def _widened(rows: Tensor, keys: int) -> Tensor:
    """Nothing, zero or False, for keys that came later."""
    return F.pad(rows[..., :keys], (0, keys - min(rows.shape[-1], keys)))
