"""Which weights are dropped: random numbers that can be drawn again instead of being kept.

On a CPU they come from numpy's SFC64, sixteen bits a weight: torch's own generator needs some
ten times as long, and would be half the cost of attention. So a probability is met to within
1/131072, and the weights kept are divided by the share that is really kept.
"""

import numpy as np
import torch
from torch import Tensor

_LEVELS = 2**16


def draw_seed() -> int:
    """A seed from torch's generator, so that ``torch.manual_seed`` rules what is dropped."""
    return int(torch.randint(2**62, ()))


def kept_share(dropout: float) -> float:
    """The share of weights that :func:`kept` keeps."""
    return 1 - round(dropout * _LEVELS) / _LEVELS


def kept(
    shape: tuple[int, ...], dropout: float, seed: int, place: tuple[int, ...], device: torch.device
) -> Tensor:
    """True for the weights of one block that are kept: a pure function of seed and place."""
    if device.type != "cpu":
        mixed = hash((seed, *place)) % 2**62
        generator = torch.Generator(device).manual_seed(mixed)
        return torch.rand(shape, device=device, generator=generator) < kept_share(dropout)
    count = 1
    for size in shape:
        count *= size
    random = np.random.Generator(np.random.SFC64([seed, *place]))
    drawn = random.integers(0, 2**64, -(-count // 4), dtype=np.uint64).view(np.int16)[:count]
    threshold = round(dropout * _LEVELS) - _LEVELS // 2
    return torch.from_numpy(drawn).reshape(shape) >= threshold
