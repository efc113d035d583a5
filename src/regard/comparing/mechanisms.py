"""The mechanisms of attention beside each other: how long each takes, and by which path it is answered."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from regard.attention import attend, masks, positions, scores
from regard.attention.attending import ask
from regard.attention.paths import choose
from regard.comparing.comparison import Compared, Comparison, check_lengths
from regard.comparing.measuring import exponent, median_seconds, peak_bytes
from regard.wording import counted

LENGTHS = (128, 256, 512, 1024)


def compare_mechanisms(
    lengths: Sequence[int] = LENGTHS,
    *,
    width: int = 32,
    heads: int = 2,
    reach: int = 16,
    repeats: int = 3,
) -> Comparison:
    """Measure self-attention by each mechanism on sequences of growing length, forward and backward.

    >>> comparison = compare_mechanisms([8, 16], width=4, heads=2, repeats=1)
    >>> {each.name: each.answered_by for each in comparison.compared}["causal"]
    'fused'
    """
    check_lengths(lengths)
    every: dict[str, dict[str, Any]] = {
        "plain": {},
        "causal": {"mask": masks.causal()},
        "window": {"mask": masks.window(before=reach, after=reach)},
        "Relative": {"position": positions.Relative(reach=reach, head_width=width)},
        "Gaussian": {"score": scores.Gaussian(float(width) ** 0.5)},
        "Additive": {"score": scores.Additive(query_width=width, key_width=width, hidden_width=width)},
    }
    inputs = {length: torch.randn(1, heads, length, width, requires_grad=True) for length in lengths}
    works = {
        (name, length): partial(_learn, inputs[length], settings)
        for name, settings in every.items()
        for length in lengths
    }
    seconds = median_seconds(works, repeats=repeats)
    compared = []
    for name, settings in every.items():
        times = tuple(seconds[name, length] for length in lengths)
        choice = choose(ask(inputs[lengths[-1]], **settings))
        compared.append(
            Compared(
                name=name,
                seconds=times,
                exponent=exponent(lengths, times),
                bytes=tuple(
                    peak_bytes(works[name, length], besides=[inputs[length], *_parameters(settings)])
                    for length in lengths
                ),
                answered_by=choice.path.name,
                reason=choice.path.merit,
            )
        )
    return Comparison(
        title="Mechanisms of attention",
        subject=f"{counted(heads, 'head')} of width {width}, reach {reach}, forward and backward",
        lengths=tuple(lengths),
        compared=tuple(compared),
    )


def _learn(vectors: Tensor, settings: dict[str, Any]) -> None:
    torch.autograd.grad(attend(vectors, **settings).sum(), [vectors, *_parameters(settings)])


def _parameters(settings: dict[str, Any]) -> list[Tensor]:
    modules = (thing for thing in settings.values() if isinstance(thing, torch.nn.Module))
    return [parameter for module in modules for parameter in module.parameters()]
