"""Who and what takes part: subjects and objects drawn to suit a verb."""

from regard.text.embedded.english_french.adjectives import AFTER_NOUN, BEFORE_NOUN
from regard.text.embedded.english_french.adverbials import (
    LONG_TIMES,
    SPAN_TIMES,
    TIMES,
    at_place,
)
from regard.text.embedded.english_french.clauses import PARTS_DENIED
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.inflection import Adjective, Noun, Verb
from regard.text.embedded.english_french.nominals import (
    NUMBERS,
    POSSESSIVES,
    PRONOUNS,
    Nominal,
    both,
    name,
    noun_phrase,
    of,
)
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.weaving import Phrase, listed

OWNED = frozenset(
    listed("""
        clothing jewel vehicle ship machine instrument plaything pet tool container reading small furniture
        room part""")
)
"""Kinds of things that are somebody's."""

WORN = frozenset(["clothing", "jewel"])
OUTER = frozenset(listed("small big old new pretty beautiful long young good"))
INNER = frozenset(
    listed("red blue green black white yellow grey brown pink french english italian german spanish")
)
"""Two adjectives go together when one is of the first kind, the other of the second: *a small red house*."""


DENIED_ANY = frozenset(
    listed("have want buy sell see find wear write draw receive build choose plant win hear carry")
)
"""Verbs that may be denied of anything of a kind …"""
DONE_TO_THIS = frozenset(listed("understand study forget finish start admire fill save protect thank"))
"""… and verbs of which one wants to know what they are done to."""


def draw_adjectives(draw: Draw, noun: Noun, chance: float) -> tuple[Adjective | None, Adjective | None]:
    """Draw an adjective for before the French noun, for after it, rarely both, often none."""
    if not draw.chance(chance):
        return None, None
    before, after = BEFORE_NOUN.get(noun, ()), AFTER_NOUN.get(noun, ())
    if not before and not after:
        return None, None
    adjective = draw.rare(before + after)
    if adjective.before:
        inner = [other for other in after if other.english in INNER]
        if adjective.english in OUTER and inner and draw.chance(0.25):
            return adjective, draw.rare(inner)
        return adjective, None
    return None, adjective


def draw_person(draw: Draw, selection: str = "people", pronouns: float = 0.3, pairs: float = 0.06) -> Nominal:
    """Draw somebody: a pronoun, a name, a relative, a profession, now and then two together."""
    if selection == "people":
        if draw.chance(pronouns):
            return draw.one(PRONOUNS)
        if draw.chance(pairs):
            first, second = draw.rare(select_nouns("name")), draw.rare(select_nouns("name"))
            return both(name(first), name(second)) if first is not second else name(first)
        selection = draw.one(("name", "name", "kin", "kin spouse", "person", "person", "person", "friend"))
    noun = draw.rare(select_nouns(selection))
    return draw_definite(draw, noun, adjectives=0.2)


def draw_other(draw: Draw, subject: Nominal, pronouns: float = 0.0) -> Nominal:
    """Draw somebody who is not taken for the subject: beside *paul* there is no *he*, beside *i* no *we*."""
    own = {0, 3} if subject.person in (0, 3) else {subject.person} if subject.is_pronoun else {2, 5}
    while True:
        other = draw_person(draw, "people", pronouns, pairs=0)
        if other.person not in own if other.is_pronoun else other.noun is not subject.noun:
            return other


def draw_owner(draw: Draw) -> Nominal:
    """Draw somebody who can own something in front of *'s*."""
    noun = draw.rare(select_nouns(draw.one(("name", "kin", "person"))))
    if "name" in noun.kinds:
        return name(noun)
    determiner = draw.one(POSSESSIVES) if "kin" in noun.kinds else "the"
    return noun_phrase(noun, determiner, plural=bool(noun.plural) and draw.chance(0.15))


def draw_definite(draw: Draw, noun: Noun, adjectives: float = 0.3, plural: bool | None = None) -> Nominal:
    """Draw how a known person or thing is named: *the*, *my*, *this* …"""
    if "name" in noun.kinds:
        return name(noun)
    if "heaven" in noun.kinds:
        return noun_phrase(noun, "the")
    if "spouse" in noun.kinds:
        return noun_phrase(noun, "her" if noun.english == "husband" else "his")
    if plural is None:
        plural = bool(noun.plural) and draw.chance(0.25)
    before, after = draw_adjectives(draw, noun, adjectives)
    if "kin" in noun.kinds:
        return noun_phrase(noun, draw.one(POSSESSIVES), plural)
    if "friend" in noun.kinds or (noun.kinds & OWNED and draw.chance(0.35)):
        return noun_phrase(noun, draw.one(POSSESSIVES), plural, before, after)
    if draw.chance(0.2):
        return noun_phrase(
            noun, draw.one(("these", "those") if plural else ("this", "that")), plural, before, after
        )
    return noun_phrase(noun, "the", plural, before, after)


