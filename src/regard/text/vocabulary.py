"""Text to tokens and back, without loss, for one language or for two that share it."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from tokenizers import Regex
from tokenizers import Tokenizer as Library
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, Split
from tokenizers.pre_tokenizers import Sequence as Steps

from regard.errors import DataError, RecipeError
from regard.text.cutting import PATTERNS, SPACE, follow, is_space, lead, may_begin_word, starts_spaced
from regard.text.merging import Merges, random_of
from regard.text.special import LABELS

KINDS = tuple(PATTERNS)
"""What a token may be: see :class:`regard.text.Tokenizer`."""

WHOLE = ("words", "characters")
"""The kinds that look tokens up whole and merge nothing."""

# The library spells each byte as a printable character. The brackets of the special
# tokens are not among them, so no text can spell a special token.
_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = tuple(byte for byte in range(256) if byte not in _PRINTABLE)
_LETTER_OF = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(0x100 + order) for order, byte in enumerate(_HIDDEN)
}
_BYTE_OF = {letter: byte for byte, letter in _LETTER_OF.items()}
SPECIAL_NAMES = ("⟨padding⟩", "⟨begin⟩", "⟨end⟩", "⟨unknown⟩")
ALWAYS = len(SPECIAL_NAMES) + 256
"""Every vocabulary begins with the special tokens and the 256 bytes."""

LONG_WORD = 64
"""A word of more characters is not remembered, and nothing falls out of it."""

_MOST_REMEMBERED = 1 << 16


def spelled(data: bytes) -> str:
    """Write bytes in the letters of the library's files: a space is ``Ġ``."""
    return "".join([_LETTER_OF[byte] for byte in data])


def unspelled(letters: str) -> bytes:
    """Read what :func:`spelled` wrote; a KeyError names a letter that stands for no byte."""
    return bytes([_BYTE_OF[letter] for letter in letters])


class Word(NamedTuple):
    """A word and where its tokens stand in the sequence."""

    text: str
    tokens: range


