"""Pairs to align, and the gold they are compared with."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from regard.cli.files import read
from regard.errors import DataError
from regard.text import AlignedPair, Pair, ReadingSettings, embedded, stream
from regard.translation import Links, PlainPair, SpacedPair, read_pharaoh
from regard.translation.crossing import InWords
from regard.wording import counted

EVERY = ReadingSettings(longest=None, ratio=None)
Gold = tuple[Links, Links]
"""The sure links of a pair, and the possible ones."""


def read_to_align(data: Sequence[str], *, skip_bad: bool, spaced: bool = False) -> Iterator[InWords | None]:
    """Every pair in order; None for a line that cannot be read, if such are to be skipped.

    Where ``spaced``, words are what white space parts, in Chinese too.
    """
    if (corpus := _embedded(data)) is not None:
        yield from corpus
        return
    if len(data) > 2:
        raise DataError(f"Name one file of pairs or two parallel files, but got {len(data)}.")
    source = (Path(data[0]), Path(data[1])) if len(data) == 2 else data[0]
    for item in stream(source, EVERY):
        if isinstance(item, Pair):
            yield (SpacedPair if spaced else PlainPair)(item.source, item.target)
        elif skip_bad:
            yield from [None] * item.lines
        else:
            raise DataError(f"{item} (--skip-bad leaves an empty line for such lines.)")


def held_back(data: Sequence[str]) -> Sequence[AlignedPair]:
    """Pairs with gold that are not among those to align: the validation part of an embedded corpus."""
    if _embedded(data) is None or data[0].endswith(":validation"):
        return ()
    return embedded(data[0].split(":")[1]).validation


def with_gold(pairs: Sequence[InWords]) -> Sequence[AlignedPair]:
    """Those of the pairs that bring gold links."""
    return [pair for pair in pairs if isinstance(pair, AlignedPair)]


def gold_of(path: Path | None, pairs: Sequence[InWords | None]) -> list[Gold] | None:
    """The gold links of each pair: those of a file, or those an embedded corpus brings; None without."""
    if path is None:
        known = [(each.sure, each.possible) for each in pairs if isinstance(each, AlignedPair)]
        return known if known and len(known) == len(pairs) else None
    lines = read(path).split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    if len(lines) != len(pairs):
        raise DataError(
            f"{path} has {counted(len(lines), 'line')}, but there are {counted(len(pairs), 'pair')} to align."
        )
    return [_checked(path, number, *each) for number, each in enumerate(zip(lines, pairs, strict=True), 1)]


def _checked(path: Path, number: int, line: str, pair: InWords | None) -> Gold:
    try:
        sure, possible = read_pharaoh(line)
    except DataError as error:
        raise DataError(f"{path}, line {number}: {error}") from None
    if pair is not None:
        words = len(pair.source_words), len(pair.target_words)
        both = f"{counted(words[0], 'source word')} and {counted(words[1], 'target word')}"
        for link in sorted(possible):
            if link[0] >= words[0] or link[1] >= words[1]:
                raise DataError(
                    f"{path}, line {number}: {link[0]}-{link[1]} counts from 0, but the pair has {both}."
                )
    return sure, possible


def _embedded(data: Sequence[str]) -> Sequence[AlignedPair] | None:
    if len(data) != 1 or not data[0].startswith("embedded:"):
        return None
    _, languages, part, *_ = [*data[0].split(":"), "train"]
    if part not in ("train", "validation", "test"):
        raise DataError(f"{data[0]} must end in :train, :validation or :test, or in none of them.")
    found: Sequence[AlignedPair] = getattr(embedded(languages), part)
    return found
