"""Sentences about what people and things are like."""

from regard.text.embedded.english_french.adjectives import ADJECTIVES, SAID_OF_NOUN
from regard.text.embedded.english_french.adverbials import NOW, ON_DAY, ON_DAYS, TOMORROW, YESTERDAY
from regard.text.embedded.english_french.casting import (
    draw_adjectives,
    draw_definite,
    draw_owned,
    draw_person,
)
from regard.text.embedded.english_french.clauses import YES_OR_NO, clause
from regard.text.embedded.english_french.conjugations import AVOIR
from regard.text.embedded.english_french.copulas import copula, described
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.inflection import Adjective
from regard.text.embedded.english_french.nominals import MYSELF, POSSESSIVES, WE, Nominal, noun_phrase
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.telling import FULL_STOP, NO_ADVERB, QUESTION_MARK
from regard.text.embedded.english_french.verbs import find_verb
from regard.text.embedded.english_french.weaving import Phrase, Term, chain, lead, listed, weave

OF_PEOPLE = tuple(
    ADJECTIVES[word]
    for word in listed("""
        tired sick ready busy worried nervous angry late surprised disappointed alone happy sad strong kind
        funny clever brave lazy honest famous shy serious polite calm careful generous proud jealous curious
        patient elegant rich poor
    """)
)
PASSING = frozenset(
    listed("tired sick ready busy worried nervous angry late surprised disappointed alone happy sad")
)
"""What one is for a while, and may be yesterday, tomorrow or still."""

FORESEEN = frozenset(listed("tired ready busy late happy disappointed alone"))
"""What one may know one is going to be."""

UNGRADED = frozenset(
    listed("""
        red blue green black white yellow grey brown pink french english italian german spanish chinese
        american broken round magic wild empty full alone ready open closed delicious late""")
)
"""What one is or is not, without a *very*."""

EXCESSIVE = frozenset(
    listed("""
        small big old young fat long tired busy nervous lazy shy serious jealous curious expensive heavy
        sweet hot cold noisy dirty slow difficult easy dark boring dangerous modern calm proud poor generous
        kind""")
)
"""What one may be too much …"""

SLIGHT = frozenset(listed("old small long expensive dirty heavy cold sad slow strange boring dark difficult"))
"""… and what a little."""


def draw_degree(draw: Draw, adjective: Adjective, denial: str = "", asked: bool = False) -> str:
    """Draw how much of it: nothing, *very*, *too* …"""
    if adjective.english in UNGRADED or draw.chance(0.3):
        return ""
    degrees = ["very"]
    if adjective.english in EXCESSIVE:
        degrees.append("too")
    if not denial and not asked:
        degrees += ["really", "so"]
        if adjective.english in SLIGHT:
            degrees.append("a little")
    return draw.one(degrees)


def describe_person(draw: Draw) -> Phrase | None:
    """*my sister is very tired .*, *are you ready ?*"""
    subject = draw_person(draw, "people", 0.4)
    adjective = draw.rare(OF_PEOPLE)
    passing = adjective.english in PASSING
    tense = draw.one(("present", "present", "past"))
    if adjective.english in FORESEEN and draw.chance(0.3):
        tense = "future"
    if tense == "present" and draw.chance(0.2):
        if subject in (MYSELF, WE):
            return None
        said = described(subject, adjective, draw_degree(draw, adjective, asked=True))
        return chain(copula(subject, said, question=YES_OR_NO), QUESTION_MARK)
    denial, adverb, degree = "not" if draw.chance(0.2) else "", NO_ADVERB, ""
    if tense == "present" and not denial and draw.chance(0.3):
        denial = draw.one(("never" if passing else "", "no longer", ""))
        if not denial:
            adverb = draw.one((("always", "toujours"), ("often", "souvent"), ("still", "encore")))
            if adverb[0] != "always" and not passing:
                return None
    else:
        degree = draw_degree(draw, adjective, denial, asked=tense == "future")
    said = copula(subject, described(subject, adjective, degree), tense, denial, adverb=adverb)
    if passing and denial in ("", "not") and not adverb[0] and draw.chance(0.4):
        times = {"present": NOW[:3], "past": YESTERDAY, "future": (*TOMORROW[:3], *ON_DAY)}[tense]
        said = chain(said, draw.rare(times))
    return chain(said, FULL_STOP)


