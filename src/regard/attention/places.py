"""Where queries and keys stand: query i at position past + i, key j at position j."""

import torch
from jaxtyping import Int
from torch import Tensor


def relative_positions(
    queries: int, keys: int, past: int, device: torch.device | None = None
) -> Int[Tensor, "queries keys"]:
    """The position of each key less that of each query.

    >>> relative_positions(2, 4, past=2)
    tensor([[-2, -1,  0,  1],
            [-3, -2, -1,  0]])
    """
    places = torch.arange(past, past + queries, device=device)
    return torch.arange(keys, device=device) - places[:, None]
