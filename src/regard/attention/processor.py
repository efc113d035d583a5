"""What the processor can do that torch does not say openly."""

import functools

import torch


@functools.cache
def multiplies_halves() -> bool:
    """Whether the CPU has instructions for products in bfloat16.

    Torch's word on it is private, so it is asked for, not relied upon.
    """
    asked = (
        getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )
    return any(one is not None and one() for one in asked)
