"""Sentences of two clauses: because, but, when, while, and *it* and *they* that look back."""

from functools import cache

from regard.text.embedded.english_french.adjectives import ADJECTIVES, SAID_OF_NOUN
from regard.text.embedded.english_french.adverbials import EARLY
from regard.text.embedded.english_french.casting import (
    draw_definite,
    draw_object,
    draw_other,
    draw_person,
    draw_place,
)
from regard.text.embedded.english_french.clauses import clause
from regard.text.embedded.english_french.conjugations import AVOIR
from regard.text.embedded.english_french.copulas import copula, described
from regard.text.embedded.english_french.descriptions import FEELINGS, draw_degree
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.inflection import Noun
from regard.text.embedded.english_french.nominals import noun_phrase, pronoun_for
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.relating import do_alone
from regard.text.embedded.english_french.scenes import at_home
from regard.text.embedded.english_french.telling import suits
from regard.text.embedded.english_french.verbs import HIDE_ONESELF, find_verb, find_verbs
from regard.text.embedded.english_french.weaving import NOTHING, Phrase, Term, listed, weave

REASONS = {
    "eat": "hungry",
    "drink": "thirsty",
    "sleep": "tired sick",
    "rest": "tired sick",
    "go to bed": "tired sleepy sick",
    "cry": "sad tired alone sick disappointed hungry",
    "smile": "happy proud polite",
    "sing": "happy",
    "dance": "happy",
    "laugh": "happy",
    "run": "late nervous",
    "hurry": "late nervous cold",
    "stay": "sick tired shy busy",
    "shout": "angry nervous happy",
    "wear": "cold",
    "leave": "angry tired disappointed late busy",
    "hide": "shy nervous",
    "come back": "worried sick hungry alone",
    "go out": "hot angry",
}
BECAUSE = ("{d} because/b {w} .", "{d} parce/b que/b {w} .")


def explain(draw: Draw) -> Phrase | None:
    """*the girl is crying because she's tired .*: she, he and they look back; *elles* after women alone."""
    english = draw.rare(tuple(REASONS))
    verb = HIDE_ONESELF if english == "hide" else find_verb(english)
    subject = draw_person(draw, "people", 0.3)
    tense = draw.one(("progressive", "past"))
    goal = NOTHING
    if english in ("eat", "drink", "wear"):
        noun = draw.rare(select_nouns("coat scarf glove boot hat" if english == "wear" else verb.things))
        if not suits(subject, noun, verb):
            return None
        goal = draw_object(draw, verb, noun).phrase
    elif english == "stay":
        goal = at_home(subject)
    elif verb.places and draw.chance(0.4):
        goal = draw_place(draw, verb.places)
    back = pronoun_for(subject)
    now = "past" if tense == "past" else "present"
    reason = draw.rare(tuple(REASONS[english].split()))
    if reason in FEELINGS:
        said = weave("{e}/e", "{f}/e", e=Term(reason, reason), f=FEELINGS[reason])
        why = copula(back, said, now, french=AVOIR)
    else:
        adjective = ADJECTIVES[reason]
        why = copula(back, described(back, adjective, draw_degree(draw, adjective, asked=True)), now)
    return weave(*BECAUSE, d=clause(subject, verb, tense, goal=goal), w=why)


LIKED_FOR = """
    clothing jewel house garden village city beach book film novel song painting car cake island castle
    flower story restaurant hotel poem armchair bicycle"""
PRAISED = frozenset(
    listed(
        "beautiful pretty comfortable calm interesting funny delicious elegant modern famous good fast useful"
    )
)
BLAMED = frozenset(listed("boring ugly dangerous dirty strange expensive sad bad noisy dark long slow"))


def like_because(draw: Draw) -> Phrase | None:
    """*i like this dress because it's pretty .*, *j'aime cette robe parce qu'elle est jolie .*"""
    english = draw.one(("like", "hate"))
    noun = draw.rare(select_nouns(LIKED_FOR))
    fitting = PRAISED if english == "like" else BLAMED
    suited = [adjective for adjective in SAID_OF_NOUN.get(noun, ()) if adjective.english in fitting]
    if not suited:
        return None
    plural = bool(noun.plural) and ("paired" in noun.kinds or draw.chance(0.25))
    thing = noun_phrase(
        noun, draw.one(("these", "those", "your") if plural else ("this", "that", "your")), plural
    )
    adjective = draw.rare(suited)
    degree = draw_degree(draw, adjective)
    back = pronoun_for(thing)
    why = copula(back, described(back, adjective, "so" if degree == "too" and english == "like" else degree))
    return weave(
        *BECAUSE, d=clause(draw_person(draw, "people", 0.5), find_verb(english), goal=thing.phrase), w=why
    )


