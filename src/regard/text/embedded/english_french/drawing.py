"""Words drawn so that each is used about as often as any other, the same on every machine."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from random import Random
from typing import TypeVar

FEW = 5
Item = TypeVar("Item", bound=Hashable)


class Draw:
    """A seeded hand that remembers what it has drawn.

    Only ``Random.random`` is used: of all of ``random`` it alone is promised to give the
    same numbers in every version of Python.

    >>> draw = Draw(0)
    >>> sorted(draw.rare("abc") for _ in range(6))
    ['a', 'a', 'b', 'b', 'c', 'c']
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random
        self._drawn: defaultdict[Hashable, int] = defaultdict(int)

    def chance(self, probability: float) -> bool:
        """Say yes with a probability."""
        return self._random() < probability

    def one(self, items: Sequence[Item]) -> Item:
        """Draw any item."""
        return items[int(self._random() * len(items))]

    def rare(self, items: Sequence[Item]) -> Item:
        """Draw a few items and take the one drawn least so far: coverage without a cycle."""
        random, drawn, length = self._random, self._drawn, len(items)
        best = min([items[int(random() * length)] for _ in range(FEW)], key=drawn.__getitem__)
        drawn[best] += 1
        return best
