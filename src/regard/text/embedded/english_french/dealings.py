"""Sentences about what people do to one another: pronouns before the French verb, and orders."""

from regard.text.embedded.english_french.actions import with_someone
from regard.text.embedded.english_french.casting import (
    draw_definite,
    draw_gift,
    draw_object,
    draw_other,
    draw_person,
    draw_place,
)
from regard.text.embedded.english_french.clauses import CAN, HAVE, HOPE, MUST, WANT, YES_OR_NO, clause
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.inflection import Verb
from regard.text.embedded.english_french.nominals import (
    DETERMINERS,
    DIRECT,
    INDIRECT,
    NUMBERS,
    SOME,
    THERE,
    Clitic,
    Nominal,
)
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.telling import (
    EXCLAMATION_MARK,
    FULL_STOP,
    QUESTION_MARK,
    close,
    draw_denial,
    draw_frequency,
    draw_tense,
    is_ambiguous,
)
from regard.text.embedded.english_french.verbs import find_verb, find_verbs
from regard.text.embedded.english_french.weaving import Phrase, Term, chain, lead, weave

DONE_TO_PEOPLE = find_verbs(
    """see know love thank follow help call meet wait_for listen_to look_at invite save admire find hear
        look_for forget"""
)
OWN_GROUP = ({0, 3}, {1}, set[int](), {0, 3}, {1}, set[int]())
"""For each subject the persons that are among it: *i* do not see *us*."""


def draw_clitic(draw: Draw, subject: Nominal, clitics: tuple[Clitic, ...]) -> Clitic:
    """Draw an object pronoun that is not the subject itself."""
    return draw.one([clitic for clitic in clitics if clitic.person not in OWN_GROUP[subject.person]])


def act_on_them(draw: Draw) -> Phrase:
    """*i didn't see them yesterday .*: the pronoun goes first, and the participle agrees."""
    verb = draw.rare(DONE_TO_PEOPLE)
    subject = draw_person(draw, "people", 0.55)
    tense = draw_tense(draw, verb)
    denial = draw_denial(draw, verb, tense)
    adverb = draw_frequency(draw, verb, tense, denial)
    said = clause(subject, verb, tense, denial, clitic=draw_clitic(draw, subject, DIRECT), adverb=adverb)
    if verb.places and draw.chance(0.35):
        return chain(said, draw_place(draw, verb.places), FULL_STOP)
    return close(draw, said, verb, tense, denial, adverb)


def must_act_on_them(draw: Draw) -> Phrase:
    """*she wants to help us tomorrow .*: the pronoun goes before the infinitive."""
    modal = draw.one((WANT, WANT, CAN, CAN, MUST, HAVE, HOPE))
    denial = "not" if modal not in (HAVE, HOPE) and draw.chance(0.35) else ""
    subject = draw_person(draw, "people", 0.4)
    verb = draw.rare(
        find_verbs("see help call meet invite thank wait_for listen_to find look_for follow save")
    )
    said = clause(subject, verb, "", denial, clitic=draw_clitic(draw, subject, DIRECT), modal=modal)
    return close(draw, said, verb, "modal", denial)


SPOKEN_TO = {"talk": "to", "write": "to", "answer": "", "obey": "", "smile": "at"}


def speak_to(draw: Draw) -> Phrase:
    """*she often talks to him .*, *he answered the teacher .*"""
    english = draw.rare(tuple(SPOKEN_TO))
    verb, particle = find_verb(english), SPOKEN_TO[english]
    subject = draw_person(draw, "people", 0.45)
    tense = draw_tense(draw, verb)
    denial = draw_denial(draw, verb, tense)
    adverb = draw_frequency(draw, verb, tense, denial)
    if draw.chance(0.5):
        clitic = draw_clitic(draw, subject, INDIRECT)
        clitic = clitic._replace(english=f"{particle} {clitic.english}".strip())
        said = clause(subject, verb, tense, denial, clitic=clitic, adverb=adverb)
    else:
        hearer = draw_other(draw, subject).phrase
        heard = weave("{p}/p {h}", "à/p {h}", p=particle, h=hearer) if particle else lead("à", hearer)
        said = clause(subject, verb, tense, denial, goal=heard, adverb=adverb)
    return close(draw, said, verb, tense, denial, adverb)


