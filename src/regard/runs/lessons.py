"""From sentence pairs to the batches of each step: a pure function of recipe and step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regard.errors import RecipeError
from regard.recipe import DataSettings, Recipe
from regard.text import Batch, Batches, Corpus, Parts, ReadingSettings, Tokenizer, read, read_parts
from regard.text.reading import Source


def read_data(data: DataSettings) -> Parts:
    """Read what to learn from and what to judge by."""
    if not data.train:
        raise RecipeError(
            "data.train is missing: name a file of sentence pairs, two parallel files, or embedded:en-fr."
        )
    settings = ReadingSettings(
        longest=data.longest, ratio=data.ratio, columns=(data.columns[0], data.columns[1])
    )
    if not data.validation:
        return read_parts(_source(data.train), settings, skip_bad=data.skip_bad, share=data.validation_share)
    return Parts(
        read(_source(data.train), settings, skip_bad=data.skip_bad),
        read(_source(data.validation), settings, skip_bad=data.skip_bad),
    )


def read_pairs(names: Sequence[str], *, skip_bad: bool = False) -> Corpus:
    """Read all pairs of one file, of two parallel files, or of an embedded part."""
    if len(names) > 2:
        raise RecipeError(f"Name one file of pairs or two parallel files, but got {len(names)}.")
    return read(_source(tuple(names)), skip_bad=skip_bad)


def _source(names: tuple[str, ...]) -> Source:
    return (Path(names[0]), Path(names[1])) if len(names) == 2 else names[0]


@dataclass(frozen=True)
class Lessons:
    """A corpus in tokens and the plan of its batches."""

    corpus: Corpus
    tokenizer: Tokenizer
    sources: Sequence[Sequence[int]]
    targets: Sequence[Sequence[int]]
    batches: Batches
    accumulate: int
    subword_dropout: float

    @classmethod
    def of(cls, corpus: Corpus, tokenizer: Tokenizer, recipe: Recipe) -> "Lessons":
        """Encode a corpus and plan its batches."""
        training, dropout = recipe.training, recipe.tokenizer.dropout
        sources = tokenizer.source.encode_batch(pair.source for pair in corpus.pairs)
        targets = tokenizer.target.encode_batch(pair.target for pair in corpus.pairs)
        # The longer side counts; one more for begin or end.
        lengths = np.array([(len(s) + 1, len(t) + 1) for s, t in zip(sources, targets, strict=True)])
        batches = Batches(lengths, tokens_per_batch=training.tokens_per_batch, seed=training.seed)
        return cls(corpus, tokenizer, sources, targets, batches, training.accumulate, dropout)

    def from_step(self, step: int) -> Iterator[tuple[int, list[Batch], list[str]]]:
        """For each step after this one: its epoch, its batches, and their names."""
        while True:
            numbers = range(step * self.accumulate, (step + 1) * self.accumulate)
            places = [divmod(number, len(self.batches)) for number in numbers]
            batches = [self.batch(epoch, number) for epoch, number in places]
            names = [f"batch {number} of epoch {epoch}" for epoch, number in places]
            yield places[0][0], batches, names
            step += 1

    def batch(self, epoch: int, number: int) -> Batch:
        """One batch of one epoch."""
        chosen = self.batches.batch(epoch, number)
        if not self.subword_dropout:
            return Batch.of([self.sources[one] for one in chosen], [self.targets[one] for one in chosen])

        def drawn(side: int, one: int) -> list[int]:
            vocabulary = (self.tokenizer.source, self.tokenizer.target)[side]
            draw = (self.batches.seed, epoch, int(one), side)
            return vocabulary.encode(self.corpus.pairs[one][side], dropout=self.subword_dropout, draw=draw)

        return Batch.of([drawn(0, one) for one in chosen], [drawn(1, one) for one in chosen])
