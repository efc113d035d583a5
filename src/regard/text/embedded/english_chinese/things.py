"""Things as one would speak of them: how many at a time, whose, with which adjective."""

from collections.abc import Sequence

from regard.text.embedded.english_chinese.adjectives import QUALITIES
from regard.text.embedded.english_chinese.noun_phrases import (
    a,
    many,
    number,
    several,
    that,
    the,
    these,
    this,
    those,
)
from regard.text.embedded.english_chinese.nouns import Noun, nouns
from regard.text.embedded.english_chinese.people import possessed
from regard.text.embedded.english_chinese.phrases import Phrase

OWNERS = ("i", "you", "he", "she")
OWNABLE = nouns(
    "garment footwear headwear device carried holder stationery house room "
    "kitchen bedroom garden car bicycle motorcycle bed sofa chair office"
)
_SINGLE = {
    *(
        "furniture",
        "machine",
        "vehicle",
        "instrument",
        "home",
        "artwork",
        "opening",
        "lone",
        "device",
        "carried",
    ),
    *("institution", "business", "structure", "scenery", "town", "transport"),
}
_SMALL_NUMBERS = ("two", "three", "four", "five", "six", "eight", "ten")


def some_of(noun: Noun, draw: int) -> Phrase:
    """A number of them that is believable: ten apples, two cups of tea, one piano; ``draw`` chooses."""
    if noun.kinds & _SINGLE:
        return a(noun)
    if "portion" in noun.kinds:
        ways = [a(noun), number("two", noun), number("three", noun)]
    elif "small" in noun.kinds:
        ways = [*[a(noun)] * 4, *(number(name, noun) for name in _SMALL_NUMBERS), several(noun), many(noun)]
    else:
        ways = [a(noun), a(noun), number("two", noun), number("three", noun), several(noun)]
    return ways[draw % len(ways)]


def may_own(owner: str, noun: Noun) -> bool:
    """Whether *my* suits the noun as readily as *this*: no sky for anyone, no skirt for him."""
    return noun in OWNABLE and (owner != "he" or "feminine" not in noun.kinds)


def pointed_at(noun: Noun, draw: int, owners: Sequence[str] = OWNERS) -> Phrase:
    """The noun made definite in one of the ways that suit it; ``draw`` chooses."""
    if noun.is_collective:
        return the(noun)
    ways = [this(noun), that(noun)]
    if noun.kinds & {"venue", "chamber"}:
        ways.append(the(noun))
    elif not noun.is_always_plural and "profession" not in noun.kinds:
        ways.append(these(noun) if draw % 2 else those(noun))
    ways += [possessed(owner, noun) for owner in owners if may_own(owner, noun)]
    return ways[draw % len(ways)]


def attributed() -> list[Noun]:
    """Nouns with an adjective before them that sound well in Chinese: 大房子, 漂亮的花, but not 重的盒子."""
    found = []
    for adjective, noun in dict.fromkeys(QUALITIES):
        (chinese,) = adjective.attributive.chinese
        suits = len(chinese) > 1 or (
            "institution" not in noun.kinds  # 大学校 would be read as 大学 and 校
            if adjective.name in ("big", "small", "new", "old", "good")
            else adjective.name in ("long", "short") and noun in _MEASURED
        )
        if suits and not noun.is_collective and not noun.is_always_plural:
            found.append(adjective.before(noun))
    return found


_MEASURED = nouns("skirt dress scarf")
