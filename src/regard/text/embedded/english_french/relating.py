"""Sentences with a clause inside: who, that, where; thinking, saying and not knowing."""

from regard.text.embedded.english_french.adjectives import ADJECTIVES, SAID_OF_NOUN
from regard.text.embedded.english_french.adverbials import COUNTRIES, HERE, in_country
from regard.text.embedded.english_french.asking import PEOPLES, WHEN, WHERE, WHY, draw_wondered
from regard.text.embedded.english_french.casting import (
    draw_definite,
    draw_object,
    draw_other,
    draw_person,
    draw_place,
)
from regard.text.embedded.english_french.clauses import YES_OR_NO, clause
from regard.text.embedded.english_french.conjugations import conjugate
from regard.text.embedded.english_french.copulas import copula, described
from regard.text.embedded.english_french.descriptions import draw_degree, draw_said
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.inflection import Verb
from regard.text.embedded.english_french.nominals import (
    EVERYBODY,
    NOBODY,
    POSSESSIVES,
    SOMEBODY,
    Nominal,
    name,
    noun_phrase,
)
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.telling import FULL_STOP, QUESTION_MARK, close, suits
from regard.text.embedded.english_french.verbs import find_verb, find_verbs
from regard.text.embedded.english_french.weaving import Phrase, Term, chain, listed, weave

UNDER_WAY = find_verbs("sleep work run walk swim sing dance laugh cry smile shout play wait rest leave")
AUDIBLE = find_verbs("sing laugh shout cry")
DONE_ALONE = (*UNDER_WAY, *find_verbs("travel wake_up get_up arrive dream go_out come_back"))


def do_alone(draw: Draw, subject: Nominal, tense: str, verbs: tuple[Verb, ...] = DONE_ALONE) -> Phrase:
    """Draw something that somebody does without an object, perhaps somewhere."""
    verb = draw.rare(verbs)
    said = clause(subject, verb, tense)
    return chain(said, draw_place(draw, verb.places, 0)) if verb.places and draw.chance(0.5) else said


CHILDREN = "boy girl child student"
OF_ANY_AGE = "brother sister son daughter cousin nephew niece friend"


def _draw_who(draw: Draw) -> tuple[Nominal, Nominal]:
    """Somebody, and the same followed by *who*, as the subject of a relative clause."""
    noun = draw.rare(select_nouns("person"))
    head = noun_phrase(noun, "the", draw.chance(0.3))
    return head, head._replace(phrase=weave("{h} who/w", "{h} qui/w", h=head.phrase))


def tell_who(draw: Draw) -> Phrase | None:
    """*the man who is singing is my uncle .*, *the girls who are dancing are very happy .*"""
    head, who = _draw_who(draw)
    tense = draw.one(("progressive", "past"))
    subject = head._replace(
        phrase=do_alone(draw, who, tense, UNDER_WAY if tense == "progressive" else DONE_ALONE)
    )
    if draw.chance(0.4):
        relatives = select_nouns(OF_ANY_AGE if head.noun in select_nouns(CHILDREN) else "kin friend")
        kin = [noun for noun in relatives if noun.feminine is head.feminine and noun.plural]
        said = noun_phrase(draw.rare(kin), draw.one(POSSESSIVES), head.plural).phrase
        return chain(copula(subject, said), FULL_STOP)
    adjective = draw_said(draw, head)
    if adjective is None:
        return None
    said = described(subject, adjective, draw_degree(draw, adjective, asked=True))
    main = "present" if tense == "progressive" else draw.one(("present", "past"))
    return chain(copula(subject, said, main), FULL_STOP)


