"""How many threads a CPU learns with, found by trying before the first step.

Small models on many cores lose more by waiting for one another than they gain. What ``OMP_NUM_THREADS`` says
is left alone, and so are processes that share a machine. A run that goes on keeps to what it began with,
so that it goes on bit for bit.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch

SAID = "OMP_NUM_THREADS"
KERNELS = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
"""oneDNN keeps a kernel for each of the last 1,024 shapes it met, with its room to work in. Batches have so
many shapes that few come again in time: 0.7 GiB after 80 steps, for nothing. It looks once, at first use."""
TURNS = 2
"""Times that each number of threads is tried; the best counts."""
WORSE = 1.1
"""Where more threads take so much longer, still more are not tried."""
TINY = 1e-39
"""A number that processors may be slow with: smaller than any that has all its digits."""


def keep_few_kernels() -> None:
    """Ask oneDNN to keep few kernels, unless it was asked for some number already."""
    os.environ.setdefault(KERNELS, "64")


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What was found best, and what was tried."""

    threads: int
    tried: dict[int, float] = field(default_factory=dict)
    """Seconds of each number of threads."""
    flushed: bool = False
    """Whether numbers too small to have all their digits are taken as zero, because they would cost time."""

    def __str__(self) -> str:
        best = self.tried[self.threads]
        others = [
            f"{count} take {seconds / best:.1f} times as long"
            for count, seconds in self.tried.items()
            if count != self.threads
        ]
        said = f"Learning with {self.threads} {'thread' if self.threads == 1 else 'threads'}"
        said += f" ({', '.join(others)})." if others else "."
        return said + (
            " Numbers below 1e-38 are taken as zero, which is faster here." if self.flushed else ""
        )

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Inside, torch computes at this pace."""
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        if self.flushed:
            torch.set_flush_denormal(True)
        try:
            yield
        finally:
            torch.set_num_threads(before)
            if self.flushed:
                torch.set_flush_denormal(False)


def find_pace(work: Callable[[], object]) -> Pace | None:
    """The pace at which this work is done soonest; None where there is nothing to choose."""
    most = torch.get_num_threads()
    if os.environ.get(SAID) or most == 1:
        return None
    work()  # what is only done the first time
    tried: dict[int, float] = {}
    try:
        for threads in _counts(most):
            torch.set_num_threads(threads)
            tried[threads] = min(_seconds(work) for _ in range(TURNS))
            if tried[threads] > WORSE * min(tried.values()):
                break
    finally:
        torch.set_num_threads(most)
    best = min(tried, key=lambda threads: tried[threads])
    return Pace(threads=best, tried=tried, flushed=_tiny_numbers_cost())


def _counts(most: int) -> list[int]:
    """One, two, four …, and all.

    >>> _counts(6)
    [1, 2, 4, 6]
    """
    return [*(2**power for power in range(most.bit_length()) if 2**power < most), most]


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _tiny_numbers_cost() -> bool:
    """Whether sums of numbers that lack digits take half as long again as those of zeros."""
    usual, tiny = torch.zeros(2**14), torch.full((2**14,), TINY)
    took = [min(_seconds(lambda one=one: one * 0.5 + one) for _ in range(9)) for one in (usual, tiny)]  # type: ignore[misc]
    return took[1] > 1.5 * took[0]
