"""Which pairs of Tatoeba are learned, and which are asked?

    python -m benchmarks.tatoeba en-fr fra.txt.gz --into recipes/tatoeba
    python -m benchmarks.tatoeba en-zh cmn_clean.tsv.gz --into recipes/tatoeba --record

Parts a file of manythings.org/anki into training, validation and test, always in the same way, and
prints how many pairs each part has and the sha256 of its file; ``--record`` keeps that as a line of
JSON for docs/results.md.

Many English sentences have several translations, so parting by line would ask what was learned. The
rule: two sentences are the same if their letters and digits are, whatever their capitals, spaces and
marks. A number from 0 to 1 is drawn from the hash of each English sentence (``regard.text.corpus.drawn``);
the lowest are test, the next validation, the rest training. Of validation and test only the first
translation of a sentence is kept, and none whose translation is also that of a training sentence.

French has no-break and thin spaces before its marks, here and there, as its writers had the keys: they
become plain spaces. Further columns, such as whose sentence it is, go with their pair.
"""

import argparse
import json
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from regard.errors import DataError, RegardError
from regard.text import Fault, ReadingSettings, stream
from regard.text.corpus import drawn
from regard.text.lines import lines_of

RESULTS = Path(__file__).parent / "results" / "parts.jsonl"
SHARES = {"en-fr": {"test": 0.02, "validation": 0.01}, "en-zh": {"test": 0.05, "validation": 0.03}}
"""Of the English sentences; a smaller corpus sets a larger share aside."""
PARTS = ("train", "validation", "test")
SPACES = {"\u00a0": " ", "\u202f": " ", "\u2009": " "}
EVERY = ReadingSettings(longest=None, ratio=None)
Row = list[str]
"""The columns of a line: a sentence, its translation, and whatever else it brings."""


def sameness(sentence: str) -> str:
    """What two sentences share that would be the same question.

    >>> sameness("Don't go !") == sameness("don’t go.")
    True
    >>> sameness("?!")
    '?!'
    """
    folded = unicodedata.normalize("NFKC", sentence).casefold()
    return "".join(filter(str.isalnum, folded)) or sentence


def part_of(english: str, shares: dict[str, float]) -> str:
    """Where an English sentence goes, whatever stands beside it.

    >>> part_of("Who?", {"test": 0.0, "validation": 0.0}), part_of("Who?", {"test": 1.0, "validation": 0.0})
    ('train', 'test')
    """
    number = drawn(sameness(english))
    if number < shares["test"]:
        return "test"
    return "validation" if number < shares["test"] + shares["validation"] else "train"


@dataclass
class Parted:
    """The rows of each part, and what was done on the way."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: {part: [] for part in PARTS})
    lines: int = 0
    spaces: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


def read_rows(path: Path) -> Iterator[Row]:
    """Every line in its columns; the first that is no pair is refused."""
    for item, line in zip(stream(path, EVERY), lines_of(path), strict=True):
        if isinstance(item, Fault):
            raise DataError(str(item))
        yield line.data.decode().split("\t")


def parted(rows: Iterator[Row], shares: dict[str, float]) -> Parted:
    """Rows dealt out by their English sentence."""
    found = Parted()
    asked: set[str] = set()
    for row in rows:
        found.lines += 1
        found.spaces.update(letter for cell in row[:2] for letter in cell if letter in SPACES)
        row[:2] = (cell.translate(str.maketrans(SPACES)) for cell in row[:2])
        part = part_of(row[0], shares)
        if part != "train" and sameness(row[0]) in asked:
            found.left_out["another translation of a sentence asked"] += 1
            continue
        if part != "train":
            asked.add(sameness(row[0]))
        found.rows[part].append(row)
    learned = {sameness(row[1]) for row in found.rows["train"]}
    for part in PARTS[1:]:
        kept = [row for row in found.rows[part] if sameness(row[1]) not in learned]
        found.left_out["its translation is learned"] += len(found.rows[part]) - len(kept)
        found.rows[part] = kept
    return found


def written(found: Parted, languages: str, into: Path) -> dict[str, dict[str, Any]]:
    """Write a file for each part; gives what docs tell of them."""
    into.mkdir(parents=True, exist_ok=True)
    told = {}
    for part, rows in found.rows.items():
        path = into / f"{languages}.{part}.tsv"
        content = "".join("\t".join(row) + "\n" for row in rows).encode()
        path.write_bytes(content)
        sentences = len({sameness(row[0]) for row in rows})
        digest = sha256(content).hexdigest()
        told[part] = {"file": path.name, "pairs": len(rows), "sentences": sentences, "sha256": digest}
    return told


def line_of(languages: str, path: Path, into: Path) -> dict[str, Any]:
    """Part a file; gives the line of JSON."""
    content = sha256()
    for line in lines_of(path):
        content.update(line.data + b"\n")
    found = parted(read_rows(path), SHARES[languages])
    return {
        "benchmark": "tatoeba",
        "date": time.strftime("%Y-%m-%d"),
        "languages": languages,
        "file": path.name,
        "lines": found.lines,
        "sha256": content.hexdigest(),
        "shares": SHARES[languages],
        "spaces": {f"U+{ord(letter):04X}": number for letter, number in sorted(found.spaces.items())},
        "left_out": dict(found.left_out),
        "parts": written(found, languages, into),
    }


def main(words: list[str] | None = None) -> None:
    """Part the file, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("languages", choices=SHARES)
    parser.add_argument("file", type=Path, help="as manythings.org/anki offers it; also .gz, .xz")
    parser.add_argument("--into", type=Path, default=Path("recipes/tatoeba"))
    parser.add_argument("--record", action="store_true", help="keep the counts and hashes for the docs")
    options = parser.parse_args(words)
    try:
        line = line_of(options.languages, options.file, options.into)
    except RegardError as error:
        raise SystemExit(f"Error: {error}") from error
    for part, told in line["parts"].items():
        print(f"{part:<10}  {told['pairs']:>7,} pairs  {told['sentences']:>7,} sentences  {told['sha256']}")
    print(f"of {line['lines']:,} lines; left out: {line['left_out']}; spaces made plain: {line['spaces']}")
    if options.record:
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
