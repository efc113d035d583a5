"""Phrases in two languages at once, joined word to word.

A rule is two lines, one English and one Chinese, whose words carry labels after a slash::

    did/q? {who} {act} yesterday/t ?        {who} 昨天/t {act} 了/q? 吗/q? ？

Words that share a label stand for one another; a question mark after the label makes the link
possible instead of sure. Punctuation marks pair off in order, without labels (where one line has
more of them, only the last two do), and 吗 goes with the question mark.

``{who}`` is a slot: it holds a phrase with links of its own. A label on a slot is a label on the
head of that phrase, which is the word labelled ``h``, or else the last one. In English a slot may
be inflected: ``{act.ing}``, ``{act.past}``, ``{act.done}`` (*have eaten*), ``{act.who}`` (*she
eats*: the present that agrees with the slot ``who``), ``{who.be}`` (*i'm*, *my mother is*). The
auxiliaries agree in the same way: ``{be.who}``, ``{was.who}``, ``{do.who}``, ``{don't.who}``.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal, NamedTuple

from regard.text.embedded.english_chinese import inflection
from regard.text.embedded.pairs import AlignedPair

Link = tuple[int, int]
Agreement = Literal["i", "one", "many"]

PUNCTUATION = {".": "。", "?": "？", "!": "！", ",": "，"}
_AUXILIARIES: dict[str, dict[Agreement, str]] = {
    "be": {"i": "am", "one": "is", "many": "are"},
    "was": {"i": "was", "one": "was", "many": "were"},
    "do": {"i": "do", "one": "does", "many": "do"},
    "don't": {"i": "don't", "one": "doesn't", "many": "don't"},
    "have": {"i": "have", "one": "has", "many": "have"},
    "haven't": {"i": "haven't", "one": "hasn't", "many": "haven't"},
}
_CONTRACTED = {"i": "i'm", "you": "you're", "he": "he's", "she": "she's", "we": "we're", "they": "they're"}
# A corpus holds a million links but only a few hundred different ones, so they are made once.
_LINKS = [[(row, column) for column in range(40)] for row in range(40)]
_FORMS = {"ing": inflection.ing, "past": inflection.past, "done": inflection.participle}


@dataclass(frozen=True)
class Phrase:
    """Words of both languages, their links, and the content words (lemmas) that meet in them."""

    english: tuple[str, ...]
    chinese: tuple[str, ...]
    sure: frozenset[Link] = frozenset()
    possible: frozenset[Link] = frozenset()
    lemmas: tuple[str, ...] = ()
    english_head: int = -1
    chinese_head: int = -1
    agreement: Agreement = "one"
    kinds: frozenset[str] = frozenset()
    """What sort of thing it is to do, for those who choose among phrases."""

    @property
    def name(self) -> str:
        """The English words as one string."""
        return " ".join(self.english)

    def reworded(self, *english: str) -> "Phrase":
        """The same phrase with other English words in the same places, as in *eat*, *ate*."""
        assert len(english) == len(self.english)
        return replace(self, english=english)

    def agreeing(self, agreement: Agreement) -> "Phrase":
        """The same phrase for a verb to agree with: *one* takes an -s, *i* and *many* do not."""
        return replace(self, agreement=agreement)

    @cached_property
    def owning(self) -> "Phrase":
        """The same phrase as an owner: *my mother's*."""
        *words, last = self.english
        return self.reworded(*words, f"{last}'s")


class _Word(NamedTuple):
    text: str
    is_slot: bool
    form: str
    labels: dict[str, bool]


class _Rule(NamedTuple):
    """Two lines read once: their words, the heads, and which word of the one joins which of the other."""

    english: tuple[_Word, ...]
    chinese: tuple[_Word, ...]
    english_head: int
    chinese_head: int
    links: tuple[tuple[int, int, bool], ...]


def _read(line: str) -> tuple[_Word, ...]:
    words = []
    for written in line.split():
        text, _, labels = written.partition("/")
        is_slot = text.startswith("{")
        name, _, form = text.strip("{}").partition(".") if is_slot else (text, "", "")
        read = {label: not doubt for label, doubt in re.findall(r"([a-z])(\??)", labels)}
        words.append(_Word(name, is_slot, form, read))
    return tuple(words)


def _head(words: tuple[_Word, ...]) -> int:
    return next((place for place, word in enumerate(words) if word.labels.get("h")), -1)


@cache
def _rule(english: str, chinese: str) -> _Rule:
    left, right = _read(english), _read(chinese)
    links = [
        (i, j, one.labels[label] and other.labels[label])
        for i, one in enumerate(left)
        for j, other in enumerate(right)
        for label in one.labels.keys() & other.labels.keys()
    ]
    marks = [place for place, word in enumerate(left) if word.text in PUNCTUATION]
    points = [place for place, word in enumerate(right) if word.text in PUNCTUATION.values()]
    if len(marks) != len(points):
        marks, points = marks[-1:], points[-1:]
    links += [(i, j, True) for i, j in zip(marks, points, strict=True)]
    links += [(marks[-1], j, False) for j, word in enumerate(right) if word.text == "吗"]
    return _Rule(left, right, _head(left), _head(right), tuple(links))