def draw_object(
    draw: Draw,
    verb: Verb,
    noun: Noun,
    denial: str = "",
    *,
    asked: bool = False,
    habitual: bool = False,
    counted: bool = True,
    adjectives: float = 0.35,
) -> Nominal:
    """Draw how what a verb is done to is named, definite or not, by the traits of the verb.

    What is done ``habitual``ly is not ``counted``.
    """
    denied = denial in PARTS_DENIED
    known, many = "known" in verb.traits, "many" in verb.traits
    if verb.english == "wear":
        return _draw_worn(draw, noun, denied)
    if "mass" in noun.kinds:
        this = verb.english in DONE_TO_THIS or draw.chance(0.4)
        if noun.english != "music" and this:
            return draw_definite(draw, noun, adjectives, plural=False)
        before, after = draw_adjectives(draw, noun, adjectives)
        part = draw.one(("any", "") if denied or asked else ("some", "")) if noun.english != "music" else ""
        return noun_phrase(noun, part, False, before, after, denied)
    if noun.english in ("breakfast", "lunch", "dinner"):
        return noun_phrase(noun, "generic")
    if noun.kinds & {"kin", "spouse", "heaven", "name", "friend"}:
        return draw_definite(draw, noun, adjectives, plural=False)
    several = bool(noun.plural) and "transport" not in noun.kinds
    plural = several and (many or draw.chance(0.8 if "paired" in noun.kinds else 0.3))
    definite = 0.7 if noun.kinds & {"place", "people"} else 0.5
    # "he didn't feed a goat" leaves one wondering which; "he didn't buy a goat" does not.
    denied_this = (
        denied and (denial != "not" or verb.english not in DENIED_ANY) and "habit" not in verb.traits
    )
    if denied_this or verb.english in DONE_TO_THIS or draw.chance(definite):
        return draw_definite(draw, noun, adjectives, plural)
    before, after = draw_adjectives(draw, noun, adjectives)
    if not plural and not (habitual and (denied or noun.kinds & {"food", "clothing", "animal"})):
        return noun_phrase(noun, "a", False, before, after, denied)
    counted = counted and not (denied or asked or habitual or known)
    if plural and counted and draw.chance(0.45):
        determiner = draw.one((*NUMBERS, "several", "many", "a few"))
        return noun_phrase(noun, determiner, True, before, after)
    if not noun.plural or known:
        return draw_definite(draw, noun, adjectives, plural)
    part = draw.one(("any", "") if denied or asked else ("some", ""))
    return noun_phrase(noun, "" if habitual else part, True, before, after, denied)


def _draw_worn(draw: Draw, noun: Noun, denied: bool) -> Nominal:
    """One wears one dress and two shoes."""
    before, after = draw_adjectives(draw, noun, 0.5)
    plural = "paired" in noun.kinds
    determiner = draw.one(("", "", "the", "these") if plural else ("a", "a", "the", "this"))
    return noun_phrase(noun, determiner, plural, before, after, denied)


def draw_gift(draw: Draw, verb: Verb, noun: Noun, denial: str = "", asked: bool = False) -> Nominal:
    """Draw how something that changes hands is named: one of it, or what is known, or a part."""
    if "mass" in noun.kinds or noun.kinds & {"fruit", "treat", "plant"}:
        return draw_object(draw, verb, noun, denial, asked=asked, adjectives=0.2)
    if denial in ("never", "no longer") or draw.chance(0.5):
        return draw_definite(draw, noun, 0.2)
    before, after = draw_adjectives(draw, noun, 0.25)
    return noun_phrase(noun, "a", False, before, after, denial in PARTS_DENIED)


def draw_owned(draw: Draw, noun: Noun, plural: bool = False) -> Nominal:
    """Draw an owner for a noun: *my sister's hat*."""
    owner = draw_owner(draw)
    plural = bool(noun.plural) and (
        plural or "paired" in noun.kinds or (owner.plural and bool(noun.kinds & WORN))
    )
    before, after = draw_adjectives(draw, noun, 0.2)
    return of(owner, noun_phrase(noun, "generic", plural, before, after))


def draw_use(draw: Draw, verb: Verb, pronouns: float = 0.3, with_object: bool = True) -> tuple[Nominal, str]:
    """Draw who does it, and the selection of what it is then done to."""
    who, what = draw.one([use for use in verb.uses if bool(use[1]) is with_object])
    if who == "people animal":
        who = draw.one(("people", "people", "animal"))
    return draw_person(draw, who, pronouns), what


SUDDEN = frozenset(["arrive", "leave", "come back", "go home", "go out", "wake up"])
"""What was done two hours ago, or is going to be done in two days."""
OUTDOORS = frozenset(
    listed("garden street park forest village market beach river field farm square pool sea sky")
)
"""Where animals do what they do."""


def draw_place_for(draw: Draw, subject: Nominal, verb: Verb) -> Phrase | None:
    """Draw where somebody does something, if anywhere: animals stay outdoors."""
    places = verb.places
    if subject.noun and "animal" in subject.noun.kinds:
        places = " ".join(place for place in places.split() if place in OUTDOORS)
    return draw_place(draw, places) if places else None


def draw_place(draw: Draw, selection: str, adjectives: float = 0.12) -> Phrase:
    """Draw where it happens."""
    noun = draw.rare(select_nouns(selection))
    before, after = draw_adjectives(draw, noun, adjectives)
    return at_place(noun_phrase(noun, "the", False, before, after))


def draw_time(draw: Draw, tense: str, verb: Verb, denial: str = "") -> Phrase:
    """Draw when it happens, or does not."""
    times = TIMES[tense]
    if not denial and (verb.english in SUDDEN or verb.traits & {"instant", "long"}):
        times += SPAN_TIMES.get(tense, ())
    if "long" in verb.traits:
        times += LONG_TIMES.get(tense, ())
    return draw.rare(times)