THINGS = tuple(
    noun
    for noun in select_nouns(
        """food drink reading -message clothing jewel furniture container tool machine art vehicle ship
            plant part building room ground matter -word song show meal animal plaything instrument dream
            heaven star grass"""
    )
    if noun in SAID_OF_NOUN
)
SOMEBODYS = frozenset(listed("clothing vehicle pet tool jewel room container reading machine plaything"))
UNSAID = frozenset(["new", "wild", "magic", "tall"])
"""Adjectives that stand beside their noun, or that French would say otherwise."""


def draw_said(draw: Draw, thing: Nominal) -> Adjective | None:
    """Draw an adjective that may be said of a thing with *is*."""
    assert thing.noun
    adjective = draw.rare(SAID_OF_NOUN[thing.noun])
    return None if adjective.english in UNSAID else adjective


def describe_thing(draw: Draw) -> Phrase | None:
    """*the soup isn't very hot .*, *paul's car is red .*"""
    noun = draw.rare(THINGS)
    plural = bool(noun.plural) and draw.chance(
        0.75 if noun.kinds & {"paired", "fruit", "vegetable"} else 0.25
    )
    owned = noun.kinds & SOMEBODYS and draw.chance(0.45)
    subject = draw_owned(draw, noun, plural) if owned else draw_definite(draw, noun, 0, plural)
    adjective = draw_said(draw, subject)
    if adjective is None or any(word == adjective.english for word in subject.phrase.english):
        return None
    if draw.chance(0.15):
        said = described(subject, adjective, draw_degree(draw, adjective, asked=True))
        return chain(copula(subject, said, question=YES_OR_NO), QUESTION_MARK)
    denial = "not" if draw.chance(0.25) else ""
    said = described(subject, adjective, draw_degree(draw, adjective, denial))
    return chain(copula(subject, said, draw.one(("present", "present", "past")), denial), FULL_STOP)


def tell_open(draw: Draw) -> Phrase:
    """*the museum is closed on mondays .*, *was the bakery open yesterday ?*"""
    noun = draw.rare(select_nouns("shop museum library bakery restaurant theatre church cinema"))
    place = draw_definite(draw, noun, 0.2, plural=False)
    said = described(place, ADJECTIVES[draw.one(("open", "closed"))])
    tense = draw.one(("present", "present", "past"))
    time = draw.rare((*ON_DAYS, *NOW[1:3]) if tense == "present" else YESTERDAY)
    if draw.chance(0.25):
        return chain(copula(place, said, tense, question=YES_OR_NO), time, QUESTION_MARK)
    adverb = ("always", "toujours") if tense == "present" and draw.chance(0.2) else NO_ADVERB
    denial = "not" if not adverb[0] and draw.chance(0.3) else ""
    return chain(copula(place, said, tense, denial, adverb=adverb), time, FULL_STOP)


FEELINGS = {
    "hungry": "faim",
    "thirsty": "soif",
    "cold": "froid",
    "hot": "chaud",
    "sleepy": "sommeil",
    "right": "raison",
    "wrong": "tort",
    "lucky": "de la chance",
}


def feeling(english: str, very: bool = False) -> Phrase:
    """Say what one is in English and has in French: *hungry*, *faim*."""
    return weave(
        "{d}/d {e}/e",
        "{f}/d {g}/e",
        d="very" if very else "",
        e=Term(english, english),
        f="très" if very else "",
        g=FEELINGS[english],
    )