HANDED = {
    "give": """
        book flower coin apple key letter ring toy doll ball gift cake biscuit umbrella pen water milk bread
        chocolate""",
    "show": "photo map house garden painting letter ring castle museum drum toy horse book dress watch",
    "send": "letter photo gift message flower book ticket map newspaper",
    "bring": """
        coffee tea water bread cake soup flower chair newspaper basket bag suitcase glass plate strawberry
        cheese""",
    "lend": """
        bicycle book umbrella car pen coat hat dictionary camera guitar knife axe rope pencil boat
        computer""",
    "offer": "flower ring necklace rose gift watch chocolate scarf doll violin painting horse wine",
    "sell": "car horse house bicycle boat violin painting cow cheese carpet clock guitar",
    "tell": "story",
    "read": "story letter poem newspaper",
}


def hand_over(draw: Draw) -> Phrase | None:
    """*paul gave a book to marie .*, *paul gave her a book .*"""
    english = draw.rare(tuple(HANDED))
    verb = find_verb(english)
    subject = draw_person(draw, "people", 0.35)
    tense = draw.one(("past", "past", "past", "future", "future", "progressive", "present"))
    denial = draw_denial(draw, verb, tense)
    if is_ambiguous(verb, tense, subject, denial):
        return None
    goal = draw_gift(draw, verb, draw.rare(select_nouns(HANDED[english])), denial).phrase
    adverb = draw_frequency(draw, verb, tense, denial)
    if tense == "present" and not adverb[0] and not denial:
        return None
    if draw.chance(0.5):
        clitic = draw_clitic(draw, subject, INDIRECT)
        said = clause(subject, verb, tense, denial, goal=goal, clitic=clitic, adverb=adverb)
    else:
        goal = weave("{g} to/t {r}", "{g} à/t {r}", g=goal, r=draw_other(draw, subject).phrase)
        said = clause(subject, verb, tense, denial, goal=goal, adverb=adverb)
    return close(draw, said, verb, tense, denial, adverb)


TAKEN = find_verbs("have want buy see eat sell find choose take receive drink prepare")


def take_some(draw: Draw) -> Phrase | None:
    """*he has three of them .*, *il en a trois .*; *do you want some ?*, *est-ce que tu en veux ?*"""
    verb = draw.rare(TAKEN)
    subject = draw_person(draw, "people", 0.5)
    tense = "present" if "state" in verb.traits else draw.one(("past", "past", "future"))
    if draw.chance(0.6) and verb.english not in ("drink", "prepare"):
        number = draw.one(NUMBERS)
        french = DETERMINERS[number][3]
        said = clause(
            subject,
            verb,
            tense,
            clitic=SOME._replace(english="of them"),
            goal=weave("{n}/n", "{f}/n", n=Term(number, number), f=french),
        )
        # Only here does the English object come before the pronoun.
        end = len(said.english)
        moved = {end - 3: end - 2, end - 2: end - 1, end - 1: end - 3}
        said = said._replace(
            english=(*said.english[:-3], number, "of", "them"),
            links=tuple((moved.get(i, i), j, sure) for i, j, sure in said.links),
        )
    elif draw.chance(0.4) and subject.person not in (0, 3):
        said = clause(subject, verb, tense, clitic=SOME, question=YES_OR_NO)
        return chain(said, QUESTION_MARK)
    else:
        denial = draw.one(("", "not"))
        said = clause(subject, verb, tense, denial, clitic=SOME._replace(english="any") if denial else SOME)
    return close(draw, said, verb, tense)


def go_there(draw: Draw) -> Phrase:
    """*we are going there tomorrow .*, *nous y allons demain .*"""
    subject = draw_person(draw, "people", 0.5)
    verb = find_verb("go")
    tense = draw.one(("past", "present", "future", "progressive"))
    denial = draw_denial(draw, verb, tense)
    adverb = draw_frequency(draw, verb, tense, denial)
    said = clause(subject, verb, tense, denial, clitic=THERE, adverb=adverb)
    if draw.chance(0.4):
        said = chain(said, with_someone(draw, subject))
    return close(draw, said, verb, tense, denial, adverb)


