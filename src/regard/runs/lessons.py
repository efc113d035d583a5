"""From sentence pairs to the batches of each step: a pure function of recipe and step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int

from regard.errors import RecipeError
from regard.recipe import DataSettings, Recipe
from regard.runs.prepared_lessons import PreparedLessons
from regard.text import Batch, Batches, Corpus, Parts, ReadingSettings, Tokenizer, read, read_parts
from regard.text.prepared import Prepared, PreparedCorpus, is_prepared
from regard.text.reading import Source
from regard.training import ALONE, Processes


def read_data(data: DataSettings) -> Parts:
    """Read what to learn from and what to judge by."""
    if not data.train:
        raise RecipeError(
            "data.train is missing: name a file of sentence pairs, two parallel files, or embedded:en-fr."
        )
    settings = reading_settings(data)
    if len(data.train) == 1 and is_prepared(data.train[0]):
        prepared = Prepared(data.train[0])
        if not data.validation:
            return Parts(prepared.corpus, prepared.validation)
        return Parts(prepared.corpus, read(source_of(data.validation), settings, skip_bad=data.skip_bad))
    if not data.validation:
        return read_parts(
            source_of(data.train), settings, skip_bad=data.skip_bad, share=data.validation_share
        )
    return Parts(
        read(source_of(data.train), settings, skip_bad=data.skip_bad),
        read(source_of(data.validation), settings, skip_bad=data.skip_bad),
    )


def divides(data: DataSettings) -> bool:
    """Whether the pairs to judge by are taken out of those to learn from.

    >>> divides(DataSettings(train=("pairs.tsv",))), divides(DataSettings(train=("embedded:en-fr",)))
    (True, False)
    """
    (name, *_) = data.train
    return not (
        data.validation or is_prepared(name) or (name.startswith("embedded:") and name.count(":") == 1)
    )


def reading_settings(data: DataSettings) -> ReadingSettings:
    """Where the sentences stand, and which pairs are dropped."""
    (first, second), (source, target) = data.columns, data.keys
    return ReadingSettings(
        longest=data.longest, ratio=data.ratio, columns=(first, second), keys=(source, target)
    )


def read_pairs(names: Sequence[str], *, skip_bad: bool = False) -> Corpus:
    """Read all pairs of one file, of two parallel files, or of an embedded part."""
    if len(names) > 2:
        raise RecipeError(f"Name one file of pairs or two parallel files, but got {len(names)}.")
    return read(source_of(tuple(names)), skip_bad=skip_bad)


def source_of(names: tuple[str, ...]) -> Source:
    """One file, or two parallel files, as they are read."""
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
        assert training.tokens_per_batch is not None
        sources = tokenizer.source.encode_batch(pair.source for pair in corpus.pairs)
        targets = tokenizer.target.encode_batch(pair.target for pair in corpus.pairs)
        # The longer side counts; one more for begin or end.
        lengths = np.array([(len(s) + 1, len(t) + 1) for s, t in zip(sources, targets, strict=True)])
        batches = Batches(lengths, tokens_per_batch=training.tokens_per_batch, seed=training.seed)
        return cls(corpus, tokenizer, sources, targets, batches, training.accumulate, dropout)

    @property
    def batches_per_epoch(self) -> int:
        """How many batches show every pair once."""
        return len(self.batches)

    @property
    def longest_sentence(self) -> int:
        """How many tokens of a source the model is well acquainted with."""
        return well_known_length(self.batches.lengths[:, 0])

    def from_step(
        self, step: int, processes: Processes = ALONE
    ) -> Iterator[tuple[int, list[Batch], list[str]]]:
        """For each step after this one: its epoch, this process's share of its batches, and their names."""
        while True:
            numbers = range(step * self.accumulate, (step + 1) * self.accumulate)
            places = [divmod(number, len(self.batches)) for number in numbers]
            batches = [self.batch(epoch, number, processes) for epoch, number in places]
            names = [f"batch {number} of epoch {epoch}" for epoch, number in places]
            yield places[0][0], batches, names
            step += 1

    def batch(self, epoch: int, number: int, processes: Processes = ALONE) -> Batch:
        """One batch of one epoch, or the share of one process."""
        chosen = self.batches.batch(epoch, number, rank=processes.rank, world=processes.world)
        if not self.subword_dropout:
            return Batch.of([self.sources[one] for one in chosen], [self.targets[one] for one in chosen])

        def drawn(side: int, one: int) -> list[int]:
            vocabulary = (self.tokenizer.source, self.tokenizer.target)[side]
            draw = (self.batches.seed, epoch, int(one), side)
            return vocabulary.encode(self.corpus.pairs[one][side], dropout=self.subword_dropout, draw=draw)

        return Batch.of([drawn(0, one) for one in chosen], [drawn(1, one) for one in chosen])


def lessons_of(corpus: Corpus, tokenizer: Tokenizer, recipe: Recipe) -> Lessons | PreparedLessons:
    """The lessons of a corpus in memory or on disk."""
    if isinstance(corpus, PreparedCorpus):
        return PreparedLessons(corpus.prepared, recipe)
    return Lessons.of(corpus, tokenizer, recipe)


def well_known_length(lengths: Int[np.ndarray, " pairs"]) -> int:
    """The length, without the end, that but one sentence in a thousand exceeds; at least 8.

    >>> well_known_length(np.array([5] * 500 + [31] * 499 + [700]))
    30
    """
    return max(8, int(np.quantile(lengths, 0.999, method="lower")) - 1)
