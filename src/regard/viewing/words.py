"""Which pieces make up which word: subwords → words, bytes → whole characters.

Pieces follow a convention: regard begins a word with a space, SentencePiece with ``▁``,
byte-level BPE with ``Ġ`` (and spells every byte as a letter), WordPiece continues one with
``##``, subword-nmt leaves it open with ``@@``, the first BPE closes it with ``</w>``. Where
spaces do not part words, as in Chinese, a piece stands for itself once its characters are whole.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from regard.errors import RegardError, ShapeError
from regard.wording import counted

SPECIAL = frozenset(
    (
        *("<begin>", "<end>", "<padding>", "<unknown>"),  # regard
        *("<s>", "</s>", "<pad>", "<unk>", "<mask>", "<bos>", "<eos>"),  # SentencePiece
        *("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"),  # WordPiece
        *("<|endoftext|>", "<|begin_of_text|>", "<|end_of_text|>"),  # byte-level BPE
    )
)
ENDS = frozenset(("<end>", "</s>", "<eos>", "[SEP]", "<|endoftext|>", "<|end_of_text|>"))
CONVENTIONS = (" ", "▁", "Ġ", "##", "@@", "</w>")


@dataclass(frozen=True)
class Words:
    """Words and the positions of the pieces each is made of, in order.

    >>> Words.of_pieces(["▁un", "able", "▁to", "▁go", ".", "</s>"])
    Words(labels=('unable', 'to', 'go', '.', '</s>'), groups=((0, 1), (2,), (3,), (4,), (5,)))
    """

    labels: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, words: Iterable[tuple[str, Iterable[int]]]) -> "Words":
        """Words somebody has found already, each with the positions of its pieces.

        >>> Words.of([("the", range(0, 1)), ("unseen", range(1, 3))]).groups
        ((0,), (1, 2))
        """
        found = [(label, tuple(positions)) for label, positions in words]
        return cls(tuple(label for label, _ in found), tuple(positions for _, positions in found))

    @classmethod
    def of_groups(cls, groups: Iterable[Sequence[int]], pieces: Sequence[str]) -> "Words":
        """Join the pieces of each group, given as positions.

        >>> Words.of_groups([[0], [1, 2]], ["the", "un", "##seen"]).labels
        ('the', 'unseen')
        """
        chosen = tuple(tuple(int(position) for position in group) for group in groups)
        _check(chosen, len(pieces))
        return cls._spelt(chosen, pieces, _convention_of(pieces))

    @classmethod
    def of_pieces(cls, pieces: Sequence[str], convention: str | None = None) -> "Words":
        """Group pieces by the marks they carry; the convention is guessed unless named.

        Pieces without any mark are words already.

        >>> Words.of_pieces(["ĠI", "Ġsaw", "Ġthe", "ĠçĮ", "«"]).labels
        ('I', 'saw', 'the', '猫')
        """
        if convention not in (None, *CONVENTIONS):
            raise RegardError(
                f"convention must be one of {', '.join(map(repr, CONVENTIONS))}, but got {convention!r}."
            )
        convention = convention or _convention_of(pieces)
        groups: list[list[int]] = []
        before = _Piece(b"", begins=True, ends=True)
        for unit in _whole_characters(pieces, convention):
            parts = [_read(pieces[position], convention) for position in unit]
            here = _Piece(b"".join(part.letters for part in parts), parts[0].begins, parts[-1].ends)
            parted = (
                before.ends or here.begins or _stands_alone(before.letters) or _stands_alone(here.letters)
            )
            if parted:
                groups.append(unit)
            else:
                groups[-1].extend(unit)
            before = here
        return cls._spelt(groups, pieces, convention)

    @classmethod
    def of_offsets(cls, text: str, offsets: Sequence[tuple[int, int]], pieces: Sequence[str]) -> "Words":
        """Group pieces by where they stand in the text; an empty span is a special token.

        >>> offsets, pieces = [(0, 2), (2, 6), (7, 9), (0, 0)], ["un", "able", "to", "<end>"]
        >>> Words.of_offsets("unable to", offsets, pieces).labels
        ('unable', 'to', '<end>')
        """
        if len(offsets) != len(pieces):
            raise ShapeError(
                f"offsets must be one span per piece, but got {counted(len(offsets), 'span')} "
                f"for {counted(len(pieces), 'piece')}."
            )
        groups: list[list[int]] = []
        labels: list[str] = []
        spelt_from, spelt_to = 0, -1
        for position, (start, end) in enumerate(offsets):
            before, here = text[max(spelt_from, 0) : max(spelt_to, 0)], text[start:end]
            touches = start == spelt_to and not here[:1].isspace()
            joins = (
                touches
                and not _stands_alone(before.encode(*_LOSSLESS))
                and not _stands_alone(here.encode(*_LOSSLESS))
            )
            if end > start and (joins or start < spelt_to):
                groups[-1].append(position)
                spelt_to = max(spelt_to, end)
                labels[-1] = text[spelt_from:spelt_to].strip()
            else:
                groups.append([position])
                labels.append(here.strip() or pieces[position])
                spelt_from, spelt_to = (start, end) if end > start else (0, -1)
        return cls(tuple(labels), tuple(map(tuple, groups)))

    @classmethod
    def _spelt(
        cls, groups: Sequence[Sequence[int]], pieces: Sequence[str], convention: str | None
    ) -> "Words":
        labels = (
            _text(b"".join(_read(pieces[position], convention).letters for position in group))
            for group in groups
        )
        return cls(tuple(labels), tuple(map(tuple, groups)))

    def read(self, begin: str = "<begin>") -> "Words":
        """These words as a decoder reads them: begin first, then all but the last piece.

        >>> Words(("le", "chat", "<end>"), ((0,), (1, 2), (3,))).read()
        Words(labels=('<begin>', 'le', 'chat'), groups=((0,), (1,), (2, 3)))
        """
        pieces = sum(map(len, self.groups))
        moved = [tuple(position + 1 for position in group if position + 1 < pieces) for group in self.groups]
        kept = [(label, group) for label, group in zip(self.labels, moved, strict=True) if group]
        return Words((begin, *(label for label, _ in kept)), ((0,), *(group for _, group in kept)))


@dataclass(frozen=True)
class _Piece:
    letters: bytes
    begins: bool
    ends: bool


_LOSSLESS = ("utf-8", "surrogatepass")


def _byte_letters() -> dict[str, int]:
    """Byte-level BPE writes printable bytes as themselves and the others from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