OPPOSED = tuple(
    pair.strip()
    for pair in [
        "\n    old fast",
        " old comfortable",
        " old beautiful",
        " small comfortable",
        " small beautiful",
        " small expensive",
        " beautiful expensive",
        "\n    beautiful dangerous",
        " difficult interesting",
        " long interesting",
        " expensive good",
        " small strong",
        " ugly kind",
        "\n    slow comfortable",
        " fast noisy",
        " pretty expensive",
        " poor happy",
        " rich sad",
        " small heavy",
        " old strong",
        " big calm",
        " clever lazy",
        "\n    shy brave",
        " young serious",
        " boring useful",
        " famous poor",
        " old clean",
        " big empty",
        " old useful",
        " strange interesting",
        "\n    sad beautiful",
        " elegant comfortable",
        " modern ugly",
        " poor generous",
        " lazy funny",
        " rich generous",
        " strong shy",
        " curious polite",
        "\n    dirty comfortable",
        " heavy useful",
        " difficult important",
        " young famous",
        " kind strong",
        " clever shy\n    ",
    ]
)


def contrast(draw: Draw) -> Phrase | None:
    """*the car is old , but it's fast .*, *la voiture est vieille , mais elle est rapide .*"""
    pair = draw.rare(OPPOSED)
    first, second = (ADJECTIVES[word] for word in pair.split())
    noun = draw.rare(_said_both(pair))
    plural = bool(noun.plural) and ("paired" in noun.kinds or draw.chance(0.25))
    subject = draw_definite(draw, noun, 0, plural)
    back = pronoun_for(subject)
    tense = draw.one(("present", "present", "past"))
    return weave(
        "{a} , but/b {c} .",
        "{a} , mais/b {c} .",
        a=copula(subject, described(subject, first), tense),
        c=copula(back, described(back, second, draw.one(("", "very"))), tense),
    )


@cache
def _said_both(pair: str) -> tuple[Noun, ...]:
    first, second = (ADJECTIVES[word] for word in pair.split())
    return tuple(
        noun
        for noun, adjectives in SAID_OF_NOUN.items()
        if first in adjectives and second in adjectives and "name" not in noun.kinds
    )


GOING_ON = find_verbs("sleep work swim sing dance laugh cry play wait rest dream run eat read study")
HAPPENING = find_verbs("arrive come_back come_in wake_up leave get_up")


def meanwhile(draw: Draw) -> Phrase | None:
    """*paul was reading while marie was singing .*, *when i arrived , the children were sleeping .*"""
    first = draw_person(draw, "people", 0.35)
    second = draw_other(draw, first, pronouns=0.35)
    one, two = draw.rare(GOING_ON), draw.rare(GOING_ON)
    if one is two:
        return None
    choice = draw.one(("while", "when", "and"))
    if choice == "when":
        return weave(
            "when/w {a} , {b} .",
            "quand/w {a} , {b} .",
            a=clause(first, draw.rare(HAPPENING), "past"),
            b=do_alone(draw, second, "background", (two,)),
        )
    if choice == "while":
        tense = draw.one(("background", "progressive"))
        lines = ("{a} while/w {b} .", "{a} pendant/w que/w {b} .")
    else:
        tense = draw.one(("progressive", "past", "future"))
        if tense == "future" and "unplanned" in one.traits | two.traits:
            return None
        lines = ("{a} and/w {b} .", "{a} et/w {b} .")
    return weave(*lines, a=clause(first, one, tense), b=do_alone(draw, second, tense, (two,)))


YOUTH = find_verbs("read play swim dance sing write study work walk run travel eat drink listen_to get_up")


def recall_youth(draw: Draw) -> Phrase | None:
    """*when she was young , marie used to dance .*, *quand elle était jeune , marie dansait .*"""
    subject = draw_person(draw, "people", 0.45)
    back = pronoun_for(subject)
    verb = draw.rare(YOUTH)
    goal = NOTHING
    if verb.things and (verb.english in ("drink", "listen to") or draw.chance(0.8)):
        noun = draw.rare(select_nouns(verb.things))
        if noun.english in ("wine", "beer") or noun.kinds & {"people", "heaven", "animal"}:
            return None
        goal = noun_phrase(noun, "", bool(noun.plural)).phrase
    elif verb.english == "get up":
        goal = draw.rare(EARLY)
    elif verb.places and draw.chance(0.7):
        goal = draw_place(draw, verb.places, 0)
    was = copula(back, described(back, ADJECTIVES["young"]), "past")
    return weave(
        "when/w {y} , {u} .", "quand/w {y} , {u} .", y=was, u=clause(subject, verb, "habit", goal=goal)
    )