def know_who(draw: Draw) -> Phrase | None:
    """*i know the woman who works at the bakery .*, *do you see the boys who are playing ?*"""
    head, who = _draw_who(draw)
    if draw.chance(0.5):
        verb = draw.rare(find_verbs("know see look_at listen_to admire"))
        known = do_alone(draw, who, "progressive", AUDIBLE if verb.english == "listen to" else UNDER_WAY)
        tense = "present" if verb.english in ("know", "see") else "progressive"
    else:
        where = draw.one((HERE[0], in_country(draw.rare(tuple(COUNTRIES)))))
        known = chain(clause(who, find_verb("live")), where)
        if head.noun not in select_nouns(CHILDREN + " king queen prince princess") and draw.chance(0.6):
            work = find_verb("work")
            known = chain(clause(who, work), draw_place(draw, work.places, 0))
        verb = draw.rare(find_verbs("know look_for help thank call meet invite"))
        tense = "present" if verb.english == "know" else "past"
    subject = draw_person(draw, "people", 0.6)
    if subject.noun is head.noun:
        return None
    if draw.chance(0.2) and subject.person not in (0, 3):
        return chain(clause(subject, verb, tense, goal=known, question=YES_OR_NO), QUESTION_MARK)
    return chain(clause(subject, verb, tense, draw.one(("", "", "", "not")), goal=known), FULL_STOP)


RELATED = find_verbs(
    """eat buy read write see find choose sell prepare wear draw paint build visit steal receive carry
        taste use"""
)
UNRELATED = frozenset(listed("open closed empty full late ready"))


def tell_what(draw: Draw) -> Phrase | None:
    """*the apple that she ate was delicious .*, *la pomme qu'elle a mangée était délicieuse .*"""
    verb = draw.rare(RELATED)
    noun = draw.rare(select_nouns(verb.things))
    subject = draw_person(draw, "people", 0.5)
    if (
        noun not in SAID_OF_NOUN
        or noun.kinds & {"kin", "name", "friend", "heaven"}
        or not suits(subject, noun, verb)
    ):
        return None
    head = noun_phrase(noun, "the", bool(noun.plural) and draw.chance(0.9 if "paired" in noun.kinds else 0.3))
    adjective = draw_said(draw, head)
    if adjective is None or adjective.english in UNRELATED:
        return None
    tense = "past" if "instant" in verb.traits else draw.one(("past", "past", "progressive"))
    done = clause(subject, verb, tense, agrees_with=head)
    whole = head._replace(phrase=weave("{h} that/t {d}", "{h} que/t {d}", h=head.phrase, d=done))
    denial = "not" if draw.chance(0.2) else ""
    said = described(whole, adjective, draw_degree(draw, adjective, denial, asked=True))
    main = "present" if tense == "progressive" else draw.one(("present", "past"))
    return chain(copula(whole, said, main, denial), FULL_STOP)


def name_doer(draw: Draw) -> Phrase | None:
    """*it's marie who is singing .*, *it was paul who broke the vase .*: c'est … qui."""
    noun = draw.rare(select_nouns(draw.one(("name", "kin"))))
    who = name(noun) if "name" in noun.kinds else noun_phrase(noun, draw.one(POSSESSIVES))
    past = draw.chance(0.6)
    pointed = weave("it/i {b}/i {h} who/w", "c'est/i {h} qui/w", b="was" if past else "'s", h=who.phrase)
    subject = who._replace(phrase=pointed)
    tense = "past" if past else "progressive"
    if draw.chance(0.35):
        return chain(do_alone(draw, subject, tense, UNDER_WAY), FULL_STOP)
    verb = draw.rare(PEOPLES)
    thing = draw.rare(select_nouns(verb.things))
    if "state" in verb.traits or (not past and "instant" in verb.traits) or not suits(subject, thing, verb):
        return None
    goal = draw_object(draw, verb, thing, adjectives=0.2)
    return chain(clause(subject, verb, tense, goal=goal.phrase), FULL_STOP)


