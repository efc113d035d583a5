"""What a grammar yields: a sentence, its translation, and which word stands for which."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b


@dataclass(frozen=True, kw_only=True)
class AlignedPair:
    """A sentence and its translation with gold word alignments.

    ``sure`` links (i, j) join source word i to the target word j that stands for it;
    ``possible`` links may be left out or drawn without being wrong, as both words of
    *of the* to *du*. Sure links are possible too, so ``possible`` holds them all.
    """

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]
    combination: str | None
    """The content words that meet here, in order. Pairs that share it are split together,
    so that a test sentence is a new combination; None keeps a fixed phrase in training."""
    target_separator: str = " "

    @property
    def source(self) -> str:
        """The source sentence as text."""
        return " ".join(self.source_words)

    @property
    def target(self) -> str:
        """The target sentence as text."""
        return self.target_separator.join(self.target_words)


@dataclass(frozen=True, kw_only=True)
class EmbeddedCorpus:
    """The pairs of one grammar in a fixed split; no combination stands in two parts."""

    train: tuple[AlignedPair, ...]
    validation: tuple[AlignedPair, ...]
    test: tuple[AlignedPair, ...]


def split(pairs: Iterable[AlignedPair]) -> EmbeddedCorpus:
    """Divide pairs by a hash of their combination: 92% train, 4% validation, 4% test.

    The hash depends on nothing but the words, so the split never changes.
    """
    parts: dict[str, list[AlignedPair]] = {"train": [], "validation": [], "test": []}
    for pair in pairs:
        parts[_part_of(pair.combination)].append(pair)
    return EmbeddedCorpus(**{name: tuple(members) for name, members in parts.items()})


def _part_of(combination: str | None) -> str:
    if combination is None:
        return "train"
    drawn = int.from_bytes(blake2b(combination.encode(), digest_size=4).digest(), "big") % 100
    return "test" if drawn < 4 else "validation" if drawn < 8 else "train"