class Vocabulary:
    """Tokens 0 to 3 are special, 4 to 259 the bytes, the rest was learned.

    Nothing is normalised and nothing unknown: what was not learned is spelled in bytes,
    so ``decode(encode(text)) == text`` for every text. A text that spells ``<end>`` stays text.

    >>> tiny = Vocabulary("byte-level", merges=[(b"h", b"o"), (b" ", b"ho")])
    >>> tokens = tiny.encode("ho ho <end>")
    >>> tokens[:3], tiny.decode(tokens)
    ([261, 261, 36], 'ho ho <end>')
    >>> tiny.pieces(tokens)
    [' ho', ' ho', ' ', '<', 'e', 'n', 'd', '>']
    """

    def __init__(
        self, kind: str, *, learned: Sequence[bytes] = (), merges: Sequence[tuple[bytes, bytes]] = ()
    ) -> None:
        if kind not in KINDS:
            raise RecipeError(f"kind must be one of {', '.join(KINDS)}, but got {kind!r}.")
        self.kind = kind
        self.merges = tuple(merges)
        joined = (left + right for left, right in merges)
        # Two merges may make the same token: it keeps its first number.
        self.learned = tuple(dict.fromkeys(chain(learned, joined)))
        self._bytes = [b""] * len(SPECIAL_NAMES) + [bytes([byte]) for byte in range(256)] + [*self.learned]
        self._pattern = re.compile(PATTERNS[kind])
        self._leads = kind != "characters"
        self._model = self.library.model
        self._remembered = _Remembered(self._spell)
        self._remembered_spaced = _Remembered(self._spell_spaced)

    def __len__(self) -> int:
        return len(self._bytes)

    @cached_property
    def library(self) -> Library:
        """The same vocabulary as an object of the tokenizers library, without the leading space."""
        names = chain(SPECIAL_NAMES, (spelled(data) for data in self._bytes[len(SPECIAL_NAMES) :]))
        library = Library(
            BPE(
                vocab={name: token for token, name in enumerate(names)},
                merges=[(spelled(left), spelled(right)) for left, right in self.merges],
                ignore_merges=self.kind in WHOLE,
            )
        )
        library.pre_tokenizer = Steps(
            [
                Split(Regex(PATTERNS[self.kind]), "isolated"),
                ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        return library

    def led(self, text: str) -> str:
        """The text as it is cut: with a leading space, unless tokens are characters."""
        return lead(text) if self._leads else text

    def cut(self, text: str) -> list[str]:
        """Cut a text where no token may reach across.

        >>> Vocabulary("byte-level").cut("l'ami lit 3 livres.")
        [" l'", 'ami', ' lit', ' 3', ' livres', '.']
        """
        return self._pattern.findall(self.led(text))

    def encode(self, text: str, *, dropout: float = 0.0, draw: tuple[int, ...] = ()) -> list[int]:
        """Turn a text into tokens, none of them special.

        ``dropout`` leaves out that share of the merges at random (Provilkov, Emelianenko
        and Voita, 2020), so that training sees a word in many spellings; characters stay
        whole. What falls out depends on ``draw`` alone, by custom (seed, epoch, sentence).

        >>> tiny = Vocabulary("byte-level", merges=[(b"h", b"o"), (b" ", b"ho")])
        >>> [len(tiny.encode("ho", dropout=0.5, draw=(7, epoch, 0))) for epoch in range(8)]
        [1, 2, 3, 3, 3, 2, 2, 3]
        """
        spell = self._remembered.__getitem__ if dropout == 0.0 else self._dropping(dropout, draw)
        try:
            if dropout == 0.0 and self._leads and starts_spaced(text):
                return [*chain.from_iterable(map(self._remembered_spaced.__getitem__, text.split(" ")))]
            return [*chain.from_iterable(map(spell, self.cut(text)))]
        except _UnclearSpace:
            return [*chain.from_iterable(map(spell, self.cut(text)))]
        except UnicodeEncodeError:
            raise lone_surrogate(text) from None

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """Turn each text into tokens.

        >>> Vocabulary("characters").encode_batch(["a", "", "é"])
        [[101], [], [199, 173]]
        """
        return [self.encode(text) for text in texts]

    def decode(self, tokens: Iterable[int]) -> str:
        """Turn tokens into text; special tokens are silent, a byte out of place is ``�``.

        >>> Vocabulary("characters").decode([1, 101, 199, 2])
        'a�'
        """
        text = _text_of(b"".join(self._parts(tokens)))
        return follow(text) if self._leads else text

    def pieces(self, tokens: Iterable[int]) -> list[str]:
        r"""Show each token as people read it: part of a character as ``\xc3``.

        >>> Vocabulary("characters").pieces([101, 199, 2])
        ['a', '\\xc3', '<end>']
        """
        tokens = [*tokens]
        return [
            LABELS[token] if token < len(LABELS) else data.decode(errors="backslashreplace")
            for token, data in zip(tokens, self._parts(tokens), strict=True)
        ]

    def spans(self, tokens: Iterable[int]) -> list[tuple[int, int]]:
        """Say where each token stands in ``decode(tokens)``: the characters it has a part in.

        >>> characters = Vocabulary("characters")
        >>> characters.spans(characters.encode("né"))
        [(0, 1), (1, 2), (1, 2)]
        """
        text, spans = self._placed(tokens)
        shift = int(self._leads and text.startswith(" "))
        return [(max(start - shift, 0), max(end - shift, 0)) for start, end in spans]

    def words(self, tokens: Iterable[int]) -> list[Word]:
        """Gather tokens into words: each token belongs to exactly one.

        A word ends at white space. In a script written without spaces each character is a
        word, or as many as one token holds. A special token is a word of its own.

        >>> characters = Vocabulary("characters")
        >>> characters.words([*characters.encode("ma 猫"), 2])
        [Word(text='ma', tokens=range(0, 2)), Word(text='猫', tokens=range(2, 6)),
         Word(text='<end>', tokens=range(6, 7))]
        """
        tokens = [*tokens]
        text, spans = self._placed(tokens)
        special = [token < len(LABELS) for token in tokens]
        first = [
            number
            for number, (start, _) in enumerate(spans)
            if number == 0
            or special[number]
            or special[number - 1]
            # A piece that spells nothing, as the unknown one of SentencePiece, begins no word.
            or (spans[number - 1][1] <= start < len(text) and may_begin_word(text, start))
        ]
        words: list[Word] = []
        for begin, stop in pairwise([*first, len(tokens)]):
            shown = LABELS[tokens[begin]] if special[begin] else text[spans[begin][0] : spans[stop - 1][1]]
            shown = re.sub(f"^[{SPACE}]+|[{SPACE}]+$", "", shown)
            if not shown and words and not special[begin - 1]:  # white space that ends a text
                words[-1] = Word(words[-1].text, range(words[-1].tokens.start, stop))
            else:
                words.append(Word(shown, range(begin, stop)))
        return words

    def _spell(self, word: str) -> tuple[int, ...]:
        return tuple([token.id for token in self._model.tokenize(spelled(word.encode()))])

    def _spell_spaced(self, part: str) -> tuple[int, ...]:
        """The tokens of what stands between two spaces, with the space before it.

        Every pattern cuts before a space that stands alone, and there alone nothing depends on what lies
        beyond it: so a text is cut at such spaces first, which is far quicker than by the pattern.
        """
        if not part or is_space(part[0]) or is_space(part[-1]):
            raise _UnclearSpace
        return tuple(
            chain.from_iterable(map(self._remembered.__getitem__, self._pattern.findall(f" {part}")))
        )

    def _dropping(self, dropout: float, draw: tuple[int, ...]) -> Callable[[str], Iterable[int]]:
        if not self.merges:
            raise RecipeError(f"dropout needs merges to leave out, but a vocabulary of {self.kind} has none.")
        if not 0 < dropout <= 1:
            raise RecipeError(f"dropout must lie between 0 and 1, but got {dropout}.")
        random, merges = random_of(draw), self._merges

        def spell(word: str) -> Iterable[int]:
            if len(word) > LONG_WORD:
                return self._spell(word)
            return merges.apply(word.encode(), dropout=dropout, random=random)

        return spell

    @cached_property
    def _merges(self) -> Merges:
        return Merges(self.merges, {data: token for token, data in enumerate(self._bytes) if data})

    def _parts(self, tokens: Iterable[int]) -> list[bytes]:
        parts = self._bytes
        numbers = [*map(int, tokens)]
        if numbers and not 0 <= min(numbers) <= max(numbers) < len(parts):
            wrong = next(token for token in numbers if not 0 <= token < len(parts))
            raise DataError(
                f"token {wrong} is not in this vocabulary of {len(parts)}. "
                f"Decode with the tokenizer the model was trained with."
            )
        return [parts[token] for token in numbers]

    def _placed(self, tokens: Iterable[int]) -> tuple[str, list[tuple[int, int]]]:
        """The text before :func:`follow`, and the characters each token has a part in."""
        parts = self._parts(tokens)
        data = b"".join(parts)
        text = _text_of(data)
        character_of = [place for place, width in enumerate(_widths(data)) for _ in range(width)]
        spans, byte = [], 0
        for part in parts:
            start = character_of[byte] if byte < len(data) else len(text)
            byte += len(part)
            spans.append((start, character_of[byte - 1] + 1 if part else start))
        return text, spans


class _UnclearSpace(Exception):
    """A space beside white space: the pattern must see both."""


class _Remembered(dict[str, tuple[int, ...]]):
    """The tokens of the words met first, which are the frequent ones; never more than fit."""

    def __init__(self, spell: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._spell = spell

    def __missing__(self, word: str) -> tuple[int, ...]:
        tokens = self._spell(word)
        if len(word) <= LONG_WORD and len(self) < _MOST_REMEMBERED:
            self[word] = tokens
        return tokens


def _text_of(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:  # one � for each byte out of place
        return re.sub("[\ud800-\udfff]", "\ufffd", data.decode(errors="surrogateescape"))


def _widths(data: bytes) -> list[int]:
    """How many bytes each character of :func:`_text_of` takes."""
    return [
        len(character.encode(errors="surrogateescape")) for character in data.decode(errors="surrogateescape")
    ]


def lone_surrogate(text: str) -> DataError:
    """The error for a text that is not valid Unicode."""
    place = next(place for place, character in enumerate(text) if "\ud800" <= character <= "\udfff")
    return DataError(
        f"character {place} of the text is the lone surrogate U+{ord(text[place]):04X}, "
        f"which is not valid Unicode. Remove it, or write U+FFFD in its place."
    )