ANYBODY = {
    NOBODY: find_verbs(
        """see hear understand forget find open close eat drink read buy touch help call wait_for invite
            clean wash know follow thank choose use"""
    ),
    SOMEBODY: find_verbs(
        "steal break open close forget find hide take eat drink wash paint clean call cut push use lose"
    ),
    EVERYBODY: find_verbs(
        "see hear know eat taste admire understand listen_to look_at drink touch read like finish"
    ),
}


def tell_of_anybody(draw: Draw) -> Phrase | None:
    """*nobody saw the thief .*, *somebody stole my bicycle .*, *everybody knows this song .*"""
    subject = draw.one(tuple(ANYBODY))
    verb = draw.rare(ANYBODY[subject])
    thing = draw.rare(select_nouns(verb.things or "song film novel story cake city"))
    if "music" in thing.kinds or "meal" in thing.kinds:
        return None
    tense = "present" if "state" in verb.traits else "past"
    said = clause(subject, verb, tense, goal=draw_definite(draw, thing).phrase)
    said = said._replace(lemmas=(subject.phrase.english[0], *said.lemmas))
    return close(draw, said, verb, tense)


OPINIONS = {
    "think": ("think thinks", conjugate("penser")),
    "know": ("know knows", conjugate("savoir")),
    "say": ("say says", conjugate("dire")),
    "hope": ("hope hopes", conjugate("espérer")),
    "believe": ("believe believes", conjugate("croire")),
}
THOUGHT_OF = listed(
    "tired sick ready busy worried angry late happy sad kind funny clever lazy rich brave honest"
)
HOPED_FOR = ("ready", "happy", "rich", "honest", "kind")


def believe(draw: Draw) -> Phrase | None:
    """*i think that he's tired .*, *marie says that her brother lost his keys .*"""
    subject = draw_person(draw, "people", 0.5)
    other = draw_other(draw, subject, pronouns=0.5)
    verb = draw.rare(tuple(OPINIONS))
    english, french = OPINIONS[verb]
    if draw.chance(0.45):
        adjective = ADJECTIVES[draw.rare(HOPED_FOR if verb == "hope" else THOUGHT_OF)]
        tense = "present" if verb == "hope" else draw.one(("present", "past"))
        thought = copula(other, described(other, adjective, draw_degree(draw, adjective, asked=True)), tense)
    else:
        action = draw.rare(PEOPLES)
        thing = draw.rare(select_nouns(action.things))
        if "state" in action.traits or not suits(other, thing, action) or not suits(subject, thing):
            return None
        goal = draw_object(draw, action, thing, adjectives=0.2)
        thought = clause(other, action, draw.one(("past", "future")), goal=goal.phrase)
    return weave(
        "{s} {v}/v that/t {c} .",
        "{s} {f}/v que/t {c} .",
        s=subject.phrase,
        v=Term(english.split()[subject.person == 2], verb),
        f=french.present[subject.person],
        c=thought,
    )


def wonder(draw: Draw) -> Phrase | None:
    """*i don't know where he lives .*, *do you know why she's crying ?*: without *est-ce que*."""
    word = draw.one((WHERE, WHEN, WHY))
    subject = draw_person(draw, "people", 0.5)
    other = draw_other(draw, subject, pronouns=0.5)
    wondered = draw_wondered(draw, word, other)
    if wondered is None:
        return None
    verb, tense, goal = wondered
    asked = chain(word._replace(lemmas=word.english), clause(other, verb, tense, goal=goal))
    third = subject.person == 2
    lines, do = ("{s} {d}/n,k? {e}/k {c} .", "{s} ne/n? {f}/k pas/n {c} ."), "doesn't" if third else "don't"
    if subject.person == 1 or (subject.person not in (0, 3) and draw.chance(0.2)):
        lines, do = ("{d}/q {s} {e}/k {c} ?", "est-ce/q que/q? {s} {f}/k {c} ?"), "does" if third else "do"
    return weave(
        *lines,
        s=subject.phrase,
        d=do,
        e=Term("know", "know"),
        f=OPINIONS["know"][1].present[subject.person],
        c=asked,
    )
