"""Sentences drawn at random, each by chances of its own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from regard.errors import RecipeError


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Draw each token at random instead of searching for the likeliest sentence.

    The model's logits are divided by ``temperature``; of the tokens, only the ``top_k``
    likeliest are kept (0 keeps all), and of those only the fewest that together have at least
    the share ``top_p`` of the probability (Holtzman et al., 2020). What is drawn depends on
    the source and ``seed`` alone.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.temperature < math.inf:
            raise RecipeError(
                f"temperature must be positive, but got {self.temperature}. "
                "For the likeliest token at every step search with a beam of 1."
            )
        check_at_least(0, top_k=self.top_k)
        if not 0 < self.top_p <= 1:
            raise RecipeError(f"top_p must be above 0 and at most 1, but got {self.top_p}.")
        if type(self.seed) is not int or not 0 <= self.seed < 1 << 64:
            raise RecipeError(f"seed must be a whole number from 0 to below 2**64, but got {self.seed!r}.")


def chances_of(
    sources: Sequence[Sequence[int]], longest: Sequence[int], sampling: Sampling, copies: int
) -> Float[Tensor, "draws longest"]:
    """Numbers between 0 and 1 for each draw, which depend on its source and not on its company."""
    chances = []
    for source, count in zip(sources, longest, strict=True):
        named = repr((sampling.seed, [int(token) for token in source]))
        digest = blake2b(named.encode(), digest_size=8).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)
        chances += [torch.rand(count + 1, generator=generator) for _ in range(copies)]
    return pad_sequence(chances, batch_first=True)


def draw(
    allowed: Float[Tensor, "rows vocabulary"], chances: Float[Tensor, " rows"], sampling: Sampling
) -> Int[Tensor, "rows 1"]:
    """A token for each row: the first whose cumulated probability surpasses the row's chance."""
    scaled, tokens = allowed / sampling.temperature, None
    if sampling.top_k:
        scaled, tokens = scaled.topk(min(sampling.top_k, scaled.shape[1]))
    elif sampling.top_p < 1:
        scaled, tokens = scaled.sort(dim=1, descending=True, stable=True)
    probabilities = scaled.softmax(dim=1)
    if sampling.top_p < 1:
        before = probabilities.cumsum(dim=1) - probabilities
        probabilities = probabilities.where(before < sampling.top_p, 0.0)
    mass = probabilities.cumsum(dim=1)
    places = torch.searchsorted(mass, chances.to(mass)[:, None] * mass[:, -1:], right=True)
    places = places.minimum(mass.argmax(dim=1, keepdim=True))  # a product that was rounded up to all of it
    return places if tokens is None else tokens.gather(1, places)


def check_at_least(least: int, **settings: int) -> None:
    """Refuse a setting that is no whole number, or too small."""
    for name, value in settings.items():
        if type(value) is not int or value < least:
            raise RecipeError(f"{name} must be a whole number of at least {least}, but got {value!r}.")