def ordered(draw: Draw, said: Phrase) -> Phrase:
    """Close an order, with a *please* or an exclamation mark."""
    if draw.chance(0.35):
        return weave("{s} , please/p .", "{s} , si/p il/p te/p plaît/p .", s=said)
    return chain(said, EXCLAMATION_MARK)


def order(draw: Draw) -> Phrase:
    """*open the door !*, *don't wash this shirt , please .*"""
    verb = draw.rare(
        find_verbs(
            """open close take read wash clean cut prepare choose fill push listen_to look_at use repair
                finish hide feed"""
        )
    )
    denied = draw.chance(0.35)
    noun = draw.rare(select_nouns(verb.things))
    goal = (
        draw_definite(draw, noun)
        if noun.english not in ("lunch", "dinner", "breakfast")
        else draw_object(draw, verb, noun)
    )
    lines = ("don't/n {v}/v {o}", "ne/n? {f}/v pas/n {o}") if denied else ("{v}/v {o}", "{f}/v {o}")
    said = weave(*lines, v=Term(verb.english, verb.english), f=verb.french.imperative, o=goal.phrase)
    return ordered(draw, said)


def order_for_them(draw: Draw) -> Phrase:
    """*help me , please .*, *don't wait for him !*, *give her the key !*"""
    others = [clitic for clitic in DIRECT if clitic.person != 1]
    if draw.chance(0.4):
        verb = draw.rare(find_verbs("give show bring lend send offer"))
        noun = draw.rare(select_nouns(HANDED[verb.english]))
        clitic = draw.one([clitic for clitic in INDIRECT if clitic.person != 1])
        return ordered(draw, chain(_order_one(verb, clitic), draw_gift(draw, verb, noun).phrase))
    verb = draw.rare(find_verbs("help follow listen_to look_at wait_for call thank invite look_for forget"))
    clitic = draw.one(others)
    if verb.english == "forget" or draw.chance(0.5):
        return ordered(
            draw,
            weave(
                "don't/n {v}/v {e}/c",
                "ne/n? {c}/c {f}/v pas/n",
                v=Term(verb.english, verb.english),
                f=verb.french.imperative,
                e=clitic.english,
                c=clitic.french,
            ),
        )
    said = _order_one(verb, clitic)
    if verb.places and draw.chance(0.4):
        said = chain(said, draw_place(draw, verb.places))
    return ordered(draw, said)


def _order_one(verb: Verb, clitic: Clitic) -> Phrase:
    pronoun = "moi" if clitic.french == "me" else clitic.french
    return weave(
        "{v}/v {e}/v",
        "{f}/v",
        v=Term(verb.english, verb.english),
        e=clitic.english,
        f=f"{verb.french.imperative}-{pronoun}",
    )


def suggest(draw: Draw) -> Phrase:
    """*let's dance in the street !*, *let's visit this museum .*: the form of *nous* alone."""
    goal = Phrase((), ())
    if draw.chance(0.4):
        verb = draw.rare(find_verbs("sing dance play swim work leave go_out walk run wait eat travel"))
        if verb.places and draw.chance(0.7):
            goal = draw_place(draw, verb.places)
    else:
        verb = draw.rare(
            find_verbs(
                """visit buy eat drink prepare open close invite help wait_for listen_to look_at plant pick
                    build follow"""
            )
        )
        goal = draw_object(
            draw, verb, draw.rare(select_nouns(verb.things)), counted=False, adjectives=0.25
        ).phrase
    return weave(
        "let's/l {v}/v {g} {m}",
        "{f}/v,l? {g} {m}",
        v=Term(verb.english, verb.english),
        f=verb.french.present[3],
        g=goal,
        m=draw.one((FULL_STOP, EXCLAMATION_MARK)),
    )
