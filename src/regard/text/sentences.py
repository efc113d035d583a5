"""Long text cut into sentences, and put together again in the same layout."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from regard.errors import DataError
from regard.text.cutting import UNSPACED

BEFORE_A_NAME = """
adm approx capt cf col dr eg gen gov hon ie lt maj messrs mgr mlle mlles mme mmes mr mrs ms mt mts
prof rep rev sen sgt st ste vgl vs zb
"""
BEFORE_A_NUMBER = """
art ch chap fig figs no nos nr op p pp sec vol vols
jan feb mar apr jun jul aug sep sept oct nov dec janv févr avr juil déc
"""
"""Words whose full stop ends no sentence: the first whatever follows, the second before a number."""

_CLOSERS = "\"'”’»›)\\]}」』）】》〉"
_END = re.compile(rf"(?:[.!?…]+|[。！？｡]+)[{_CLOSERS}]*")
_NEXT = re.compile(r"(\s*)[\"'“‘«‹(\[{]*\s?(\S?)")
_is_unspaced = re.compile(f"[{UNSPACED}]").match
_LONGEST_ABBREVIATION = 12


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The sentences of a text and what stands before, between and after them."""

    sentences: tuple[str, ...]
    separators: tuple[str, ...]

    def join(self, sentences: Sequence[str] | None = None) -> str:
        """Put sentences, or translations in their stead, where the sentences stood.

        Where nothing stood between two sentences, as in Chinese, a space is put after one that
        ends in a script with spaces.

        >>> cut_sentences("Hi.  Bye!\\n").join(["Salut.", "Adieu !"])
        'Salut.  Adieu !\\n'
        >>> cut_sentences("你好。再见！").join(["Hello.", "Goodbye!"])
        'Hello. Goodbye!'
        """
        if sentences is None:
            sentences = self.sentences
        if len(sentences) != len(self.sentences):
            raise DataError(
                f"the layout has {len(self.sentences)} sentences, but {len(sentences)} were given to join."
            )
        parts = [self.separators[0]]
        for sentence, separator in zip(sentences, self.separators[1:], strict=True):
            parts += [sentence, separator]
        for place in range(2, len(parts) - 1, 2):
            if not parts[place] and parts[place - 1] and not _is_unspaced(parts[place - 1][-1]):
                parts[place] = " "
        return "".join(parts)


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


def _stops(text: str) -> list[int]:
    """Where sentences end, in order."""
    has_capitals = not text.islower()
    ends = (match.end() for match in _END.finditer(text) if _ends_sentence(text, match, has_capitals))
    return sorted({*ends, *(match.end() for match in re.finditer("\n", text))})


def _ends_sentence(text: str, match: re.Match[str], has_capitals: bool) -> bool:
    if _is_unspaced(match[0]):
        return True
    following = _NEXT.match(text, match.end())
    assert following  # the pattern matches nothing, too
    space, next_letter = following.groups()
    if not space:
        return not next_letter or bool(_is_unspaced(next_letter))
    before = text[max(0, match.start() - _LONGEST_ABBREVIATION) : match.start()]
    if match[0] == ".":
        if before[-1:].isspace():
            return True
        if _is_abbreviation(before.split()[-1] if before else "", next_letter):
            return False
    return not (has_capitals and next_letter.islower())


def _is_abbreviation(word: str, next_letter: str) -> bool:
    word = word.lstrip("\"'“‘«‹([{")
    letters = word.replace(".", "")
    if letters.lower() in BEFORE_A_NAME.split():
        return True
    if letters.lower() in BEFORE_A_NUMBER.split():
        return next_letter.isdigit()
    return word != "I" and letters.isupper() and len(letters) == word.count(".") + 1
