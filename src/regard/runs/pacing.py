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

from regard.wording import counted

SAID = "OMP_NUM_THREADS"
KERNELS = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
"""oneDNN keeps a kernel for each of the last 1,024 shapes it met, with its room to work in. Batches have so
many shapes that few come again in time: 0.7 GiB after 80 steps, for nothing. It looks once, at first use."""
TURNS = 2
"""Times that each number of threads is tried; the best counts."""
WORSE = 1.1
"""Where more threads take so much longer, still more are not tried."""


def keep_few_kernels() -> None:
    """Ask oneDNN to keep few kernels, unless it was asked for some number already."""
    os.environ.setdefault(KERNELS, "64")


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How many threads learn, and what was tried."""

    threads: int
    tried: dict[int, float] = field(default_factory=dict, compare=False)
    """Seconds of each number of threads; none where the number was said."""

    @classmethod
    def of(cls, told: object) -> "Pace | None":
        """The pace that a checkpoint tells of, where this process may use so many threads."""
        threads = told.get("threads") if isinstance(told, dict) else None
        if type(threads) is not int or not 1 <= threads <= torch.get_num_threads():
            return None
        return cls(threads=threads)

    def told(self) -> dict[str, int]:
        """What a run that goes on must know."""
        return {"threads": self.threads}

    def __str__(self) -> str:
        said = f"Learning with {counted(self.threads, 'thread')}"
        best = self.tried.get(self.threads)
        others = [
            f"{count} take {seconds / best:.1f} times as long"
            for count, seconds in self.tried.items()
            if best and count != self.threads
        ]
        return f"{said} ({', '.join(others)})." if others else f"{said}."

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Inside, torch computes at this pace."""
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def find_pace(work: Callable[[], object]) -> Pace:
    """The pace at which this work is done soonest; as it is, where that was said or there is no choice."""
    most = torch.get_num_threads()
    if os.environ.get(SAID) or most == 1:
        return Pace(threads=most)
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
    return Pace(threads=min(tried, key=lambda threads: tried[threads]), tried=tried)


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
