"""A corpus in tokens on disk: looked into where needed, never held in memory.

    FOLDER/manifest.json           what is there: pairs, tokens, and the sha256 and size of each file
           tokenizer.json          what the tokens mean
           validation.jsonl        the pairs set aside, as text
           shards/00000.lengths    tokens of source and target of each pair, two 32-bit numbers
                  00000.source     the tokens of all sources, one after another
                  00000.target     the tokens of all targets

Numbers are little-endian. Pairs were dealt to the shards at random, so that each is like the whole.
A shard is checked against the manifest when it is first opened.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, cast, overload

import numpy as np
from jaxtyping import Int

from regard.errors import DataError
from regard.sealing import is_as_sealed
from regard.text.corpus import Corpus, Pair, Reading
from regard.text.reading import read
from regard.text.tokenizer import Tokenizer

MANIFEST, TOKENIZER, VALIDATION, SHARDS = "manifest.json", "tokenizer.json", "validation.jsonl", "shards"
FORMAT, VERSION = "regard.prepared", 1
LARGEST_MANIFEST = 1 << 20
TYPES = ("uint16", "uint32")
_BEFORE_SEALS = {
    *("format", "version", "shards", "type", "tokens", "longest_sentence", "sha256", "files", "reading")
}
LENGTHS = np.dtype("<u4")


@dataclass(frozen=True, eq=False)
class Shard:
    """Some of the pairs: how long each is, and its tokens, which stay on disk until asked for."""

    lengths: Int[np.ndarray, "pairs 2"]
    tokens: tuple[np.ndarray, np.ndarray]

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def _ends(self) -> Int[np.ndarray, "pairs 2"]:
        return np.cumsum(self.lengths, axis=0, dtype=np.int64)

    def sentence(self, row: int, side: int) -> list[int]:
        """The tokens of one side of a pair: 0 is the source, 1 the target."""
        end = self._ends[row, side]
        return cast(list[int], self.tokens[side][end - self.lengths[row, side] : end].tolist())


class Prepared:
    """A folder that ``regard prepare`` made."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.manifest = _read_manifest(self.folder / MANIFEST)
        self.shards: list[int] = self.manifest["shards"]
        self._type = np.dtype(self.manifest["type"]).newbyteorder("<")
        self.shard = lru_cache(maxsize=2)(self._opened)

    def __len__(self) -> int:
        return sum(self.shards)

    @property
    def sha256(self) -> str:
        """The hash of the training pairs, as of a corpus that is read from text."""
        return str(self.manifest["sha256"])

    @property
    def reading(self) -> Reading:
        """What was kept and what dropped."""
        return Reading(kept=self.manifest["reading"]["kept"], dropped=self.manifest["reading"]["dropped"])

    @property
    def longest_sentence(self) -> int:
        """How many tokens of a source are well known."""
        return int(self.manifest["longest_sentence"])

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """What the tokens mean."""
        self._check(TOKENIZER)
        return Tokenizer.load(self.folder / TOKENIZER)

    @cached_property
    def validation(self) -> Corpus:
        """The pairs set aside, as text."""
        self._check(VALIDATION)
        return read(self.validation_file)

    @property
    def validation_file(self) -> Path:
        """Where the pairs that were set aside lie, as JSON lines."""
        return self.folder / VALIDATION

    @property
    def corpus(self) -> "PreparedCorpus":
        """The training pairs."""
        # Pairs that are decoded one by one stand where others have all of theirs in a tuple.
        pairs = cast(tuple[Pair, ...], PreparedPairs(self))
        return PreparedCorpus(pairs=pairs, reading=self.reading, prepared=self)

    def _opened(self, number: int) -> Shard:
        names = [f"{SHARDS}/{number:05d}.{part}" for part in ("lengths", "source", "target")]
        for name in names:
            self._check(name)
        pairs = self.shards[number]
        sizes = [(self.folder / name).stat().st_size for name in names]
        if sizes[0] != 2 * LENGTHS.itemsize * pairs or any(one % self._type.itemsize for one in sizes[1:]):
            raise DataError(f"shard {number} of {self.folder} does not hold what its manifest says.")
        lengths = _mapped(self.folder / names[0], LENGTHS).reshape(-1, 2)
        source, target = (_mapped(self.folder / name, self._type) for name in names[1:])
        shard = Shard(lengths, (source, target))
        vocabularies = (self.tokenizer.source, self.tokenizer.target)
        fits = len(lengths) == pairs and all(
            lengths[:, side].sum(dtype=np.int64) == len(tokens) and tokens.max(initial=0) < len(vocabulary)
            for side, (tokens, vocabulary) in enumerate(zip(shard.tokens, vocabularies, strict=True))
        )
        if not fits:
            raise DataError(f"shard {number} of {self.folder} does not hold what its manifest says.")
        return shard

    def _check(self, name: str) -> None:
        path, entry = self.folder / name, self.manifest["files"].get(name)
        if entry is None:
            raise DataError(f"the manifest of {self.folder} does not name {name}.")
        try:
            size = path.stat().st_size
            if size != entry["bytes"]:
                raise DataError(f"{path} has {size:,} bytes, but its manifest says {entry['bytes']:,}.")
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror}.") from None
        if found != entry["sha256"]:
            raise DataError(f"{path} does not have the sha256 its manifest says: it is damaged.")