_BYTE_OF = _byte_letters()


def _convention_of(pieces: Sequence[str]) -> str | None:
    plain = [piece for piece in pieces if piece not in SPECIAL]
    for beginning in (" ", "▁"):
        if any(piece.startswith(beginning) for piece in plain):
            return beginning
    if any(piece.startswith("Ġ") for piece in plain) or _spells_bytes("".join(plain)):
        return "Ġ"
    if any(piece.startswith("##") and len(piece) > 2 for piece in plain):
        return "##"
    for ending in ("@@", "</w>"):
        if any(piece.endswith(ending) and len(piece) > len(ending) for piece in plain):
            return ending
    return None


def _spells_bytes(joined: str) -> bool:
    """Whether letters are bytes in disguise: only then do they decode to something beyond ASCII."""
    if joined.isascii() or any(letter not in _BYTE_OF for letter in joined):
        return False
    try:
        bytes(_BYTE_OF[letter] for letter in joined).decode()
    except UnicodeDecodeError:
        return False
    return True


def _read(piece: str, convention: str | None) -> _Piece:
    if piece in SPECIAL:
        return _Piece(piece.encode(), begins=True, ends=True)
    if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
        try:
            return _Piece(bytes([int(piece[3:5], 16)]), begins=False, ends=convention is None)
        except ValueError:
            pass  # it only looks like a byte
    if convention in (" ", "▁"):
        letters = piece.replace(convention, " ").encode(*_LOSSLESS)
        return _Piece(letters, begins=piece.startswith(convention), ends=False)
    if convention == "Ġ":
        letters = b"".join(
            bytes([_BYTE_OF[letter]]) if letter in _BYTE_OF else letter.encode(*_LOSSLESS) for letter in piece
        )
        return _Piece(letters, begins=letters[:1].isspace(), ends=False)
    if convention == "##":
        begins = not piece.startswith("##") or len(piece) == 2
        return _Piece((piece if begins else piece[2:]).encode(*_LOSSLESS), begins=begins, ends=False)
    if convention in ("@@", "</w>"):
        marked = piece.endswith(convention) and len(piece) > len(convention)
        letters = (piece.removesuffix(convention) if marked else piece).encode(*_LOSSLESS)
        return _Piece(letters, begins=False, ends=marked == (convention == "</w>"))
    return _Piece(piece.encode(*_LOSSLESS), begins=True, ends=True)


def _whole_characters(pieces: Sequence[str], convention: str | None) -> list[list[int]]:
    """Positions in runs, so that no character is cut in two."""
    runs: list[list[int]] = []
    letters = b""
    for position, piece in enumerate(pieces):
        if _is_whole(letters) or piece in SPECIAL:
            runs.append([])
            letters = b""
        runs[-1].append(position)
        letters += _read(piece, convention).letters
    return runs


def _text(letters: bytes) -> str:
    try:
        return letters.decode(*_LOSSLESS).strip()
    except UnicodeDecodeError:
        return letters.decode("utf-8", "replace").strip()


def _is_whole(letters: bytes) -> bool:
    """Whether the last character has all its bytes."""
    for length in range(1, min(4, len(letters)) + 1):
        first = letters[-length]
        if first >= 0xC0:
            return length >= (2 if first < 0xE0 else 3 if first < 0xF0 else 4)
        if first < 0x80:
            break
    return True


def _stands_alone(letters: bytes) -> bool:
    """Whether a piece is a word whatever its neighbours: punctuation, or a script without spaces."""
    text = _text(letters)
    if not text or text in ("'", "’", "-", "‐"):
        return False
    return all(unicodedata.category(letter)[0] == "P" for letter in text) or any(
        unicodedata.name(letter, "").startswith(("CJK ", "HIRAGANA ", "KATAKANA ")) for letter in text
    )


def _check(groups: tuple[tuple[int, ...], ...], pieces: int) -> None:
    flat = [position for group in groups for position in group]
    for position in flat:
        if not 0 <= position < pieces:
            raise ShapeError(
                f"groups must name positions 0…{pieces - 1}, one per label, but one is {position}."
            )
    if any(not group for group in groups):
        raise ShapeError("groups must each hold a position, but one is empty.")
    if flat != list(range(pieces)):
        wrong = next((i for i, position in enumerate(flat) if position != i), len(flat))
        raise ShapeError(
            f"groups must hold each position once and in order, but they do not at position {wrong}."
        )
