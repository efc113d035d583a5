"""Lessons from a corpus on disk: one shard at a time, in an order that needs no memory."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from regard.recipe import Recipe
from regard.text import Batch, Batches
from regard.text.prepared import Prepared, pair_of
from regard.training import ALONE, Processes


class PreparedLessons:
    """The batches of a prepared corpus: each epoch takes its shards in an order of its own.

    A step is found by counting batches shard by shard, and a shard's batches are planned when it is
    first needed. So training starts at once, and holds no more than two shards' plans.
    """

    def __init__(self, prepared: Prepared, recipe: Recipe) -> None:
        self.prepared, self.training = prepared, recipe.training
        self.subword_dropout = recipe.tokenizer.dropout
        self.longest_sentence = prepared.longest_sentence
        self._plan = lru_cache(maxsize=2)(self._planned)
        self._counts: dict[int, int] = {}

    @property
    def batches_per_epoch(self) -> int:
        """As many as the first shard lets expect; shards are alike."""
        first = next(number for number, pairs in enumerate(self.prepared.shards) if pairs)
        return round(self._count(first) * len(self.prepared) / self.prepared.shards[first])

    def from_step(
        self, step: int, processes: Processes = ALONE
    ) -> Iterator[tuple[int, list[Batch], list[str]]]:
        """For each step after this one: its epoch, this process's share of its batches, and their names."""
        accumulate = self.training.accumulate
        while True:
            places = [self.place(number) for number in range(step * accumulate, (step + 1) * accumulate)]
            batches = [self._batch(*place, processes) for place in places]
            names = [f"batch {number} of shard {shard} of epoch {epoch}" for epoch, shard, number in places]
            yield places[0][0], batches, names
            step += 1

    def place(self, number: int) -> tuple[int, int, int]:
        """The epoch, the shard, and the batch in it, of a batch counted from the beginning."""
        epoch = 0
        if len(self._counts) == len(self.prepared.shards):
            epoch, number = divmod(number, sum(self._counts.values()))
        while True:
            for shard in self._order(epoch):
                count = self._count(shard)
                if number < count:
                    return epoch, shard, number
                number -= count
            epoch += 1

    def _order(self, epoch: int) -> list[int]:
        key = np.array([self.training.seed, ~np.uint64(epoch)], dtype=np.uint64)
        draws = np.random.Philox(key=key).random_raw(len(self.prepared.shards))
        return [int(shard) for shard in np.argsort(draws, kind="stable")]

    def _count(self, shard: int) -> int:
        if shard not in self._counts:
            self._counts[shard] = len(self._plan(shard)) if self.prepared.shards[shard] else 0
        return self._counts[shard]

    def _planned(self, shard: int) -> Batches:
        lengths = np.asarray(self.prepared.shard(shard).lengths, dtype=np.int64) + 1
        assert self.training.tokens_per_batch is not None
        seed = (self.training.seed + 0x9E37_79B9_7F4A_7C15 * shard) % 2**64
        return Batches(lengths, tokens_per_batch=self.training.tokens_per_batch, seed=seed)

    def _batch(self, epoch: int, shard: int, number: int, processes: Processes) -> Batch:
        plan, held = self._plan(shard), self.prepared.shard(shard)
        chosen = plan.batch(epoch, number, rank=processes.rank, world=processes.world).tolist()
        if not self.subword_dropout:
            return Batch.of(*([held.sentence(row, side) for row in chosen] for side in (0, 1)))
        tokenizer = self.prepared.tokenizer
        pairs = [(row, pair_of(self.prepared, shard, row)) for row in chosen]

        def drawn(side: int) -> list[list[int]]:
            vocabulary = (tokenizer.source, tokenizer.target)[side]
            return [
                vocabulary.encode(
                    pair[side], dropout=self.subword_dropout, draw=(plan.seed, epoch, row, side)
                )
                for row, pair in pairs
            ]

        return Batch.of(drawn(0), drawn(1))
