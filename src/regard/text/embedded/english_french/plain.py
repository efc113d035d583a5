"""The plainest sentences, which anybody types first: *the cat sleeps .*, *the red house is old .*"""

from regard.text.embedded.english_french.adjectives import AFTER_NOUN, BEFORE_NOUN, SAID_OF_NOUN
from regard.text.embedded.english_french.casting import draw_object, draw_place_for, draw_use
from regard.text.embedded.english_french.clauses import clause
from regard.text.embedded.english_french.conjugations import AVOIR
from regard.text.embedded.english_french.copulas import copula, described
from regard.text.embedded.english_french.descriptions import (
    FEELINGS,
    OF_PEOPLE,
    THINGS,
    UNSAID,
    draw_degree,
    feeling,
)
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.nominals import MYSELF, PRONOUNS, noun_phrase
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.telling import FULL_STOP, is_ambiguous, suits
from regard.text.embedded.english_french.verbs import INTRANSITIVE, TRANSITIVE
from regard.text.embedded.english_french.weaving import Phrase, chain, listed

ALONE = {verb.third: verb for verb in INTRANSITIVE}
WITH_OBJECT = {verb.third: verb for verb in TRANSITIVE}
"""Verbs by the form that is said here, so that each is drawn as often as any other: *sleeps*, *reads*."""


def just_act(draw: Draw) -> Phrase | None:
    """*the cat sleeps .*, *the children play in the garden .*"""
    verb = ALONE[draw.rare(tuple(ALONE))]
    subject, _ = draw_use(draw, verb, with_object=False)
    if subject.noun and "animal" in subject.noun.kinds and draw.chance(0.3):
        subject = noun_phrase(subject.noun, "the")
    if verb.english == "die" and subject.plural:
        return None
    said = clause(subject, verb, "present", draw.one(("", "", "", "", "not")))
    where = draw_place_for(draw, subject, verb) if verb.english == "stay" or draw.chance(0.2) else None
    if where is None and verb.english == "stay":
        return None
    return chain(said, where, FULL_STOP) if where else chain(said, FULL_STOP)


def just_act_on(draw: Draw) -> Phrase | None:
    """*the girl reads a book .*, *paul doesn't eat meat .*"""
    verb = WITH_OBJECT[draw.rare(tuple(WITH_OBJECT))]
    subject, what = draw_use(draw, verb, pronouns=0.15)
    denial = draw.one(("", "", "", "", "", "not"))
    noun = draw.rare(select_nouns(what))
    if is_ambiguous(verb, "present", subject, denial) or not suits(subject, noun, verb):
        return None
    goal = draw_object(draw, verb, noun, denial, habitual=bool(denial), counted=False, adjectives=0.25)
    return chain(clause(subject, verb, "present", denial, goal=goal.phrase), FULL_STOP)


FAMILIES = tuple(
    frozenset(listed(words))
    for words in (
        "red blue green black white yellow grey brown pink dark",
        "french english italian german spanish chinese american",
        "small big tall fat long",
        "old new young modern",
        "good bad delicious sweet fresh ripe",
        "beautiful pretty ugly elegant",
        "happy sad angry disappointed worried proud funny",
        "rich poor expensive",
        "clever lazy serious careful busy tired",
        "kind honest polite generous jealous",
        "brave shy strong nervous calm noisy",
        "clean dirty",
        "heavy light",
        "empty full open closed broken",
        "broken useful comfortable modern new fast magic",
        "fast slow",
        "hot cold fresh",
        "easy difficult interesting boring important",
        "wild dangerous calm",
        "famous strange rare",
    )
)
"""Adjectives of which one says but one of a thing: they exclude or repeat each other."""


def describe_known(draw: Draw) -> Phrase | None:
    """*the red house is old .*, *the young queen isn't very happy .*"""
    of_person = draw.chance(0.3)
    noun = draw.one(select_nouns("person -thief") if of_person else THINGS)
    beside = BEFORE_NOUN.get(noun, ()) + AFTER_NOUN.get(noun, ())
    if not beside:
        return None
    known, said = draw.one(beside), draw.one(OF_PEOPLE if of_person else SAID_OF_NOUN[noun])
    words = {known.english, said.english}
    if said.english in UNSAID or any(words <= family for family in FAMILIES):
        return None
    plural = bool(noun.plural) and draw.chance(0.25)
    determiner = draw.one(("the", "the", "the", "these" if plural else "this"))
    before, after = (known, None) if known.before else (None, known)
    subject = noun_phrase(noun, determiner, plural, before, after)
    denial = "not" if draw.chance(0.15) else ""
    degree = draw_degree(draw, said, denial) if draw.chance(0.4) else ""
    tense = draw.one(("present", "present", "present", "past"))
    return chain(copula(subject, described(subject, said, degree), tense, denial), FULL_STOP)


IN_FULL = {"'m": "am", "'s": "is", "'re": "are"}


def say_in_full(draw: Draw) -> Phrase | None:
    """*i am tired .*, *she is sleeping .*: what is elsewhere *i'm* and *she's*."""
    subject = draw.one(PRONOUNS)
    denial = "not" if subject is MYSELF and draw.chance(0.3) else ""
    way = draw.one(("described", "described", "feeling", "acting", "acting"))
    if way == "described":
        adjective = draw.one(OF_PEOPLE)
        degree = draw_degree(draw, adjective, denial)
        said = copula(subject, described(subject, adjective, degree), denial=denial)
    elif way == "feeling":
        said = copula(subject, feeling(draw.one(tuple(FEELINGS))), denial=denial, french=AVOIR)
    else:
        verb = draw.one([verb for verb in INTRANSITIVE if verb.uses[0][0] == "people"])
        if "instant" in verb.traits or verb.english == "stay":
            return None
        said = clause(subject, verb, "progressive", denial)
        where = draw_place_for(draw, subject, verb) if draw.chance(0.4) else None
        said = chain(said, where) if where else said
    return chain(said._replace(english=tuple(IN_FULL.get(word, word) for word in said.english)), FULL_STOP)
