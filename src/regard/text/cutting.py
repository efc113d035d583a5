"""Where text is cut before subwords are learned, for each kind of tokenizer.

The classes of characters are written out as ranges, so that a text is cut the same way
by Python, by the tokenizers library and by every later edition of Unicode. Each kind has
one pattern whose matches, joined, are the text.
"""

import re
from itertools import pairwise
from unicodedata import category

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters: each stands alone."""

UNSPACED = HAN + (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u3001-\u30ff\u31f0-\u31ff\uff01-\uff9f"  # Chinese punctuation, kana, full-width forms
)
"""Scripts written without spaces, and their punctuation."""

SPACE = r"\t-\r \x1c-\x1f\x85\xa0" + "\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

SIGNS = r"!-/:-@\[-`{-~" + (
    "\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7"
    "\u2010-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2bff\u3001-\u3004\u3008-\u3020\u3030"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\U0001f000-\U0001faff"
)
"""Punctuation, symbols and pictures. What is in none of these classes is a letter or a digit."""

_LETTER = f"[^{SPACE}{SIGNS}{HAN}0-9]"
_LETTER_OR_DIGIT = f"[^{SPACE}{SIGNS}{HAN}]"
_SPACES = f"[{SPACE}]+(?![^{SPACE}])|[{SPACE}]"  # the last space before a word goes with the word

_APOSTROPHE = "['\u2019]"
_ENGLISH_ENDING = f"(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])(?!{_LETTER})"

# The apostrophe of don't and mother's begins the ending; any other, as in l'homme, ends the word before.
# Digits stand alone: a number is copied digit by digit, never learned whole.
_SUBWORD = (
    f" ?{_LETTER}+(?:{_APOSTROPHE}(?!{_ENGLISH_ENDING})(?={_LETTER}))?|{_APOSTROPHE}{_ENGLISH_ENDING}"
    f"| ?[0-9]| ?[{SIGNS}]+|[{HAN}]|{_SPACES}"
)
_WORD = f" ?{_LETTER_OR_DIGIT}+(?:['\u2019-]{_LETTER_OR_DIGIT}+)*| ?[{SIGNS}]|[{HAN}]|{_SPACES}"

PATTERNS = {
    "byte-level": _SUBWORD,
    "byte-fallback": _SUBWORD,
    "words": _WORD,
    "characters": r"[\s\S]",
}

is_space = re.compile(f"[{SPACE}]").match
_is_unspaced = re.compile(f"[{UNSPACED}]").match
starts_spaced = re.compile(f"[^{UNSPACED}]").match


def lead(text: str) -> str:
    """Put one space before a text, unless its script is written without spaces.

    So the first word of a sentence is the same token as that word further on.
    :func:`follow` takes the space away again, and nothing else.

    >>> lead("the cat"), lead(" the cat"), lead("小猫")
    (' the cat', '  the cat', '小猫')
    """
    return f" {text}" if starts_spaced(text) else text


def follow(text: str) -> str:
    """Take away the space that :func:`lead` put.

    >>> follow(lead("the cat")), follow(lead(" the cat")), follow(lead("小猫"))
    ('the cat', ' the cat', '小猫')
    """
    return text.removeprefix(" ")


def cut_words(text: str) -> tuple[str, ...]:
    """The words of a text, as readers tell them apart: white space parts them.

    In a script written without spaces each character is a word, with the marks it carries; letters and
    digits of other scripts in between stay whole.

    >>> cut_words("the cat's  here .")
    ('the', "cat's", 'here', '.')
    >>> cut_words("看小猫，iPhone 15 好可爱")
    ('看', '小', '猫', '，', 'iPhone', '15', '好', '可', '爱')
    """
    begins = [place for place in range(len(text)) if place == 0 or may_begin_word(text, place)]
    words = (text[start:stop].strip() for start, stop in pairwise([*begins, len(text)]))
    return tuple(word for word in words if word)


def may_begin_word(text: str, place: int) -> bool:
    """Whether a word may begin at a place within a text; white space goes with the word after it."""
    before, here = text[place - 1], text[place]
    if is_space(here) or is_space(before):
        return not is_space(before)
    return not category(here).startswith("M") and bool(_is_unspaced(here) or _is_unspaced(before))
