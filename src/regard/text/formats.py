"""How files hold sentence pairs: tab-separated, parallel, JSON lines.

Each format yields, line by line, a row of two sentences in bytes, or the :class:`Fault` of the line.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from regard.text.lines import LONGEST_LINE, Line, lines_of
from regard.wording import counted

OVER_LONG, UNEQUAL = "over-long", "unequal"

_LOOKS_LIKE = {
    b"\xff\xfe": "It looks like UTF-16: save the file as UTF-8.",
    b"\xfe\xff": "It looks like UTF-16: save the file as UTF-8.",
    b"\x1f\x8b": "It looks like gzip: let the file's name end in .gz.",
    b"\xfd7": "It looks like xz: let the file's name end in .xz.",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that gives no pair: where it is, why, and the mend.

    Lines count from 1; ``byte`` counts from 0 and is the place in the unpacked file.
    """

    file: str
    line: int
    byte: int
    reason: str
    what: str
    lines: int = 1
    """How many lines are at fault: those without a partner are told together."""

    @property
    def is_bad(self) -> bool:
        """Whether the file is at fault; if not, the pair is dropped by the length rule."""
        return self.reason not in (OVER_LONG, UNEQUAL)

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}, byte {self.byte}: {self.what}"


class Cell(NamedTuple):
    """The bytes of one sentence and where they stand."""

    file: str
    line: int
    byte: int
    data: bytes

    def text(self) -> str | Fault:
        """The sentence, or why it is none."""
        try:
            text = self.data.decode()
        except UnicodeDecodeError as error:
            return self._fault("invalid UTF-8", error.start, self._undecodable(error.start))
        if is_sentence(text):
            return text
        if "\0" in text:
            return self._fault("NUL", self.data.index(b"\0"), "a NUL, which no sentence holds. Take it out.")
        return self._fault("empty side", 0, "an empty sentence. Write it, or take the pair out.")

    def _fault(self, reason: str, byte: int, what: str) -> Fault:
        return Fault(self.file, self.line, self.byte + byte, reason, what)

    def _undecodable(self, place: int) -> str:
        mend = "Save the file as UTF-8, or mend the line."
        if self.line == 1 and place == self.byte == 0:
            mend = _LOOKS_LIKE.get(self.data[:2], mend)
        elif self.line == 1 and self.data.startswith(b"\x1f\x8b"):
            mend = _LOOKS_LIKE[b"\x1f\x8b"]
        return f"0x{self.data[place]:02X} is not UTF-8 here. {mend}"


Cells = tuple[Cell, Cell]
Row = tuple[bytes, bytes, Callable[[], Cells]]
"""Source and target; and where they stand, which is reckoned only where something is wrong."""


def is_sentence(text: str) -> bool:
    """Whether there is something to read, and no NUL."""
    return bool(text) and not text.isspace() and "\0" not in text


def tab_separated(path: str | Path, columns: tuple[int, int]) -> Iterator[Row | Fault]:
    """Columns between tabs: the first good line sets how many, and every line must agree."""
    file, needed, expected = str(path), max(columns), 0
    first, second = columns[0] - 1, columns[1] - 1
    for line in _sound_lines(path):
        if isinstance(line, Fault):
            yield line
            continue
        cells = line.data.split(b"\t")
        count = len(cells)
        if count >= needed:
            expected = expected or count
        if count == expected:
            yield cells[first], cells[second], partial(_columns, file, line, cells, columns)
        elif isinstance(fault := Cell(file, line.number, line.byte, line.data).text(), Fault):
            yield fault  # what is no text at all has no columns to count
        elif count < needed:
            what = f"{count} of {needed} columns. Put a tab between source and target."
            yield Fault(file, line.number, line.byte, "missing tab", what)
        else:
            what = f"{count} columns where lines before have {expected}. Take out the stray tab."
            yield Fault(file, line.number, line.byte, "uneven columns", what)


