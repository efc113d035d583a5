"""One teacher-forced pass, watched."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention import Record, Seen, watch
from regard.errors import DataError
from regard.models import TranslationModel
from regard.text import END, Batch, Vocabulary
from regard.translation.inference import inferring
from regard.viewing import AttentionMaps
from regard.viewing.words import Words

Rows = Literal["produced", "read"]
"""Whether a row of a decoder is named after the token it produces, or the one it reads."""


@dataclass(frozen=True)
class _Calls:
    """An attention called once for each step, as if it had been called once."""

    calls: tuple[Record, ...]

    @property
    def weights(self) -> Float[Tensor, "batch heads queries keys"]:
        return torch.cat([call.weights for call in self.calls], dim=-2)

    @property
    def keep(self) -> Bool[Tensor, "batch heads queries keys"]:
        return torch.cat([call.keep for call in self.calls], dim=-2)

    @property
    def scores(self) -> Float[Tensor, "batch heads queries keys"]:
        return torch.cat([call.scores for call in self.calls], dim=-2)

    @property
    def queries(self) -> Float[Tensor, "batch heads queries query_width"]:
        return torch.cat([call.queries for call in self.calls], dim=-2)

    @property
    def keys(self) -> Float[Tensor, "batch heads keys key_width"]:
        return self.calls[-1].keys

    @property
    def values(self) -> Float[Tensor, "batch heads keys value_width"]:
        return self.calls[-1].values


def maps_of(
    model: TranslationModel[Any],
    source: Sequence[int],
    target: Sequence[int],
    *,
    source_pieces: Sequence[str],
    target_pieces: Sequence[str],
    rows: Rows,
) -> AttentionMaps:
    """Every attention of the model, of a pair of sentences of tokens; the pieces have ``<end>``."""
    with watched(model, source, target) as seen:
        return AttentionMaps.of(seen, source=source_pieces, target=target_pieces, rows=rows)


@contextmanager
def watched(
    model: TranslationModel[Any], source: Sequence[int], target: Sequence[int]
) -> Iterator[Mapping[str, Any]]:
    """What each attention asks and answers, of a pair of sentences of tokens; to be read inside."""
    batch = Batch.of([source], [target])
    with inferring(model) as device, watch(model) as seen:
        model(batch.source.to(device), batch.target_in.to(device))
        yield whole(seen)


def whole(seen: Seen) -> Mapping[str, Any]:
    """What was seen of each attention as one call, however many steps it took."""
    return {name: seen[name] if len(seen.calls(name)) == 1 else _Calls(seen.calls(name)) for name in seen}


def own_words(vocabulary: Vocabulary, tokens: Sequence[int]) -> Words:
    """The words of a sentence as its vocabulary cuts them, ``<end>`` last."""
    words = vocabulary.words([*tokens, END])
    return Words(tuple(word.text for word in words), tuple(tuple(word.tokens) for word in words))


def given_words(vocabulary: Vocabulary, text: str, tokens: Sequence[int], words: Sequence[str]) -> Words:
    """The words somebody else cut the text into, ``<end>`` last: a token goes with the word it ends in.

    >>> vocabulary = Vocabulary("characters")
    >>> given_words(vocabulary, "ma l'ami", vocabulary.encode("ma l'ami"), ["ma", "l'", "ami"]).groups
    ((0, 1), (2, 3, 4), (5, 6, 7), (8,))
    """
    stops, place = [], 0
    for word in words:
        start = len(text) - len(text[place:].lstrip())
        if not word or not text.startswith(word, start):
            raise DataError(
                f"the words must spell the text in order, but {word!r} does not stand at character {start} "
                f"of {text!r}."
            )
        place = start + len(word)
        stops.append(place)
    if text[place:].strip():
        raise DataError(f"the words must spell the whole text, but {text[place:].strip()!r} is left over.")
    groups: list[list[int]] = [[] for _ in words]
    number = 0
    for token, (_, end) in enumerate(vocabulary.spans(tokens)):
        while number + 1 < len(stops) and end > stops[number]:
            number += 1
        groups[number].append(token)
    for number, group in enumerate(groups):
        if not group:
            raise DataError(
                f"{words[number]!r} has no token of its own in {text!r}: it shares one with its neighbour. "
                "Join the two."
            )
    return Words((*words, "<end>"), (*map(tuple, groups), (len(tokens),)))
