"""Sentence pairs from files, checked line by line before anything is learned from them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.errors import DataError, RecipeError
from regard.text.corpus import Corpus, Pair, Parts, Reading
from regard.text.formats import (
    OVER_LONG,
    UNEQUAL,
    Cell,
    Cells,
    Fault,
    Row,
    is_sentence,
    json_lines,
    parallel,
    row_of,
    tab_separated,
)
from regard.text.lines import format_of
from regard.wording import counted

Source = str | Path | Sequence[str | Path]
"""A file, two parallel files, or ``"embedded:en-fr"``."""


@dataclass(frozen=True, kw_only=True)
class ReadingSettings:
    """Where the sentences stand in a file, and which pairs are too long or unequal to learn from.

    A pair is *over-long* if a side takes more than ``longest`` bytes of UTF-8, and *unequal* if its
    longer side takes more than ``slack`` bytes plus ``ratio`` times the shorter. Bytes, because a
    Chinese character takes three and says as much as several letters. None drops nothing.

    >>> default = ReadingSettings()
    >>> default.verdict(60, 60), default.verdict(3, 56), default.verdict(60, 3_000)
    (None, 'unequal', 'over-long')
    """

    longest: int | None = 2_000
    ratio: float | None = 5.0
    slack: int = 40
    columns: tuple[int, int] = (1, 2)
    keys: tuple[str, str] = ("source", "target")

    def __post_init__(self) -> None:
        if self.longest is not None and self.longest < 1:
            raise RecipeError(f"longest must be at least 1, but got {self.longest}.")
        if self.ratio is not None and self.ratio < 1:
            raise RecipeError(f"ratio must be at least 1, but got {self.ratio}.")
        if min(self.columns) < 1:
            raise RecipeError(f"columns count from 1, but got {self.columns[0]} and {self.columns[1]}.")

    def verdict(self, source_bytes: int, target_bytes: int) -> str | None:
        """Why a pair of such lengths is dropped; None if it is kept."""
        shorter, longer = min(source_bytes, target_bytes), max(source_bytes, target_bytes)
        if self.longest is not None and longer > self.longest:
            return OVER_LONG
        if self.ratio is not None and longer > self.slack + self.ratio * shorter:
            return UNEQUAL
        return None


DEFAULT = ReadingSettings()


def stream(source: Source, settings: ReadingSettings = DEFAULT) -> Iterator[Pair | Fault]:
    r"""Yield a pair for each good line and a fault for each other, holding one line at a time.

    A source is

    - a file of tab-separated columns: ``columns`` says which hold source and target, counting from
      1. The first good line sets how many there are, and every line must have as many;
    - two parallel files in a tuple or list: the same line of each makes a pair;
    - a file of JSON lines (``.jsonl``, ``.ndjson``, ``.json``): ``keys`` names two strings in each
      object, or in the object under its ``"translation"``; other keys are ignored;
    - ``"embedded:en-fr"`` or ``"embedded:en-zh"``, with ``:validation`` or ``:test`` for those parts.

    Files may end in ``.gz`` or ``.xz``. Text is strict UTF-8, kept as it stands, and a line ends at
    "\n" alone: U+0085, U+2028 and a carriage return within a line are text. Where all lines of a
    source end in "\r\n", that is read as "\n"; to mix the two is a fault. A byte order mark at the
    start of a file is dropped. A sentence is neither empty nor blank and holds no NUL.
    """
    for row in _rows(source, settings):
        yield row if isinstance(row, Fault) else _pair(*row, settings)


def read(source: Source, settings: ReadingSettings = DEFAULT, *, skip_bad: bool = False) -> Corpus:
    """Read all pairs of a source, as :func:`stream` tells, into memory.

    The first bad line is refused; ``skip_bad`` drops and counts bad lines instead.
    """
    pairs: list[Pair] = []
    dropped: Counter[str] = Counter()
    for item in stream(source, settings):
        if isinstance(item, Pair):
            pairs.append(item)
        elif item.is_bad and not skip_bad:
            raise DataError(f"{item} (--skip-bad, or skip_bad=True, drops such lines.)")
        else:
            dropped[item.reason] += item.lines
    reading = Reading(kept=len(pairs), dropped=dict(dropped))
    if not pairs:
        files = source if isinstance(source, str | Path) else " and ".join(map(str, source))
        raise DataError(f"there is no sentence pair in {files}: {reading}.")
    return Corpus(pairs=tuple(pairs), reading=reading)


def read_parts(
    source: Source,
    settings: ReadingSettings = DEFAULT,
    *,
    skip_bad: bool = False,
    share: float | None = None,
) -> Parts:
    """Read a source and set a share of its pairs aside for validation.

    The embedded corpora bring their own division; others are divided by :meth:`Corpus.split`.
    """
    if _is_embedded(source) and str(source).count(":") == 1:
        return Parts(*(read(f"{source}:{part}", settings) for part in Parts._fields))
    return read(source, settings, skip_bad=skip_bad).split(share=share)


def _rows(source: Source, settings: ReadingSettings) -> Iterator[Row | Fault]:
    if not isinstance(source, str | Path):
        if len(source) != 2:
            raise RecipeError(
                f"a source is one file or two parallel files, but got {counted(len(source), 'file')}."
            )
        return parallel(*source)
    if _is_embedded(source):
        return _embedded(str(source))
    if format_of(source) in (".jsonl", ".ndjson", ".json"):
        return json_lines(source, settings.keys)
    return tab_separated(source, settings.columns)


def _is_embedded(source: Source) -> bool:
    return isinstance(source, str) and source.startswith("embedded:")


def _embedded(source: str) -> Iterator[Row]:
    from regard.text.embedded import embedded  # generates a grammar: only when asked for

    _, languages, part, *_ = [*source.split(":"), "train"]
    if part not in ("train", "validation", "test"):
        raise DataError(f"{source} must end in :train, :validation or :test, or in none of them.")
    for number, pair in enumerate(getattr(embedded(languages), part), start=1):
        yield row_of(
            Cell(source, number, 0, pair.source.encode()), Cell(source, number, 0, pair.target.encode())
        )


def _pair(
    source: bytes, target: bytes, cells: Callable[[], Cells], settings: ReadingSettings
) -> Pair | Fault:
    try:
        pair = Pair(source.decode(), target.decode())
    except UnicodeDecodeError:
        return _fault(*cells(), settings)
    is_good = is_sentence(pair.source) and is_sentence(pair.target)
    if is_good and settings.verdict(len(source), len(target)) is None:
        return pair
    return _fault(*cells(), settings)


def _fault(source: Cell, target: Cell, settings: ReadingSettings) -> Fault:
    """What is wrong with a pair that is not taken, and where."""
    for cell in (source, target):
        if isinstance(fault := cell.text(), Fault):
            return fault
    source_bytes, target_bytes = len(source.data), len(target.data)
    reason = settings.verdict(source_bytes, target_bytes)
    assert reason is not None
    what = f"{reason}, with {counted(source_bytes, 'byte')} of source and {target_bytes} of target."
    return Fault(source.file, source.line, source.byte, reason, what)