class PreparedPairs(Sequence[Pair]):
    """The pairs of a prepared corpus as text, decoded when looked at."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared

    def __len__(self) -> int:
        return len(self.prepared)

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        number = 0
        while place >= self.prepared.shards[number]:
            place -= self.prepared.shards[number]
            number += 1
        return pair_of(self.prepared, number, place)

    def __iter__(self) -> Iterator[Pair]:
        for number, pairs in enumerate(self.prepared.shards):
            for row in range(pairs):
                yield pair_of(self.prepared, number, row)


def pair_of(prepared: Prepared, shard: int, row: int) -> Pair:
    """A pair as text."""
    held, tokenizer = prepared.shard(shard), prepared.tokenizer
    return Pair(
        tokenizer.source.decode(held.sentence(row, 0)), tokenizer.target.decode(held.sentence(row, 1))
    )


@dataclass(frozen=True, kw_only=True)
class PreparedCorpus(Corpus):
    """A corpus whose pairs are on disk."""

    prepared: Prepared

    @property
    def sha256(self) -> str:
        """The hash of the pairs in the order they were read, known since then."""
        return self.prepared.sha256


def is_prepared(path: str | Path) -> bool:
    """Whether this is a folder that ``regard prepare`` made."""
    return (Path(path) / MANIFEST).is_file()


def _mapped(path: Path, kind: np.dtype[Any]) -> np.ndarray:
    # Nothing cannot be mapped.
    return np.memmap(path, dtype=kind, mode="r") if path.stat().st_size else np.empty(0, kind)


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_MANIFEST:
            raise DataError(f"{path} is larger than any manifest ({path.stat().st_size:,} bytes).")
        data = path.read_bytes()
        content = json.loads(data.decode())
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path} is damaged: it is not JSON in UTF-8.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        raise DataError(f"{path} is no manifest of prepared pairs of version {VERSION}.")
    reading = content.get("reading")
    sound = (
        content.get("type") in TYPES
        and _are_counts(content.get("shards"))
        and _are_counts([content.get("longest_sentence")])
        and isinstance(content.get("sha256"), str)
        and isinstance(reading, dict)
        and _are_counts([reading.get("kept")])
        and isinstance(reading.get("dropped"), dict)
        and _are_counts([0, *reading["dropped"].values()])
        and isinstance(content.get("files"), dict)
        and all(_is_seal(entry) for entry in content["files"].values())
    )
    if not sound:
        raise DataError(f"{path} is damaged: it lacks what a manifest says. Prepare the pairs again.")
    if set(content) != _BEFORE_SEALS and not is_as_sealed(data, content):
        raise DataError(f"{path} does not have the seal it was written with: it is damaged.")
    return content


def _are_counts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(type(one) is int and one >= 0 for one in value)


def _is_seal(value: object) -> bool:
    return isinstance(value, Mapping) and type(value.get("bytes")) is int and type(value.get("sha256")) is str
