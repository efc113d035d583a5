"""Long text cut into sentences, and put together again in the same layout."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from regard.errors import DataError
from regard.text.cutting import UNSPACED
from regard.wording import counted

_BEFORE_A_NAME = """
adm approx capt cf col dr eg gen gov hon ie lt maj messrs mgr mlle mlles mme mmes mr mrs ms mt mts
prof rep rev sen sgt st ste vgl vs zb
"""
_BEFORE_A_NUMBER = """
art ch chap fig figs no nos nr op p pp sec vol vols
jan feb mar apr jun jul aug sep sept oct nov dec janv févr avr juil déc
"""
# The full stop of these words ends no sentence: of the first whatever follows, of the second before a number.
BEFORE_A_NAME, BEFORE_A_NUMBER = (frozenset(words.split()) for words in (_BEFORE_A_NAME, _BEFORE_A_NUMBER))

_CLOSERS = "\"'”’»›)\\]}」』）】》〉"
_END = re.compile(rf"(?:[.!?…]+|[。！？｡]+)(?:[{_CLOSERS}]|[ \u00a0\u202f][»›])*")
_OPENERS = "\"'“‘«‹([{"
_before_next_word = re.compile(rf"\s*[{re.escape(_OPENERS)}]*\s?").match
_is_unspaced = re.compile(f"[{UNSPACED}]").match
_LONGEST_ABBREVIATION = 12


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The sentences of a text and what stands before, between and after them."""

    sentences: tuple[str, ...]
    separators: tuple[str, ...]

    def join(self, translations: Sequence[str] | None = None) -> str:
        """Put translations where the sentences stood; without any, the text as it was.

        Where nothing stood between two sentences, as in Chinese, a space is put after a
        translation that ends in a script with spaces.

        >>> cut_sentences("Hi.  Bye!\\n").join(["Salut.", "Adieu !"])
        'Salut.  Adieu !\\n'
        >>> cut_sentences("你好。再见！").join(["Hello.", "Goodbye!"])
        'Hello. Goodbye!'
        """
        first, *separators = self.separators
        if translations is None:
            translations = self.sentences
        elif len(translations) != len(self.sentences):
            raise DataError(
                f"the layout has {counted(len(self.sentences), 'sentence')}, "
                f"but got {counted(len(translations), 'translation')} to join."
            )
        else:
            separators[:-1] = map(_parted, translations, separators[:-1])
        return first + "".join(chain.from_iterable(zip(translations, separators, strict=True)))


def cut_sentences(text: str) -> Layout:
    """Cut a text into sentences; ``cut_sentences(text).join() == text``.

    A line feed ends a sentence, and so do 。！？ wherever they stand. The marks . ! ? … end one before
    white space, unless the next word begins in lower case in a text that has capitals, or the full
    stop belongs to an abbreviation or an initial. A full stop that stands apart, as in ``i'm home .``,
    always ends one. Quotes and brackets that close after a mark go with it.

    >>> cut_sentences("Dr. Smith paid 3.50 for it. “Really?” she asked. Yes.").sentences
    ('Dr. Smith paid 3.50 for it.', '“Really?” she asked.', 'Yes.')
    >>> cut_sentences("看小猫，它好可爱！你喜欢吗？").sentences
    ('看小猫，它好可爱！', '你喜欢吗？')
    """
    sentences, separators = [], []
    start = 0
    gap = ""
    for stop in [*_stops(text), len(text)]:
        piece = text[start:stop]
        sentence = piece.strip()
        before = piece[: len(piece) - len(piece.lstrip())]
        start = stop
        if not sentence:
            gap += piece
            continue
        sentences.append(sentence)
        separators.append(gap + before)
        gap = piece[len(before) + len(sentence) :]
    return Layout(sentences=tuple(sentences), separators=(*separators, gap))


def _parted(translation: str, separator: str) -> str:
    """The separator, or a space where there is none and the script wants one."""
    return separator or (" " if translation and not _is_unspaced(translation[-1]) else "")


def _stops(text: str) -> list[int]:
    """Where sentences end, in order."""
    has_capitals = not text.islower()
    ends = (match.end() for match in _END.finditer(text) if _ends_sentence(text, match, has_capitals))
    return sorted({*ends, *(match.end() for match in re.finditer("\n", text))})


def _ends_sentence(text: str, match: re.Match[str], has_capitals: bool) -> bool:
    if _is_unspaced(match[0]):
        return True
    following = text[match.end() : match.end() + 1]
    if not following.isspace():
        return bool(_is_unspaced(following))
    skipped = _before_next_word(text, match.end())
    assert skipped  # the pattern matches nothing, too
    next_letter = text[skipped.end() : skipped.end() + 1]
    before = text[max(0, match.start() - _LONGEST_ABBREVIATION) : match.start()]
    if match[0] == ".":
        if before[-1:].isspace():
            return True
        if _is_abbreviation(before.split()[-1] if before else "", next_letter):
            return False
    return not (has_capitals and next_letter.islower())


def _is_abbreviation(word: str, next_letter: str) -> bool:
    word = word.lstrip(_OPENERS)
    letters = word.replace(".", "")
    if letters.lower() in BEFORE_A_NAME:
        return True
    if letters.lower() in BEFORE_A_NUMBER:
        return next_letter.isdigit()
    return word != "I" and letters.isupper() and len(letters) == word.count(".") + 1
