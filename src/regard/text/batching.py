"""Which sentences train together, and in which order: a pure function of seed, epoch and number.

Nothing is kept between batches, so training resumes anywhere by asking for the next number.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Int
from numpy.typing import ArrayLike

from regard.errors import DataError, RecipeError

_CLOSENESS = 0.1
"""Lengths that differ by less than this share count as equal. More would mix the pairs better
and pad more: at 0.1 real corpora have 3 to 5% of padding in batches of 2,048 to 4,096 tokens."""


class Batches:
    """Batches of sentences of nearly equal length, none wider than ``tokens_per_batch``.

    ``lengths`` holds the tokens of source and target of each pair, with ``begin`` and ``end``
    where the batch will have them. The longer side of a batch, padding included, takes at most
    ``tokens_per_batch`` tokens.

    The pairs are laid out by length once and cut into batches. In each epoch pairs of nearly
    equal length trade places at random, and the batches come in a random order; their number
    and sizes stay. Each pair is seen exactly once an epoch.

    >>> generator = np.random.default_rng(11)
    >>> source = generator.poisson(12, 30_000) + 2
    >>> lengths = np.stack([source, source + generator.integers(-2, 3, 30_000)], axis=1)
    >>> batches = Batches(lengths, tokens_per_batch=4096, seed=7)
    >>> len(batches), batches.batch(epoch=0, number=5)[:4]
    (109, array([ 4045, 23182,  5190, 20537]))
    >>> print(f"{batches.padding_share():.1%} padding")
    1.9% padding
    """

    def __init__(self, lengths: ArrayLike, *, tokens_per_batch: int, seed: int) -> None:
        if not 0 <= seed < 1 << 64:
            raise RecipeError(f"seed must be at least 0 and below 2**64, but got {seed}.")
        self.lengths = _checked(np.asarray(lengths), tokens_per_batch)
        self.tokens_per_batch = tokens_per_batch
        self.seed = seed
        self._order, self._classes = _laid_out(self.lengths)
        self._cuts = _cut(self.lengths[self._order], self._classes, tokens_per_batch)
        self._plan = lru_cache(maxsize=2)(self._planned)  # a memory of the last epochs, not a state

    def __len__(self) -> int:
        return len(self._cuts) - 1

    def batch(self, epoch: int, number: int, *, rank: int = 0, world: int = 1) -> Int[np.ndarray, " batch"]:
        """The pairs of a batch, or the share of process ``rank`` of ``world``.

        Pairs are dealt out from the longest to the shortest, so that shares differ by at most one
        pair and the tokens of one. Together they are the whole batch. A share may be empty.

        >>> batches = Batches([(3, 4), (5, 5), (4, 4), (5, 4), (3, 3)], tokens_per_batch=100, seed=7)
        >>> [batches.batch(0, 0, rank=rank, world=2).tolist() for rank in range(2)]
        [[1, 2, 4], [3, 0]]
        """
        if not 0 <= number < len(self):
            raise DataError(f"batch {number} does not exist: an epoch has {len(self)} batches, from 0.")
        if not 0 <= rank < world:
            raise RecipeError(f"rank must be from 0 to {world - 1}, one below world, but got {rank}.")
        plan = self._plan(epoch)
        place = plan.batch_order[number]
        pairs = plan.pairs[self._cuts[place] : self._cuts[place + 1]]
        if world == 1:
            return pairs
        longest_first = pairs[np.argsort(-self.lengths[pairs].sum(axis=1), kind="stable")]
        return longest_first[rank::world]

    def padding_share(self, epoch: int = 0) -> float:
        """The share of padding among all places of an epoch's batches."""
        lengths, starts = self.lengths[self._plan(epoch).pairs], self._cuts[:-1]
        places = np.maximum.reduceat(lengths, starts, axis=0) * np.diff(self._cuts)[:, None]
        return float(1 - lengths.sum() / places.sum())

    def _planned(self, epoch: int) -> "_Plan":
        # Raw bits, because only these are promised to stay the same in every version of numpy.
        bits = np.random.Philox(key=np.array([self.seed, epoch], dtype=np.uint64)).random_raw
        chance = bits(len(self.lengths)) >> np.uint64(32)
        keys = (self._classes.astype(np.uint64) << np.uint64(32)) | chance
        pairs = self._order[np.argsort(keys, kind="stable")]
        pairs.flags.writeable = False  # batches are views of it
        return _Plan(pairs, np.argsort(bits(len(self)), kind="stable"))


class _Plan(NamedTuple):
    """One epoch: the pairs in the order of the layout, and the order of its batches."""

    pairs: Int[np.ndarray, " pairs"]
    batch_order: Int[np.ndarray, " batches"]


def _checked(lengths: np.ndarray, tokens_per_batch: int) -> Int[np.ndarray, "pairs 2"]:
    if lengths.ndim != 2 or lengths.shape[1] != 2 or not len(lengths):
        raise DataError(
            f"lengths must be a source and a target length for each of one or more pairs, "
            f"but their shape is {lengths.shape}."
        )
    longest = int(lengths.max(axis=1).argmax())
    if lengths[longest].max() > tokens_per_batch:
        raise DataError(
            f"pair {longest} has a side of {lengths[longest].max()} tokens, more than the {tokens_per_batch} "
            f"of tokens_per_batch. Raise it, or drop long pairs."
        )
    return lengths.astype(np.int64)


def _laid_out(
    lengths: Int[np.ndarray, "pairs 2"],
) -> tuple[Int[np.ndarray, " pairs"], Int[np.ndarray, " pairs"]]:
    """An order in which neighbours are alike, and the class of each pair in that order."""
    edges = [1]
    while edges[-1] <= lengths.max():
        edges.append(max(edges[-1] + 1, int(edges[-1] * (1 + _CLOSENESS))))
    longer = np.searchsorted(edges, lengths.max(axis=1), side="right")
    step = np.maximum(1, np.asarray(edges) * _CLOSENESS).astype(np.int64)[longer - 1]
    excess = (lengths[:, 1] - lengths[:, 0]) // step
    # To and fro like a plough, so that a batch across two lengths has like differences.
    excess = np.where(longer % 2, excess, -excess)
    span = excess.max() - excess.min() + 1
    classes = longer * span + excess - excess.min()
    order = np.argsort(classes, kind="stable")
    return order, classes[order]


def _cut(
    lengths: Int[np.ndarray, "pairs 2"], classes: Int[np.ndarray, " pairs"], tokens_per_batch: int
) -> Int[np.ndarray, " cuts"]:
    """Where batches begin; any trade within a class keeps each batch within its bound."""
    firsts = np.flatnonzero(np.diff(classes, prepend=-1))
    widest = np.maximum.reduceat(lengths.max(axis=1), firsts)
    widest = np.repeat(widest, np.diff(firsts, append=len(classes)))
    cuts = [0]
    while cuts[-1] < len(widest):
        start = cuts[-1]
        most = tokens_per_batch // widest[start]
        width = np.maximum.accumulate(widest[start : start + most])
        fits = width * np.arange(1, len(width) + 1) <= tokens_per_batch
        cuts.append(start + int(fits.sum()))  # the cost only grows, so those that fit come first
    return np.array(cuts)
