"""Sentence pairs, what was dropped on the way, and their division into two parts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b, sha256
from typing import NamedTuple

from regard.errors import DataError, RecipeError
from regard.wording import counted

_PARTING = frozenset("\t\n\r\ufeff")
"""What a line of a tab-separated file cannot hold, or would lose."""

MOST_VALIDATION_PAIRS, MOST_VALIDATION_SHARE = 1_000, 0.1


class Pair(NamedTuple):
    """A sentence and its translation."""

    source: str
    target: str


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How many pairs were kept, and how many lines were dropped for which reason.

    >>> print(Reading(kept=7_900, dropped={"over-long": 1, "unequal": 99}))
    kept 7,900 of 8,000 pairs; dropped 99 unequal, 1 over-long
    """

    kept: int
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def reasons(self) -> str:
        """How many lines were dropped for which reason, the most frequent first; nothing if none was."""
        by_number = sorted(self.dropped.items(), key=lambda item: (-item[1], item[0]))
        return ", ".join(f"{number:,} {reason}" for reason, number in by_number)

    def __str__(self) -> str:
        total, reasons = self.kept + sum(self.dropped.values()), self.reasons
        return f"kept {self.kept:,} of {counted(total, 'pair')}" + (f"; dropped {reasons}" if reasons else "")


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Sentence pairs in the order they were read, and the report of their reading."""

    pairs: tuple[Pair, ...]
    reading: Reading

    @cached_property
    def sha256(self) -> str:
        r"""The hash of the pairs: each sentence in UTF-8, ended by "\n", source before target.

        It does not depend on the kind of file the pairs were read from.

        >>> Corpus(pairs=(Pair("a", "b"),), reading=Reading(kept=1)).sha256[:16]
        '911169ddaaf146af'
        """
        digest = sha256()
        for source, target in self.pairs:
            digest.update(f"{source}\n{target}\n".encode())
        return digest.hexdigest()

    def written(self) -> tuple[str, bytes]:
        r"""The pairs as a file that reads back the same, and how its name must end.

        Tab-separated where no sentence holds what parts or ends a line, else JSON lines.

        >>> Corpus(pairs=(Pair("a", "b"),), reading=Reading(kept=1)).written()
        ('.tsv', b'a\tb\n')
        >>> Corpus(pairs=(Pair("a\tb", "c"),), reading=Reading(kept=1)).written()
        ('.jsonl', b'{"source": "a\\tb", "target": "c"}\n')
        """
        if _PARTING.isdisjoint(character for pair in self.pairs for side in pair for character in side):
            return ".tsv", "".join(f"{source}\t{target}\n" for source, target in self.pairs).encode()
        lines = (json.dumps(pair._asdict(), ensure_ascii=False) + "\n" for pair in self.pairs)
        return ".jsonl", "".join(lines).encode()

    def split(self, *, share: float | None = None) -> "Parts":
        """Set aside for validation the pairs whose source draws a number below ``share``.

        All pairs of one source sentence go the same way, so nothing learned is asked again. The
        share is one tenth or 1,000 pairs, whichever is less. No part is empty: if none draws below,
        the lowest goes to validation; if all do, the highest stays in training. What was dropped in
        reading is told by the training part.

        >>> pairs = tuple(Pair(f"sentence {number}", "x") for number in range(1_000))
        >>> train, validation = Corpus(pairs=pairs, reading=Reading(kept=1_000)).split()
        >>> len(train.pairs), len(validation.pairs)
        (901, 99)
        """
        if share is None:
            share = min(MOST_VALIDATION_SHARE, MOST_VALIDATION_PAIRS / max(1, len(self.pairs)))
        if not 0 < share < 1:
            raise RecipeError(f"the validation share must lie between 0 and 1, but got {share}.")
        draws = [drawn(source) for source, _ in self.pairs]
        lowest, highest = min(draws, default=0.0), max(draws, default=0.0)
        if lowest == highest:
            raise DataError(
                f"the {counted(len(draws), 'pair holds', 'pairs hold')} fewer than two different source "
                "sentences, so none can be set aside for validation. Give more pairs."
            )
        kept: list[Pair] = []
        aside: list[Pair] = []
        for pair, draw in zip(self.pairs, draws, strict=True):
            is_aside = draw == lowest or (draw < share and draw != highest)
            (aside if is_aside else kept).append(pair)
        return Parts(_part(kept, self.reading.dropped), _part(aside, {}))


class Parts(NamedTuple):
    """A corpus to learn from and one to judge by."""

    train: Corpus
    validation: Corpus


def drawn(source: str) -> float:
    """A number from 0 to 1 that depends on the sentence alone.

    >>> round(drawn("the cat sleeps"), 4)
    0.842
    """
    return int.from_bytes(blake2b(source.encode(), digest_size=6).digest(), "big") / (1 << 48)


def _part(pairs: list[Pair], dropped: Mapping[str, int]) -> Corpus:
    return Corpus(pairs=tuple(pairs), reading=Reading(kept=len(pairs), dropped=dropped))
