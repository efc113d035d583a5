"""Vocabularies of sentencepiece, as models made elsewhere bring them along."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from regard.errors import DataError, RecipeError
from regard.text.cutting import follow
from regard.text.special import LABELS, UNKNOWN
from regard.text.vocabulary import SPECIAL_NAMES, Vocabulary, lone_surrogate

KIND = "sentencepiece"
SPACE_MARK = "\u2581"
"""How sentencepiece writes a space inside a piece."""

_language_code = re.compile(">>.*?<<", re.DOTALL).match
_BYTE = re.compile("<0x([0-9A-F]{2})>")


class SentencePieceVocabulary(Vocabulary):
    """Text is cut by a sentencepiece model, and a piece's number is its place in ``listed``.

    The model is normalising, so white space and rare forms of characters are not kept. What it
    cuts and the list does not hold is read as ``unknown``, itself a listed piece; it may be
    written, too, and is then silent. What stands like ``>>fra<<`` before a text is one
    token: it asks a model of many languages for one of them.
    """

    def __init__(self, model: bytes, listed: Sequence[str], *, unknown: str) -> None:
        self.kind, self.merges = KIND, ()
        self.model, self.listed, self.unknown = model, tuple(listed), unknown
        self._numbers = {piece: number for number, piece in enumerate(listed, start=len(SPECIAL_NAMES))}
        if len(self._numbers) != len(listed):
            raise DataError("a piece is listed twice, but each may have one number only.")
        if unknown not in self._numbers:
            raise DataError(f"the unknown piece {unknown!r} is not among the {len(listed)} pieces listed.")
        self._bytes = [b""] * len(SPECIAL_NAMES) + [_bytes_of(piece) for piece in listed]
        self._bytes[self._numbers[unknown]] = b""
        self.learned = tuple(self._bytes[len(SPECIAL_NAMES) :])
        self._leads = True
        self._processor = _processor(model)

    @property
    def names(self) -> list[str]:
        """Every token by a name of its own, in order."""
        return [*SPECIAL_NAMES, *self.listed]

    def encode(self, text: str, *, dropout: float = 0.0, draw: tuple[int, ...] = ()) -> list[int]:
        """Turn a text into tokens."""
        if dropout:
            raise RecipeError(
                "dropout needs merges to leave out, but a vocabulary of sentencepiece has none."
            )
        code = _language_code(text)
        before = [] if code is None else [code[0]]
        try:
            pieces = before + self._processor.encode(text[len("".join(before)) :], out_type=str)
        except UnicodeEncodeError:
            raise lone_surrogate(text) from None
        unknown = self._numbers[self.unknown]
        return [self._numbers.get(piece, unknown) for piece in pieces]

    def decode(self, tokens: Iterable[int]) -> str:
        """Turn tokens into text; special tokens and unknown pieces are silent."""
        return super().decode(tokens).strip()

    def pieces(self, tokens: Iterable[int]) -> list[str]:
        """Show each token as people read it."""
        tokens = [*tokens]
        unknown = self._numbers[self.unknown]
        return [
            LABELS[UNKNOWN] if token == unknown else piece
            for token, piece in zip(tokens, super().pieces(tokens), strict=True)
        ]

    def led(self, text: str) -> str:
        """The text as it is cut: sentencepiece puts the leading space itself."""
        return text

    def cut(self, text: str) -> list[str]:
        """The pieces of a text, as they are read."""
        return [follow(piece) for piece in self.pieces(self.encode(text))]


def _bytes_of(piece: str) -> bytes:
    byte = _BYTE.fullmatch(piece)
    return bytes([int(byte[1], 16)]) if byte else piece.replace(SPACE_MARK, " ").encode()


def _processor(model: bytes) -> Any:
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise RecipeError(
            "This tokenizer is one of sentencepiece, which is not installed. "
            "Install it with: pip install 'regard[hub]'"
        ) from error
    try:
        return SentencePieceProcessor(model_proto=model)
    except RuntimeError:
        raise DataError("the sentencepiece model is damaged: it cannot be read.") from None
