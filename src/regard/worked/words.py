"""Made-up vectors for words, the same on every machine: to look at arithmetic, not at meaning."""

import hashlib
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from regard.errors import RegardError

WIDTH = 4
STEPS = 9
"""Each number is one of −2, −1.5, …, 2: short enough to be multiplied by hand."""


def made_up_vectors(words: Sequence[str], width: int = WIDTH) -> Float[Tensor, "words width"]:
    """One vector per word, read off a hash of its spelling; equal words have equal vectors.

    >>> made_up_vectors(["cat", "sat", "cat"])
    tensor([[-1.0000,  0.0000, -1.0000,  0.0000],
            [ 1.0000,  0.5000, -1.0000, -2.0000],
            [-1.0000,  0.0000, -1.0000,  0.0000]], dtype=torch.float64)
    """
    if not 1 <= width <= 32:
        raise RegardError(f"made-up vectors are 1 to 32 wide, but {width} was asked for.")
    rows = [[(byte % STEPS - STEPS // 2) / 2 for byte in _digest(word)[:width]] for word in words]
    return torch.tensor(rows, dtype=torch.float64).reshape(len(words), width)


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