def phrase(english: str, chinese: str, lemmas: tuple[str, ...] = (), **slots: Phrase | str) -> Phrase:
    """Fill the slots of a rule and join its words.

    A slot takes a phrase, or plain words for a line that alone mentions it. The lemmas are
    those given, followed by those of the slots used, in the order they are passed.

    >>> water = phrase("water/a", "水/a", ("water",))
    >>> cup = phrase("a/a cup/b of/b? {what}", "一/a 杯/b {what}", what=water)
    >>> cup.english, cup.chinese
    (('a', 'cup', 'of', 'water'), ('一', '杯', '水'))
    >>> sorted(cup.sure), sorted(cup.possible - cup.sure)
    ([(0, 0), (1, 1), (3, 2)], [(2, 1)])
    """
    rule = _rule(english, chinese)
    left, left_places, left_starts = _fill(rule.english, slots, _in_english)
    right, right_places, right_starts = _fill(rule.chinese, slots, _in_chinese)
    sure: list[Link] = []
    possible: list[Link] = []
    for name, slot in slots.items():
        if isinstance(slot, Phrase) and name in left_starts:
            lemmas += slot.lemmas
            if name in right_starts:
                row, column = left_starts[name], right_starts[name]
                sure += [_LINKS[row + i][column + j] for i, j in slot.sure]
                possible += [_LINKS[row + i][column + j] for i, j in slot.possible]
    for i, j, is_sure in rule.links:
        row, column = left_places[i], right_places[j]
        if row >= 0 and column >= 0:
            (sure if is_sure else possible).append(_LINKS[row][column])
    return Phrase(
        english=tuple(left),
        chinese=tuple(right),
        sure=frozenset(sure),
        possible=frozenset(possible + sure),
        lemmas=lemmas,
        english_head=left_places[rule.english_head],
        chinese_head=right_places[rule.chinese_head],
    )


def linked(line: str) -> tuple[str, str]:
    """The two sides of ``english = chinese`` as a rule, with labels put in if there are none.

    Words are linked in order if the sides are equally long, and otherwise all to the single
    word that stands for them, the first being the sure one. The first words are the heads.

    >>> linked("drink tea = 喝 茶")
    ('drink/h tea/a', '喝/h 茶/a')
    >>> linked("get up = 起床")
    ('get/h up/h?', '起床/h')
    """
    english, chinese = line.split(" = ")
    if "/" in line:
        return english, chinese
    left, right = english.split(), chinese.split()
    if len(left) == len(right):
        return _labelled(left, "habcd"), _labelled(right, "habcd")
    assert min(len(left), len(right)) == 1, f"{line!r} does not say which word is which."
    in_doubt = ["h", *["h?"] * 4]
    return _labelled(left, in_doubt), _labelled(right, in_doubt)


def _labelled(words: list[str], labels: Iterable[str]) -> str:
    return " ".join(f"{word}/{label}" for word, label in zip(words, labels, strict=False))


Filled = tuple[tuple[str, ...], int]
"""The words of a slot, and which of them is the head."""


def _fill(
    line: tuple[_Word, ...],
    slots: dict[str, Phrase | str],
    say: Callable[[_Word, dict[str, Phrase | str]], Filled],
) -> tuple[list[str], list[int], dict[str, int]]:
    """The words of a line; where the label of each falls (-1: nowhere); where each slot begins."""
    words: list[str] = []
    places: list[int] = []
    starts: dict[str, int] = {}
    for word in line:
        start = len(words)
        if word.is_slot:
            inner, head = say(word, slots)
            starts[word.text] = start
            places.append(start + head % len(inner) if inner else -1)
            words += inner
        else:
            places.append(start)
            words.append(word.text)
    return words, places, starts


def _in_chinese(word: _Word, slots: dict[str, Phrase | str]) -> Filled:
    slot = slots[word.text]
    return (tuple(slot.split()), -1) if isinstance(slot, str) else (slot.chinese, slot.chinese_head)


def _in_english(word: _Word, slots: dict[str, Phrase | str]) -> Filled:
    name, form = word.text, word.form
    slot = slots.get(name)
    if slot is None:
        return (_AUXILIARIES[name][_agreement(slots[form])],), 0
    if isinstance(slot, str):
        return tuple(slot.split()), -1
    if not form:
        return slot.english, slot.english_head
    if form == "be":
        if slot.english[0] in _CONTRACTED:
            return (_CONTRACTED[slot.english[0]],), 0
        return (*slot.english, _AUXILIARIES["be"][slot.agreement]), -1
    first, *rest = slot.english
    if form in _FORMS:
        return (_FORMS[form](first), *rest), slot.english_head
    agrees = _agreement(slots[form]) == "one"
    return (inflection.third(first) if agrees else first, *rest), slot.english_head


def _agreement(slot: Phrase | str) -> Agreement:
    assert isinstance(slot, Phrase)
    return slot.agreement


def pair(about: str, rule: tuple[str, str], **slots: Phrase | str) -> AlignedPair:
    """A whole sentence, and the content words that meet in it.

    ``about`` names what the sentence does; it stands in for a second content word where the
    slots bring fewer than two, so that *i can swim* and *i like swimming* are told apart.

    >>> swim = phrase("swim/h", "游泳/h", ("swim",))
    >>> sentence = pair("can", ("i/s can/m {act} .", "我/s 会/m {act} 。"), act=swim)
    >>> sentence.source, sentence.target, sentence.combination
    ('i can swim .', '我会游泳。', 'can|swim')
    """
    english, chinese = rule
    whole = phrase(english, chinese, (), **slots)
    combination = "|".join(whole.lemmas if len(whole.lemmas) > 1 else (about, *whole.lemmas))
    assert "|" in combination, f"{english!r} brings no content word."
    return AlignedPair(
        source_words=whole.english,
        target_words=whole.chinese,
        sure=whole.sure,
        possible=whole.possible,
        combination=combination,
        target_separator="",
    )
