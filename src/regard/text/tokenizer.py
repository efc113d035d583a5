"""The tokenizer of a translator: a vocabulary for the source and one for the target."""

import base64
import binascii
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from regard.errors import DataError
from regard.text.learning import learn
from regard.text.sentencepieces import KIND as SENTENCEPIECE
from regard.text.sentencepieces import SentencePieceVocabulary
from regard.text.vocabulary import KINDS, SPECIAL_NAMES, WHOLE, Vocabulary, spelled, unspelled

FORMAT, VERSION = "regard.tokenizer", 1
LARGEST_FILE = 32 << 20


class Tokenizer:
    """Sentences to tokens and back for both languages; nothing is lost on the way.

    ``kind`` says what a token is:

    - ``byte-level`` (the default): subwords of bytes, by byte-pair merges (Sennrich,
      Haddow and Birch, 2016);
    - ``byte-fallback``: subwords of whole characters; rare characters are spelled in bytes;
    - ``words`` and ``characters``: those met often enough; others are spelled in bytes;
    - ``sentencepiece``: brought along by an imported model, never trained here; it normalises.

    A Chinese character is always a token of its own, or several. ``joint`` vocabularies
    are one object that serves both sides.

    >>> tokenizer = Tokenizer.train([("the cat sleeps", "le chat dort")] * 3, least_count=2)
    >>> tokens = tokenizer.source.encode("the cat")
    >>> tokenizer.source.pieces(tokens), tokenizer.source.decode(tokens)
    ([' the', ' cat'], 'the cat')
    >>> tokenizer.joint, tokenizer.kind
    (True, 'byte-level')
    """

    def __init__(self, source: Vocabulary, target: Vocabulary) -> None:
        if source.kind != target.kind:
            raise DataError(
                f"source and target must be of one kind, but got {source.kind} and {target.kind}."
            )
        self.source = source
        self.target = target

    @property
    def kind(self) -> str:
        """What a token is."""
        return self.source.kind

    @property
    def joint(self) -> bool:
        """Whether one vocabulary serves both sides."""
        return self.source is self.target

    @classmethod
    def train(
        cls,
        pairs: Iterable[tuple[str, str]],
        *,
        kind: str = "byte-level",
        size: int | None = None,
        joint: bool = True,
        least_count: int = 3,
    ) -> "Tokenizer":
        """Learn the vocabularies of sentence pairs, which are held in memory meanwhile.

        ``size`` counts all tokens of a vocabulary and is an upper bound: a token must be met
        ``least_count`` times. By default subwords number 35 times the cube root of the bytes
        of text, words and characters as many as are met often enough, and never more than 32,000.

        >>> pairs = [("the cat sleeps", "le chat dort"), ("the dog sleeps", "le chien dort")] * 3
        >>> separate = Tokenizer.train(pairs, kind="words", joint=False)
        >>> len(separate.source), len(separate.target)
        (264, 264)
        """
        sources, targets = [], []
        for source, target in pairs:
            sources.append(source)
            targets.append(target)
        if joint:
            both = learn(sources + targets, kind=kind, size=size, least_count=least_count)
            return cls(both, both)
        return cls(
            *(learn(side, kind=kind, size=size, least_count=least_count) for side in (sources, targets))
        )

    def save(self, path: str | Path) -> None:
        """Write one JSON file: a small header, and each vocabulary as its library writes it."""
        content: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "joint": self.joint,
            "source": _written(self.source),
        }
        if not self.joint:
            content["target"] = _written(self.target)
        aside = Path(f"{path}.{os.getpid()}.aside")
        aside.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
        aside.replace(path)

    @classmethod
    def load(cls, path: str | Path) -> "Tokenizer":
        """Read what :meth:`save` wrote, checked before use."""
        try:
            return cls._from(_content(Path(path)))
        except _Unfit as unfit:
            raise DataError(
                f"{path} is not a tokenizer of regard: {unfit}. Copy the file again from its run folder."
            ) from None

    @classmethod
    def _from(cls, content: dict[str, Any]) -> "Tokenizer":
        _check(content.get("format") == FORMAT, f"its format is {content.get('format')!r}, not {FORMAT!r}")
        _check(
            content.get("version") == VERSION,
            f"its version is {content.get('version')!r}, and this regard reads version {VERSION}",
        )
        kind, joint = content.get("kind"), content.get("joint")
        kinds = (*KINDS, SENTENCEPIECE)
        _check(kind in kinds, f"its kind is {kind!r}, not one of {', '.join(kinds)}")
        _check(isinstance(joint, bool), f"its joint is {joint!r}, not true or false")
        expected = {"format", "version", "kind", "joint", "source"} | ({"target"} if not joint else set())
        _check(set(content) == expected, f"it must hold {_listed(expected)}, but holds {_listed(content)}")
        source = _read(str(kind), "source", content["source"])
        return cls(source, source if joint else _read(str(kind), "target", content["target"]))


