"""Numbers and words as people write them: on the command line, in TOML, in CSV."""

import csv
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from regard.cli.files import read
from regard.cli.question import Question
from regard.errors import DataError

ROWS = ("vectors", "keys", "values")
WORDS = ("words", "key_words")
KINDS: dict[str, tuple[type, str]] = {
    "score": (str, "a word"),
    "mask": (str, "a word"),
    "scale": (bool, "true or false"),
}
SUFFIXES = (".toml", ".csv")


def read_rows(text: str, name: str) -> list[list[float]]:
    """Vectors parted by ``;`` or lines, their numbers by commas or spaces.

    >>> read_rows("1,3,2; 1,1,3", "--vectors")
    [[1.0, 3.0, 2.0], [1.0, 1.0, 3.0]]
    """
    lines = [line.replace(",", " ").split() for line in text.replace("\n", ";").split(";")]
    return check_rows([line for line in lines if line], name)


def read_counts(text: str, name: str) -> list[int]:
    """Whole numbers parted by commas or spaces.

    >>> read_counts("2, 3", "--lengths")
    [2, 3]
    """
    return check_counts(text.replace(",", " ").split(), name)


def read_options(said: Mapping[str, Any]) -> dict[str, Any]:
    """Options as they stand on the command line, by the names of a :class:`Question`."""
    return {name: _option(name, value) for name, value in said.items()}


def _option(name: str, value: Any) -> Any:
    option = f"--{name.replace('_', '-')}"
    if name in ROWS:
        return read_rows(value, option)
    if name == "lengths":
        return read_counts(value, option)
    if name not in WORDS:
        return value
    if not value.split():
        raise DataError(f"{option} holds no words.")
    return value.split()


def read_file(path: Path) -> Question:
    """The question that a TOML or CSV file puts."""
    if path.suffix not in SUFFIXES:
        raise DataError(f"{path} cannot be read: its name must end in {' or '.join(SUFFIXES)}.")
    return _from_toml(path) if path.suffix == ".toml" else _from_csv(path)


def check_rows(rows: Sequence[Sequence[object]], name: str) -> list[list[float]]:
    """Rows of numbers, each as long as the first."""
    if not rows or not rows[0]:
        raise DataError(f'There are no numbers in {name}: write them as "1,3,2; 1,1,3".')
    checked = []
    for place, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise DataError(
                f"{name} must be rows of one length, but row 1 is {len(rows[0])} long and row {place} is "
                f"{len(row)}."
            )
        checked.append([_number(cell, f"{name}, row {place}") for cell in row])
    return checked


def check_counts(counts: Sequence[object], name: str) -> list[int]:
    """Whole numbers of 0 or more."""
    for count in counts:
        if not str(count).isdecimal():
            raise DataError(f"{name} must be whole numbers of 0 or more, but one is {count!r}.")
    if not counts:
        raise DataError(f"{name} must be one count, or one for each query, but there is none.")
    return [int(str(count)) for count in counts]


def _number(cell: object, where: str) -> float:
    try:
        number = math.nan if isinstance(cell, bool) else float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"{where}: {cell!r} is not a number.")
    return number


def _from_csv(path: Path) -> Question:
    """A row for each vector; its first cell is a word unless every first cell is a number."""
    lines = [line for line in csv.reader(read(path).splitlines()) if any(cell.strip() for cell in line)]
    named = any(not _is_number(line[0]) for line in lines)
    words = [line[0].strip() for line in lines] if named else None
    return Question(words=words, vectors=check_rows([line[named:] for line in lines], str(path)))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _from_toml(path: Path) -> Question:
    try:
        table = tomllib.loads(read(path))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path} is not TOML: {error}.") from error
    return Question(**{name: _setting(path, name, value) for name, value in table.items()})


def _setting(path: Path, name: str, value: Any) -> Any:
    known = [each.name for each in fields(Question)]
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(known)}."
        raise DataError(f"{path} holds the unknown key {name!r}. {hint}")
    where = f"{name} of {path}"
    if name in ROWS:
        if not _is_list_of(value, list):
            raise DataError(f"{where} must be a list of lists of numbers.")
        return check_rows(value, where)
    if name in WORDS:
        words = value.split() if isinstance(value, str) else value
        if not _is_list_of(words, str):
            raise DataError(f"{where} must be a list of words.")
        return words
    if name == "lengths":
        return check_counts(value if isinstance(value, list) else [value], where)
    if name == "bandwidth":
        return _number(value, where)
    kind, spelled = KINDS[name]
    if not isinstance(value, kind):
        raise DataError(f"{where} must be {spelled}, but got {value!r}.")
    return value


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, kind) for each in value)
