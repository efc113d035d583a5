"""Measures that count what happens, not what a formula says."""

import math
import statistics
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

Key = TypeVar("Key")

LONG = 1.0
"""Seconds after which a work is known well enough without being repeated."""


def median_seconds(works: Mapping[Key, Callable[[], object]], *, repeats: int) -> dict[Key, float]:
    """The median time of each work on one thread; all take turns, so that a slow moment hits all alike.

    It is the processor's time, which others who use the machine hardly change.

    >>> seconds = median_seconds({"nothing": lambda: None}, repeats=3)
    >>> 0 < seconds["nothing"] < 1
    True
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        taken = {key: [_seconds(work)] for key, work in works.items()}
        for _ in range(repeats):
            for key, work in works.items():
                if sum(taken[key]) < LONG:
                    taken[key].append(_seconds(work))
    finally:
        torch.set_num_threads(threads)
    # The first time, things are made ready that stay so.
    return {key: statistics.median(seconds[1:] or seconds) for key, seconds in taken.items()}


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The power p for which costs grow most nearly as sizes to the p: least squares of logarithms.

    >>> round(exponent([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    across = [math.log(size) for size in sizes]
    up = [math.log(cost) for cost in costs]
    return statistics.linear_regression(across, up).slope


class _Alive(TorchDispatchMode):
    """Counts the bytes of every tensor made inside it, until it is freed."""

    def __init__(self, known: Iterable[Tensor]) -> None:
        super().__init__()
        self.now = self.peak = 0
        self.known: dict[int, Any] = {tensor.untyped_storage()._cdata: None for tensor in known}

    def __torch_dispatch__(
        self, operation: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run an operation, and see what it has made."""
        made = operation(*args, **kwargs or {})
        for tensor in made if isinstance(made, tuple | list) else (made,):
            if isinstance(tensor, Tensor):
                self._meet(tensor.untyped_storage())
        self.peak = max(self.peak, self.now)
        return made

    def _meet(self, storage: torch.UntypedStorage) -> None:
        number, size = storage._cdata, storage.nbytes()
        if number in self.known:
            return
        self.now += size

        def freed(_: object) -> None:
            self.now -= size
            del self.known[number]

        self.known[number] = weakref.ref(storage, freed)


def peak_bytes(work: Callable[[], object], *, besides: Iterable[Tensor] = ()) -> int:
    """The most bytes of tensors alive at one time during a work, ``besides`` those it is given.

    >>> peak_bytes(lambda: torch.zeros(3, dtype=torch.float64) + 1)
    48
    """
    with _Alive(besides) as alive:
        work()
    return alive.peak


def rounds_until_heard(rounds: Iterable[Tensor], first: Tensor) -> int:
    """After how many rounds a gradient leads from the last position back to the first.

    ``rounds`` gives the vectors, (batch, positions, width), as they are after each round of
    whatever can be done at once; ``first`` is what the first position was given.

    >>> first, last = torch.ones(1, 1, 1, requires_grad=True), torch.ones(1, 1, 1, requires_grad=True)
    >>> rounds_until_heard([torch.cat([first, last], 1), torch.cat([first, first * last], 1)], first)
    2
    """
    direction = torch.randn_like(first[:, 0])  # any but the sum, which a layer norm holds at zero
    for count, vectors in enumerate(rounds, start=1):
        (gradient,) = torch.autograd.grad(
            vectors[:, -1], first, direction, retain_graph=True, allow_unused=True, materialize_grads=True
        )
        if gradient.count_nonzero():
            return count
    raise AssertionError("the first position was never heard at the last")
