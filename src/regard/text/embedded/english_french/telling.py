"""When a thing is done, whether it is denied, and the mark that closes the sentence."""

from regard.text.embedded.english_french.adverbials import FREQUENCIES
from regard.text.embedded.english_french.casting import draw_time
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.inflection import Noun, Verb
from regard.text.embedded.english_french.nominals import Nominal
from regard.text.embedded.english_french.weaving import Phrase, chain, weave

FULL_STOP, QUESTION_MARK, EXCLAMATION_MARK = weave(".", "."), weave("?", "?"), weave("!", "!")
NO_ADVERB = ("", "")
WORN_BY_WOMEN = frozenset(["dress", "skirt", "necklace"])
ALCOHOL = frozenset(["wine", "beer"])
YOUNG = frozenset(["boy", "girl", "child", "son", "daughter", "nephew", "niece"])


def draw_tense(draw: Draw, verb: Verb) -> str:
    """Draw a tense that suits the verb."""
    if "state" in verb.traits:
        return draw.one(("present", "present", "past"))
    if "unplanned" in verb.traits:
        return draw.one(("past", "past", "past", "present" if "instant" in verb.traits else "progressive"))
    if "instant" in verb.traits:
        return draw.one(("past", "past", "past", "future", "present"))
    if "habit" in verb.traits and draw.chance(0.12):
        return "habit"
    return draw.one(("past", "past", "past", "progressive", "progressive", "future", "future", "present"))


def draw_denial(draw: Draw, verb: Verb, tense: str) -> str:
    """Draw whether it is denied, and how."""
    if tense == "habit" or draw.chance(0.75):
        return ""
    if tense != "present":
        return "not"
    if "state" in verb.traits:
        return draw.one(("not", "not", "no longer"))
    return draw.one(
        ("not", "not", "never", "no longer") if "habit" in verb.traits else ("never", "no longer")
    )


def draw_frequency(draw: Draw, verb: Verb, tense: str, denial: str) -> tuple[str, str]:
    """Draw how often what is done in the present is done; nothing for all else.

    A plain present is for states and habits.
    """
    if tense != "present" or denial or "state" in verb.traits:
        return NO_ADVERB
    return draw.one(FREQUENCIES) if "habit" not in verb.traits or draw.chance(0.6) else NO_ADVERB


def is_ambiguous(verb: Verb, tense: str, subject: Nominal, denial: str = "") -> bool:
    """Tell whether *they read* would not say when: that form is kept for the past."""
    return verb.english == verb.past and tense == "present" and subject.person != 2 and denial != "not"


def suits(subject: Nominal, noun: Noun, verb: Verb | None = None) -> bool:
    """Tell whether a noun goes with a subject: nobody follows himself, no child drinks wine."""
    if verb and verb.english == "wear" and noun.english in WORN_BY_WOMEN and not subject.feminine:
        return False
    if subject.noun is None:
        return True
    return noun is not subject.noun and not (noun.english in ALCOHOL and subject.noun.english in YOUNG)


def close(
    draw: Draw, said: Phrase, verb: Verb, tense: str, denial: str = "", adverb: tuple[str, str] = NO_ADVERB
) -> Phrase:
    """Close a sentence, often with a time, now and then with the time in front."""
    timeless = denial in ("never", "no longer") or adverb[0] or "state" in verb.traits
    if timeless or not draw.chance(0.45):
        return chain(said, FULL_STOP)
    time = draw_time(draw, tense, verb, denial)
    if draw.chance(0.2):
        return weave("{t} , {s} .", "{t} , {s} .", t=time, s=said)
    return chain(said, time, FULL_STOP)
