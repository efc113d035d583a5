"""Words drawn so that each is used about as often as any other, the same on every machine."""

from collections import Counter
from collections.abc import Hashable, Sequence
from random import Random
from typing import TypeVar

FEW = 5
Item = TypeVar("Item", bound=Hashable)


class Draw:
    """A seeded hand that remembers what it has drawn.

    Only ``Random.random`` is used: of all of ``random`` it alone is promised to give the
    same numbers in every version of Python.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random
        self._drawn: Counter[Hashable] = Counter()

    def chance(self, probability: float) -> bool:
        """Say yes with a probability."""
        return self._random() < probability

    def one(self, items: Sequence[Item]) -> Item:
        """Draw any item."""
        return items[int(self._random() * len(items))]

    def rare(self, items: Sequence[Item]) -> Item:
        """Draw a few items and take the one drawn least so far: coverage without a cycle."""
        best = min([self.one(items) for _ in range(FEW)], key=self._drawn.__getitem__)
        self._drawn[best] += 1
        return best