class _Unfit(Exception):
    """What is wrong with a tokenizer file."""


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise _Unfit(otherwise)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _content(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from None
    _check(len(data) <= LARGEST_FILE, f"it is larger than {LARGEST_FILE >> 20} MiB")
    try:
        content = json.loads(data.decode())
    except (ValueError, RecursionError):
        raise _Unfit("it is not JSON in UTF-8") from None
    _check(isinstance(content, dict), "it is not a JSON object")
    return dict(content)


def _written(vocabulary: Vocabulary) -> dict[str, Any]:
    if isinstance(vocabulary, SentencePieceVocabulary):
        return {
            "model": base64.b64encode(vocabulary.model).decode(),
            "unknown": vocabulary.unknown,
            "pieces": vocabulary.listed,
        }
    return dict(json.loads(vocabulary.library.to_str()))


def _read(kind: str, side: str, content: Any) -> Vocabulary:
    if kind != SENTENCEPIECE:
        return _vocabulary(kind, side, content)
    held = content if isinstance(content, dict) else {}
    model, unknown, pieces = (held.get(name) for name in ("model", "unknown", "pieces"))
    if not isinstance(model, str) or not isinstance(unknown, str) or not isinstance(pieces, list):
        raise _Unfit(f"its {side} has no model, no pieces or no unknown piece")
    _check(all(isinstance(piece, str) and piece for piece in pieces), f"a piece of its {side} is no text")
    try:
        return SentencePieceVocabulary(base64.b64decode(model, validate=True), pieces, unknown=unknown)
    except (DataError, binascii.Error) as error:
        raise _Unfit(f"its {side} cannot be used: {str(error).rstrip('.')}") from None


def _vocabulary(kind: str, side: str, library: Any) -> Vocabulary:
    """Take the tokens and merges from the library's part; all else follows from the kind."""
    model: Any = library.get("model") if isinstance(library, dict) else None
    _check(isinstance(model, dict), f"its {side} has no model")
    names, merges = model.get("vocab"), model.get("merges")
    _check(isinstance(names, dict) and isinstance(merges, list), f"its {side} has no vocabulary or no merges")
    always = [*SPECIAL_NAMES, *(spelled(bytes([byte])) for byte in range(256))]
    _check(
        [*names][: len(always)] == always, f"its {side} does not begin with the special tokens and the bytes"
    )
    for place, (name, token) in enumerate(names.items()):
        _check(
            token == place and type(token) is int,
            f"token {place} of its {side} is {name!r} with the number {token!r}: the order is wrong",
        )
    try:
        learned = [unspelled(name) for name in [*names][len(always) :]]
        pairs = [(unspelled(left), unspelled(right)) for left, right in map(_list, merges)]
    except (KeyError, TypeError, ValueError):
        raise _Unfit(f"a token or merge of its {side} does not spell bytes") from None
    whole = kind in WHOLE
    _check(not (whole and pairs), f"its {side} has merges, but its kind is {kind}")
    vocabulary = Vocabulary(kind, learned=learned if whole else (), merges=_usable(pairs, side))
    _check(vocabulary.learned == tuple(learned), f"the merges of its {side} do not give its tokens in order")
    return vocabulary


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _usable(merges: list[tuple[bytes, bytes]], side: str) -> list[tuple[bytes, bytes]]:
    known = {bytes([byte]) for byte in range(256)}
    for left, right in merges:
        _check(
            left in known and right in known, f"merge {left!r} {right!r} of its {side} joins unknown tokens"
        )
        known.add(left + right)
    return merges
