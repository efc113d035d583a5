"""A run as an ``.argosmodel``, the package that Argos Translate and LibreTranslate install.

Such a package cuts text with one sentencepiece model and translates with CTranslate2. Subwords of
regard are put into such a model: a token's text is its piece, a byte its ``<0xC3>``, and
earlier merges win. What cannot be put there are tokens that hold a part of a character: they are
never written, and a character that is no token is read byte by byte. Of several spaces in a row
the last need not go with the word after it.
"""

import json
import os
import struct
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from regard.errors import RunError
from regard.models import TranslationModel
from regard.runs.exporting import export_ctranslate2, names_of
from regard.text import BEGIN, PADDING, UNKNOWN, Tokenizer, Vocabulary
from regard.text.sentencepieces import SPACE_MARK, SentencePieceVocabulary
from regard.text.vocabulary import ALWAYS

SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
UNSPACED_LANGUAGES = ("zh", "zt", "ja", "th", "lo", "my", "km")
"""Languages whose first word is not led by a space."""

NAMES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fi": "Finnish", "fr": "French", "hi": "Hindi", "hu": "Hungarian", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip

_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
_BYTE_PAIR_ENCODING = 2
_VARINT, _BYTES, _FLOAT = 0, 2, 5


def export_argos(
    model: TranslationModel[Any],
    tokenizer: Tokenizer,
    into: Path,
    *,
    languages: tuple[str, str],
    card: str = "",
    quantization: str | None = "int8",
) -> None:
    """Write the package of a model that translates from the first language to the second."""
    source, target = languages
    if not source or not target:
        raise RunError(
            "The package must say which languages it translates between, and the run does not tell. "
            "Name them, as in: --languages en fr"
        )
    if into.exists():
        raise RunError(f"{into} is there already. Remove it, or name another file.")
    names, unwritten = _names(tokenizer.source), _unwritten(tokenizer.target)
    metadata = {
        "package_version": "1.0",
        "argos_version": "1.9",
        "from_code": source,
        "from_name": NAMES.get(source, source),
        "to_code": target,
        "to_name": NAMES.get(target, target),
    }
    with tempfile.TemporaryDirectory(prefix="regard-") as aside:
        export_ctranslate2(
            model,
            tokenizer,
            Path(aside) / "model",
            quantization=quantization,
            names=(names, _names(tokenizer.target)),
            unwritten=unwritten,
        )
        root = f"translate-{source}_{target}-1_0"
        beside = {
            "metadata.json": json.dumps(metadata, indent=1, ensure_ascii=False).encode(),
            "README.md": card.encode(),
            "sentencepiece.model": _sentencepiece(tokenizer.source, led=source not in UNSPACED_LANGUAGES),
        }
        unfinished = into.with_name(f".{into.name}.{os.getpid()}.aside")
        try:
            with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as package:
                for name, content in beside.items():
                    package.writestr(f"{root}/{name}", content)
                for path in sorted((Path(aside) / "model").iterdir()):
                    package.write(path, f"{root}/model/{path.name}")
            os.replace(unfinished, into)
        except OSError as error:
            raise RunError(f"{into} could not be written: {error.strerror or error}.") from error
        finally:
            unfinished.unlink(missing_ok=True)


def _names(vocabulary: Vocabulary) -> list[str]:
    """Each token as sentencepiece spells it; parts of characters by names that no text has."""
    if isinstance(vocabulary, SentencePieceVocabulary):
        return names_of(vocabulary)
    if vocabulary.kind not in ("byte-level", "byte-fallback"):
        raise RunError(
            f"An argos package needs subwords, but this run's tokens are {vocabulary.kind}. "
            'Train with tokenizer.kind = "byte-level" or "byte-fallback".'
        )
    names = [*SPECIAL, *map(_byte_name, range(256))]
    taken = {*names, *(f"<0x{byte:02X}>" for byte in range(256))}
    for number, data in enumerate(vocabulary.learned, start=ALWAYS):
        text = _text(data)
        names.append(text if text is not None and text not in taken else f"<part {number}>")
    return names


def _unwritten(vocabulary: Vocabulary) -> list[int]:
    """The tokens that must never come out: special ones, and parts of characters."""
    parts = [] if isinstance(vocabulary, SentencePieceVocabulary) else _parts(vocabulary)
    return [PADDING, BEGIN, UNKNOWN, *parts]


def _parts(vocabulary: Vocabulary) -> list[int]:
    return [number for number, data in enumerate(vocabulary.learned, start=ALWAYS) if _text(data) is None]


def _text(data: bytes) -> str | None:
    """The piece of a token, or None where it is not whole characters."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if SPACE_MARK in text or "\0" in text else text.replace(" ", SPACE_MARK)


def _byte_name(byte: int) -> str:
    if byte == ord(" "):
        return SPACE_MARK
    return chr(byte) if ord(" ") < byte < 0x7F else f"<0x{byte:02X}>"


def _sentencepiece(vocabulary: Vocabulary, *, led: bool) -> bytes:
    """The file of a sentencepiece model that cuts text as the vocabulary does."""
    if isinstance(vocabulary, SentencePieceVocabulary):
        return vocabulary.model
    names = _names(vocabulary)
    pieces = [(SPECIAL[UNKNOWN], 0.0, _UNKNOWN), (SPECIAL[BEGIN], 0.0, _CONTROL), ("</s>", 0.0, _CONTROL)]
    pieces += [(f"<0x{byte:02X}>", 0.0, _BYTE) for byte in range(256)]
    known = {name for name, _, _ in pieces}
    # The earlier a merge, the higher its piece's score; single characters come last.
    for rank, name in enumerate(names[ALWAYS:]):
        if not name.startswith("<part "):
            pieces.append((name, -float(rank), _NORMAL))
    last = -float(len(names))
    pieces += [(name, last, _NORMAL) for name in names[len(SPECIAL) : ALWAYS] if name not in known]
    trainer = _message(
        (3, _VARINT, _BYTE_PAIR_ENCODING),
        (4, _VARINT, len(pieces)),
        (35, _VARINT, 1),  # rare characters in bytes
        (40, _VARINT, 0),
        (41, _VARINT, 1),
        (42, _VARINT, 2),
        (43, _VARINT, (1 << 64) - 1),  # no padding
    )
    normalizer = _message((1, _BYTES, b"identity"), (3, _VARINT, int(led)), (4, _VARINT, 0), (5, _VARINT, 1))
    listed = (
        (1, _BYTES, _message((1, _BYTES, name.encode()), (2, _FLOAT, score), (3, _VARINT, kind)))
        for name, score, kind in pieces
    )
    return _message(*listed, (2, _BYTES, trainer), (3, _BYTES, normalizer))


def _message(*fields: tuple[int, int, Any]) -> bytes:
    """A message of Protocol Buffers: number, kind and value of each field."""
    return b"".join(part for field in fields for part in _field(*field))


def _field(number: int, kind: int, value: Any) -> Iterator[bytes]:
    yield _varint(number << 3 | kind)
    if kind == _VARINT:
        yield _varint(value)
    elif kind == _FLOAT:
        yield struct.pack("<f", value)
    else:
        yield _varint(len(value))
        yield value


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first.

    >>> _varint(300)
    b'\\xac\\x02'
    """
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])
