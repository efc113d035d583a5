"""Where every head looks for every target word, of many pairs at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import watch
from regard.text import AlignedPair, Batch, Vocabulary
from regard.text.cutting import cut_words
from regard.translation.alignment import Links, reverse
from regard.translation.grouping import groups_of
from regard.translation.inference import inferring
from regard.translation.looking import Rows, whole
from regard.translation.translator import Translator
from regard.viewing.recorded import kind_of

_WINDOW = 1_000


class InWords(Protocol):
    """A pair of sentences, and the words each is made of."""

    @property
    def source(self) -> str:
        """The source sentence as text."""

    @property
    def target(self) -> str:
        """The target sentence as text."""

    @property
    def source_words(self) -> Sequence[str]:
        """The words of the source, in order."""

    @property
    def target_words(self) -> Sequence[str]:
        """The words of the target, in order."""


@dataclass(frozen=True)
class SpacedPair:
    """A pair of sentences whose words are what white space parts.

    >>> SpacedPair("i'm home .", "je suis chez moi .").source_words
    ("i'm", 'home', '.')
    """

    source: str
    target: str

    @property
    def source_words(self) -> tuple[str, ...]:
        """The words of the source."""
        return tuple(self.source.split())

    @property
    def target_words(self) -> tuple[str, ...]:
        """The words of the target."""
        return tuple(self.target.split())


@dataclass(frozen=True)
class PlainPair:
    """A pair of sentences in the words in which they are shown: Chinese by characters.

    >>> PlainPair("i'm home .", "我到家了。").target_words
    ('我', '到', '家', '了', '。')
    """

    source: str
    target: str

    @property
    def source_words(self) -> tuple[str, ...]:
        """The words of the source."""
        return cut_words(self.source)

    @property
    def target_words(self) -> tuple[str, ...]:
        """The words of the target."""
        return cut_words(self.target)


class InGold(InWords, Protocol):
    """A pair of sentences whose links are known."""

    @property
    def sure(self) -> Links:
        """The links that must be drawn."""

    @property
    def possible(self) -> Links:
        """The links that may be drawn."""


@dataclass(frozen=True)
class TurnedPair:
    """A pair seen from the other side, and its links where they are known."""

    source: str
    target: str
    source_words: Sequence[str]
    target_words: Sequence[str]
    sure: Links = frozenset()
    possible: Links = frozenset()


def turned(pair: InWords) -> TurnedPair:
    """The same pair, with the target for its source.

    >>> turned(SpacedPair("i'm home .", "je suis chez moi .")).target_words
    ("i'm", 'home', '.')
    """
    known = (pair.sure, pair.possible) if isinstance(pair, AlignedPair) else (frozenset(), frozenset())
    sides = pair.target, pair.source, pair.target_words, pair.source_words
    return TurnedPair(*sides, *map(reverse, known))


@dataclass(frozen=True)
class Crossing:
    """The cross-attention of one pair in words, without ``<begin>`` and ``<end>``.

    Of a word cut into pieces the rows are averaged and the columns summed. What a row gives to
    ``<end>`` is left out, so that rows sum to one or less.
    """

    by_rows: Mapping[Rows, Mapping[str, Float[Tensor, "heads target source"]]]

    def of(self, name: str, head: int, rows: Rows) -> Float[Tensor, "target source"]:
        """One head, by the word its rows produce or by the word they read."""
        return self.by_rows[rows][name][head]


def cross(translator: Translator, pairs: Iterable[InWords]) -> Iterator[Crossing]:
    """Look at many pairs, in order; those of like length are computed together."""
    waiting = iter(pairs)
    while window := [*islice(waiting, _WINDOW)]:
        yield from _cross_window(translator, window)


def _cross_window(translator: Translator, pairs: Sequence[InWords]) -> list[Crossing]:
    source_side, target_side = translator.tokenizer.source, translator.tokenizer.target
    sources = source_side.encode_batch(pair.source.strip() for pair in pairs)
    targets = target_side.encode_batch(pair.target.strip() for pair in pairs)
    longer = [max(len(source), len(target)) + 1 for source, target in zip(sources, targets, strict=True)]
    found: dict[int, Crossing] = {}
    for group in groups_of(longer, tokens=translator.tokens_per_batch):
        batch = Batch.of([sources[place] for place in group], [targets[place] for place in group])
        with inferring(translator.model) as device, watch(translator.model) as seen:
            batch = batch.to(device)
            translator.model(batch.source, batch.target_in, batch.source_lengths)
            weights = {
                name: record.weights.float().cpu()
                for name, record in whole(seen).items()
                if kind_of(name) == "cross"
            }
        for row, place in enumerate(group):
            pair = pairs[place]
            columns = _of_words(source_side, pair.source, sources[place], pair.source_words)
            rows = _of_words(target_side, pair.target, targets[place], pair.target_words)
            found[place] = _in_words({name: each[row] for name, each in weights.items()}, rows, columns)
    return [found[place] for place in range(len(pairs))]


def _in_words(
    weights: Mapping[str, Float[Tensor, "heads produced keys"]],
    rows: Float[Tensor, "target_words target"],
    columns: Float[Tensor, "source_words source"],
) -> Crossing:
    averaged = rows / rows.sum(dim=-1, keepdim=True).clamp_min(1)
    target, source = rows.shape[1], columns.shape[1]
    return Crossing(
        {
            # A token is read one row after the row that produces it.
            "produced": {n: averaged @ w[:, :target, :source] @ columns.T for n, w in weights.items()},
            "read": {n: averaged @ w[:, 1 : target + 1, :source] @ columns.T for n, w in weights.items()},
        }
    )


def _of_words(
    vocabulary: Vocabulary, text: str, tokens: Sequence[int], words: Sequence[str]
) -> Float[Tensor, "words tokens"]:
    """Which tokens spell which word: a token may spell two, and white space goes with the word after it."""
    spelled = torch.zeros(len(words), len(tokens))
    if not words:
        return spelled
    text = text.strip()
    starts: list[int] = []
    stops: list[int] = []
    for word in words:
        starts.append(text.index(word, stops[-1] if stops else 0))
        stops.append(starts[-1] + len(word))
    number = 0
    for token, (start, end) in enumerate(vocabulary.spans(tokens)):
        while number + 1 < len(words) and stops[number] <= start:
            number += 1
        for other in range(number, len(words)):
            if other > number and starts[other] >= end:
                break
            spelled[other, token] = 1.0
    return spelled