def parallel(source: str | Path, target: str | Path) -> Iterator[Row | Fault]:
    """Two files: the same line of each makes a pair."""
    end = next((line.end for line in lines_of(source)), b"")
    lines = zip_longest(_sound_lines(source, end), _sound_lines(target, end))
    for left, right in lines:
        if left is None or right is None:
            longer, shorter, line = (target, source, right) if left is None else (source, target, left)
            yield _without_partner(str(longer), str(shorter), line, 1 + sum(1 for _ in lines))
        elif isinstance(left, Fault):
            yield left
        elif isinstance(right, Fault):
            yield right
        else:
            yield left.data, right.data, partial(_lines, (str(source), left), (str(target), right))


def json_lines(path: str | Path, keys: tuple[str, str]) -> Iterator[Row | Fault]:
    """An object a line, with the two strings under ``keys`` or within its ``translation``."""
    file = str(path)
    for line in _sound_lines(path):
        if isinstance(line, Fault):
            yield line
        elif isinstance(text := Cell(file, line.number, line.byte, line.data).text(), Fault):
            yield text
        else:
            found = _from_object(file, line, text, keys)
            yield found if isinstance(found, Fault) else row_of(*found)


def row_of(source: Cell, target: Cell) -> Row:
    """A row of cells."""
    return source.data, target.data, lambda: (source, target)


def _columns(file: str, line: Line, cells: list[bytes], columns: tuple[int, int]) -> Cells:
    def cell(column: int) -> Cell:
        before = cells[: column - 1]
        return Cell(file, line.number, line.byte + sum(map(len, before)) + len(before), cells[column - 1])

    return cell(columns[0]), cell(columns[1])


def _lines(*places: tuple[str, Line]) -> Cells:
    source, target = (Cell(file, line.number, line.byte, line.data) for file, line in places)
    return source, target


def _from_object(file: str, line: Line, text: str, keys: tuple[str, str]) -> Cells | Fault:
    def fault(reason: str, what: str, byte: int = 0) -> Fault:
        return Fault(file, line.number, line.byte + byte, reason, what)

    try:
        content: Any = json.loads(text)
    except json.JSONDecodeError as error:
        byte = len(text[: error.pos].encode())
        return fault("invalid JSON", "the line is not JSON here. Write one object a line.", byte)
    except (ValueError, RecursionError):
        return fault("invalid JSON", "the line is not JSON that can be read. Write one object a line.")
    if isinstance(content, dict) and isinstance(content.get("translation"), dict):
        content = content["translation"]
    sentences: list[Any] = [content.get(key) if isinstance(content, dict) else None for key in keys]
    if not all(isinstance(sentence, str) for sentence in sentences):
        wanted = " and ".join(f'"{key}"' for key in keys)
        return fault(
            "missing key", f"no object with a string under each of {wanted}. Name the keys, or add them."
        )
    if any("\n" in sentence for sentence in sentences):
        return fault("line break", "a sentence holds a line feed. Write a space instead.")
    try:
        first, second = (Cell(file, line.number, line.byte, sentence.encode()) for sentence in sentences)
    except UnicodeEncodeError:
        return fault(
            "lone surrogate", "a sentence holds a lone surrogate, which is not valid Unicode. Take it out."
        )
    return first, second


def _sound_lines(path: str | Path, end: bytes = b"") -> Iterator[Line | Fault]:
    """Lines that end alike, as the first does unless ``end`` says how, and are not endless."""
    file = str(path)
    for line in lines_of(path):
        end = end or line.end
        if line.is_cut:
            what = f"a line of more than {LONGEST_LINE} bytes. Break it into sentences."
            yield Fault(file, line.number, line.byte, "endless line", what)
        elif line.end and line.end != end:
            what = (
                f"the line ends in {_named(line.end)} where those before end in {_named(end)}. "
                f"End all lines in one way."
            )
            yield Fault(file, line.number, line.byte + len(line.data), "mixed line ends", what)
        else:
            yield line


def _named(end: bytes) -> str:
    return "\\r\\n" if end == b"\r\n" else "\\n"


def _without_partner(longer: str, shorter: str, line: Line | Fault | None, lines: int) -> Fault:
    assert line is not None
    number = line.line if isinstance(line, Fault) else line.number
    what = (
        f"{longer} has {counted(number + lines - 1, 'line')} but {shorter} has {number - 1}, "
        f"so this line has no partner. Find where a line was lost or added."
    )
    return Fault(longer, number, line.byte, "no partner", what, lines)