def feel(draw: Draw) -> Phrase | None:
    """*are you hungry ?*, *paul is right .*: with *avoir* in French."""
    english = draw.rare(tuple(FEELINGS))
    subject = draw_person(draw, "people", 0.45)
    if english in ("hungry", "thirsty", "cold", "sleepy") and draw.chance(0.2):
        subject = draw_definite(draw, draw.rare(select_nouns("pet baby")), 0.2)
    very = english in ("hungry", "thirsty", "cold", "hot") and draw.chance(0.25)
    said = feeling(english, very)
    if draw.chance(0.2):
        if subject in (MYSELF, WE):
            return None
        return chain(copula(subject, said, french=AVOIR, question=YES_OR_NO), QUESTION_MARK)
    denial = draw.one(("", "", "", "not", "never")) if english != "lucky" and not very else ""
    adverb = ("always", "toujours") if not denial and not very and draw.chance(0.15) else NO_ADVERB
    tense = draw.one(("present", "present", "past"))
    said = copula(subject, said, tense, denial, french=AVOIR, adverb=adverb)
    if (
        denial != "never"
        and not adverb[0]
        and english not in ("right", "wrong", "lucky")
        and draw.chance(0.35)
    ):
        said = chain(said, draw.rare(NOW[:3] if tense == "present" else YESTERDAY))
    return chain(said, FULL_STOP)


def fear(draw: Draw) -> Phrase | None:
    """*she is afraid of snakes .*, *elle a peur des serpents .*"""
    subject = draw_person(draw, "people", 0.45)
    noun = draw.rare(
        select_nouns("dog wolf bear lion snake mouse bee witch thief policeman owl cow goat horse")
    )
    if noun is subject.noun:
        return None
    generally = draw.chance(0.5)
    feared = noun_phrase(noun, "generic", plural=True) if generally else draw_definite(draw, noun, 0.3)
    said = weave("{a}/a of/o {n}", "peur/a de/o {n}", a=Term("afraid", "afraid"), n=feared.phrase)
    if draw.chance(0.2):
        if subject in (MYSELF, WE):
            return None
        return chain(copula(subject, said, french=AVOIR, question=YES_OR_NO), QUESTION_MARK)
    denial = draw.one(("", "", "not", "no longer"))
    return chain(copula(subject, said, draw.one(("present", "past")), denial, french=AVOIR), FULL_STOP)


NEEDED = """
    bread milk water butter rice egg onion lemon pen pencil key knife map dictionary umbrella rope axe
    ticket bucket box telephone computer car bicycle coat doctor lawyer nurse chair lamp candle basket"""


def need(draw: Draw) -> Phrase | None:
    """*i need a pen .*, *j'ai besoin d'un stylo .*"""
    subject = draw_person(draw, "people", 0.45)
    noun = draw.rare(select_nouns(NEEDED))
    if noun is subject.noun:
        return None
    denial = draw.one(("", "", "", "not", "no longer"))
    before, after = draw_adjectives(draw, noun, 0.25)
    determiner = draw.one(("a", "a", "a", "the", "this", *POSSESSIVES[:3]))
    if "food" in noun.kinds or "drink" in noun.kinds:
        needed = noun_phrase(noun, "", bool(noun.plural), denied=True).phrase
    elif denial and determiner == "a":
        needed = noun_phrase(noun, "a", False, before, after, denied=True).phrase
    else:
        needed = lead("de", noun_phrase(noun, determiner, False, before, after).phrase)
    if not denial and draw.chance(0.25):
        if subject in (MYSELF, WE):
            return None
        return chain(clause(subject, find_verb("need"), goal=needed, question=YES_OR_NO), QUESTION_MARK)
    tense = draw.one(("present", "present", "past"))
    return chain(clause(subject, find_verb("need"), tense, denial, goal=needed), FULL_STOP)


def remember(draw: Draw) -> Phrase | None:
    """*do you remember that song ?*, *est-ce que tu te souviens de cette chanson ?*"""
    subject = draw_person(draw, "people", 0.5)
    noun = draw.rare(
        select_nouns("people song story film poem dream castle village island teacher meal match question")
    )
    if noun is subject.noun or noun.english in ("breakfast", "lunch", "dinner"):
        return None
    remembered = lead("de", draw_definite(draw, noun, 0.25).phrase)
    if draw.chance(0.3):
        if subject in (MYSELF, WE):
            return None
        return chain(
            clause(subject, find_verb("remember"), goal=remembered, question=YES_OR_NO), QUESTION_MARK
        )
    denial = draw.one(("", "", "not", "no longer"))
    return chain(clause(subject, find_verb("remember"), "present", denial, goal=remembered), FULL_STOP)
