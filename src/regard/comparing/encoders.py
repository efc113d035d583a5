"""The three ways to learn context: the table of Vaswani et al. (2017), section 4, and what is measured."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from regard.comparing.comparison import Compared, Comparison, check_lengths
from regard.comparing.measuring import exponent, median_seconds, peak_bytes, rounds_until_heard
from regard.models import ConvolutionalEncoder, Encoder, RecurrentEncoder, SelfAttentionEncoder

LENGTHS = (256, 512, 1024, 2048)
PATH_LENGTHS = (5, 9, 17, 33)
"""Short ones: a path is counted round by round, and a count of them is a law, not an estimate."""


def compare_encoders(
    lengths: Sequence[int] = LENGTHS,
    *,
    width: int = 128,
    kernel: int = 5,
    repeats: int = 3,
) -> Comparison:
    """Measure one layer of each encoder on one sequence of growing length, forward and backward.

    >>> comparison = compare_encoders([8, 16], width=4, repeats=1)
    >>> [each.name for each in comparison.compared]
    ['recurrent', 'convolutional', 'self-attention']
    >>> [each.path for each in comparison.compared]
    [(5, 9, 17, 33), (2, 4, 8, 16), (1, 1, 1, 1)]
    """
    check_lengths(lengths)
    makers: dict[str, Callable[[], Encoder]] = {
        "recurrent": partial(RecurrentEncoder, width),
        "convolutional": partial(ConvolutionalEncoder, width, kernel=kernel),
        "self-attention": partial(SelfAttentionEncoder, width),
    }
    encoders = {name: make() for name, make in makers.items()}
    inputs = {length: torch.randn(1, length, width, requires_grad=True) for length in lengths}
    works = {
        (name, length): partial(_learn, encoder, inputs[length])
        for name, encoder in encoders.items()
        for length in lengths
    }
    seconds = median_seconds(works, repeats=repeats)
    compared = []
    for name, encoder in encoders.items():
        times = tuple(seconds[name, length] for length in lengths)
        compared.append(
            Compared(
                name=name,
                seconds=times,
                exponent=exponent(lengths, times),
                bytes=tuple(
                    peak_bytes(works[name, length], besides=[inputs[length], *encoder.parameters()])
                    for length in lengths
                ),
                cost=encoder.cost(lengths[-1]),
                path=tuple(_path(makers[name], width, length) for length in PATH_LENGTHS),
                path_unit="step" if name == "recurrent" else "layer",
            )
        )
    return Comparison(
        title="Three encoders, one layer",
        subject=f"one sequence, width d = {width}, kernel k = {kernel}, forward and backward",
        lengths=tuple(lengths),
        path_lengths=PATH_LENGTHS,
        compared=tuple(compared),
    )


def _learn(encoder: Encoder, vectors: Tensor) -> None:
    # Gradients are given back, not gathered, so that each time costs the same.
    torch.autograd.grad(encoder(vectors).sum(), [vectors, *encoder.parameters()])


def _path(make: Callable[[], Encoder], width: int, length: int) -> int:
    first = torch.randn(1, 1, width, dtype=torch.float64, requires_grad=True)
    others = torch.randn(1, length - 1, width, dtype=torch.float64)
    return rounds_until_heard(_rounds(make, torch.cat([first, others], dim=1)), first)


def _rounds(make: Callable[[], Encoder], vectors: Tensor) -> Iterator[Tensor]:
    """The vectors after each round of what can be done at once: a step, or a whole layer."""
    encoder, state = make().double(), None
    for place in range(vectors.shape[1]):
        if isinstance(encoder, RecurrentEncoder):
            read, state = encoder.network(vectors[:, place : place + 1], state)
            vectors = torch.cat([vectors[:, :place], read, vectors[:, place + 1 :]], dim=1)
        else:
            vectors = make().double()(vectors)
        yield vectors
