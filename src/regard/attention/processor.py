"""What the processor can do that torch does not say openly."""

import functools
import platform
import sys
from pathlib import Path

import torch

CPUINFO = Path("/proc/cpuinfo")
"""What Linux tells of its processors."""


@functools.cache
def multiplies_halves() -> bool:
    """Whether the CPU has instructions for products in bfloat16.

    Torch's word on it is private, so it is asked for, not relied upon.
    """
    asked = (
        getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )
    return any(one is not None and one() for one in asked)


@functools.cache
def slows_mkl() -> bool:
    """Whether torch multiplies numbers of 32 bits by MKL on a processor that Intel did not make.

    There MKL takes ways through a product that are half as fast as those of oneDNN, which torch has, too.
    Linux tells the maker in a file, Windows in the processor's name; a Mac that MKL runs on has Intel's.
    """
    if not torch.backends.mkl.is_available() or sys.platform == "darwin":
        return False
    if sys.platform != "linux":
        return "GenuineIntel" not in platform.processor()
    try:
        return "GenuineIntel" not in CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
