"""Things as one would speak of them: how many at a time, whose, with which adjective."""

from collections.abc import Sequence

from regard.text.embedded.english_chinese.adjectives import COLOURS, QUALITIES, Adjective
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
from regard.text.embedded.english_chinese.people import Person, possessed
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
    if "pairful" in noun.kinds:
        ways = [a(noun), a(noun), number("two", noun)]
    elif "portion" in noun.kinds:
        ways = [a(noun), number("two", noun), number("three", noun)]
    elif "show" in noun.kinds:
        ways = [a(noun), number("two", noun)]
    elif "small" in noun.kinds:
        ways = [*[a(noun)] * 4, *(number(name, noun) for name in _SMALL_NUMBERS), several(noun), many(noun)]
    else:
        ways = [a(noun), a(noun), number("two", noun), number("three", noun), several(noun)]
    return ways[draw % len(ways)]


def may_have(person: Person, noun: Noun) -> bool:
    """Whether it is theirs to buy, drink or like: no skirts for him, no wine for children."""
    unfit = {"feminine"} if person.pronoun == "he" else set()
    return not noun.kinds & (unfit if person.is_grown else unfit | {"alcohol"})


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
        suits = suits and not (adjective.name == "cheap" and "orchard" in noun.kinds)
        if suits and not noun.is_collective and not noun.is_always_plural:
            found.append(adjective.before(noun))
    return found


# A man in a green hat is a figure of fun in Chinese.
_COLOURS = {
    "hat": "red yellow white black blue brown pink gray purple",
    "flower": "red yellow white pink purple blue",
    "bird": "white black gray blue green yellow",
    "butterfly": "white black blue yellow",
    "cat": "white black gray yellow",
    "house": "white gray yellow red",
    "glasses": "black brown red blue",
}


def colours_of(noun: Noun) -> list[Adjective]:
    """The colours it comes in."""
    return [
        colour for colour in COLOURS if colour.name in _COLOURS.get(noun.singular.name, colour.name).split()
    ]


_MEASURED = nouns("skirt dress scarf")
