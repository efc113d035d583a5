"""Sentences that tell people and things apart: ages, trades, comparisons, *this is*."""

from regard.text.embedded.english_french.adjectives import ADJECTIVES, AFTER_NOUN, BEFORE_NOUN
from regard.text.embedded.english_french.adverbials import country_name
from regard.text.embedded.english_french.casting import (
    draw_adjectives,
    draw_definite,
    draw_other,
    draw_owned,
    draw_person,
)
from regard.text.embedded.english_french.conjugations import AVOIR
from regard.text.embedded.english_french.copulas import compared, copula
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.inflection import Adjective, Noun
from regard.text.embedded.english_french.nominals import POSSESSIVES, PRONOUNS, Nominal, noun_phrase
from regard.text.embedded.english_french.nouns import NOUNS, select_nouns
from regard.text.embedded.english_french.telling import FULL_STOP
from regard.text.embedded.english_french.weaving import Phrase, Term, chain, listed, weave

AGES = (
    (
        "boy girl child son daughter nephew niece brother sister cousin pet name",
        "five cinq, six six, seven sept, eight huit, nine neuf, ten dix, eleven onze, twelve douze",
    ),
    (
        "mother father uncle aunt person -boy -girl -child friend brother sister wife husband",
        "twenty vingt, thirty trente, forty quarante, fifty cinquante, sixty soixante",
    ),
    (
        "house tower tree church piano clock castle hotel theatre bridge",
        "fifty cinquante, sixty soixante, eighty quatre-vingts, thirty trente, forty quarante",
    ),
)


def tell_age(draw: Draw) -> Phrase:
    """*my brother is ten years old .*, *mon frère a dix ans .*"""
    nouns, ages = draw.one(AGES)
    subject = draw_definite(draw, draw.rare(select_nouns(nouns)), 0)
    if subject.noun and "people" in subject.noun.kinds and draw.chance(0.25):
        subject = draw.one(PRONOUNS)
    english, french = draw.rare(tuple(ages.split(","))).split()
    said = weave("{n}/n years/y old/y?", "{f}/n ans/y", n=Term(english, english), f=french)
    return chain(copula(subject, said, french=AVOIR), FULL_STOP)


TRADES = {
    False: """
        teacher doctor farmer baker student soldier sailor singer merchant hunter painter writer waiter
        policeman lawyer musician gardener captain fisherman shepherd mayor""",
    True: "nurse dancer actress",
}
OF_TRADES = frozenset(
    listed(
        """good bad young famous honest brave serious patient french english italian german spanish
            american rich poor"""
    )
)


def draw_single_person(draw: Draw) -> Nominal:
    """Draw one person by name or kinship."""
    return draw_definite(draw, draw.rare(select_nouns(draw.one(("kin spouse", "name")))), plural=False)


def tell_trade(draw: Draw) -> Phrase | None:
    """*paul is a doctor .*, *paul est médecin .*; *paul is a good doctor .*, *paul est un bon médecin .*"""
    subject = draw_single_person(draw)
    trade = draw.rare(select_nouns(TRADES[subject.feminine]))
    if draw.chance(0.5):
        said = weave("a/n? {e}/n", "{f}/n", e=Term(trade.english, trade.english), f=trade.french)
    else:
        before, after = draw_adjectives(draw, trade, 1.0)
        if any(adjective and adjective.english not in OF_TRADES for adjective in (before, after)):
            return None
        said = noun_phrase(trade, "a", False, before, after).phrase
    return chain(
        copula(subject, said, draw.one(("present", "past")), draw.one(("", "", "", "not"))), FULL_STOP
    )


COMPARED = {
    "people": """
        tall old young rich poor strong kind funny clever brave lazy famous shy serious polite patient
        elegant generous careful curious calm happy""",
    "animal -bee -butterfly": "big small fat clever dangerous beautiful old curious calm",
    "vehicle train bus plane": "fast slow expensive comfortable modern old noisy",
    "fruit": "sweet good fresh ripe",
    "treat": "good sweet expensive",
    "clothing": "expensive beautiful elegant pretty comfortable",
    "book film novel story newspaper poem": "interesting boring long good sad funny",
    "building": "old modern big small beautiful",
    "armchair chair sofa bed": "heavy expensive comfortable old",
    "lesson exercise question": "easy difficult long interesting",
    "city village island": "beautiful calm dangerous big",
    "forest river mountain beach": "beautiful calm dangerous",
}


def compare(draw: Draw) -> Phrase | None:
    """*paul is taller than his brother .*, *the train is faster than the bus .*"""
    selection = draw.rare(tuple(COMPARED))
    adjective = ADJECTIVES[draw.rare(tuple(COMPARED[selection].split()))]
    if selection == "people":
        subject = draw_person(draw, "people", 0.3)
        other = draw_other(draw, subject, pronouns=0.3)
    else:
        first, second = draw.rare(select_nouns(selection)), draw.rare(select_nouns(selection))
        if first is second:
            return None
        paired = "paired" in first.kinds | second.kinds
        plural = bool(first.plural and second.plural) and (paired or draw.chance(0.25))
        subject, other = draw_definite(draw, first, 0, plural), draw_definite(draw, second, 0, plural)
    degrees = ("more", "as", "less") if adjective.comparative.startswith("more ") else ("more", "more", "as")
    degree = draw.one(degrees)
    said = compared(subject, adjective, other, degree)
    denial = "not" if degree != "less" and draw.chance(0.25) else ""
    return chain(copula(subject, said, draw.one(("present", "present", "past")), denial), FULL_STOP)


SUPERLATIVES = (
    (
        "house church castle hotel restaurant bridge street shop tower garden museum tree",
        "old big small beautiful modern famous expensive",
        "village city",
    ),
    (
        "man woman teacher boy girl baker student merchant lawyer farmer nurse doctor",
        "rich poor strong kind clever funny old young happy famous",
        "village city",
    ),
    ("teacher boy girl student", "kind clever funny young old happy lazy serious", "school"),
    (
        "painter writer singer actress dancer musician novel painting castle museum king queen",
        "famous beautiful expensive young old rich",
        "france italy spain england germany china canada japan portugal",
    ),
    ("horse dog cow pig hen goat donkey", "fat beautiful old strong lazy", "farm village"),
    ("tree", "tall big old beautiful", "forest garden park village"),
    ("boy girl", "tall kind clever funny brave shy", "school village"),
    ("tower", "tall old beautiful", "city castle"),
)


def single_out(draw: Draw) -> Phrase | None:
    """*this is the oldest house in the village .*, *c'est la plus vieille maison du village .*"""
    nouns, words, places = draw.one(SUPERLATIVES)
    noun = draw.rare(select_nouns(nouns))
    suiting = BEFORE_NOUN.get(noun, ()) + AFTER_NOUN.get(noun, ())
    suited = [adjective for adjective in suiting if adjective.english in words.split()]
    if not suited:
        return None
    place = draw.one(places.split())
    said = weave(
        "{b} {p}/i {w}",
        "{b} de/i {w}",
        b=_superlative(noun, draw.rare(suited)),
        p="on" if place == "farm" else "in",
        w=noun_phrase(NOUNS[place], "the").phrase if place in NOUNS else country_name(place),
    )
    if "people" in noun.kinds and draw.chance(0.5):
        subject = draw_single_person(draw)
        if subject.feminine != noun.feminine:
            return None
        return chain(copula(subject, said, draw.one(("present", "past"))), FULL_STOP)
    if draw.chance(0.4):
        return weave("i/i {k}/k {s} .", "je/i connais/k {s} .", k=Term("know", "know"), s=said)
    return weave("this/c is/c {s} .", "c'est/c {s} .", s=said)


def _superlative(noun: Noun, adjective: Adjective) -> Phrase:
    if adjective.comparative.startswith("more "):
        most, english, tag = "most", adjective.english, "m"
    else:
        most, english, tag = "", adjective.comparative[:-1] + "st", "a"
    return weave(
        "the/d {m}/m {a}/a {e}/n",
        f"{{l}}/d plus/{tag} {{f}}/a {{n}}/n"
        if adjective.before
        else f"{{l}}/d {{n}}/n {{l}}/{tag}? plus/{tag} {{f}}/a",
        m=most,
        a=Term(english, adjective.english),
        e=Term(noun.english, noun.english),
        l="la" if noun.feminine else "le",
        f=adjective.agree(noun.feminine, False),
        n=noun.french,
    )


POINTED_OUT = """
    clothing jewel container tool machine plaything pet vehicle house garden bedroom idea question problem
    answer book letter photo song painting gift flower fruit treat castle village island kin friend teacher
    neighbour"""
ANOTHERS = frozenset(["clothing", "jewel", "tool", "machine", "plaything", "pet", "vehicle", "kin"])
ANOTHERS_TOO = frozenset(["house", "garden", "bedroom", "book", "letter", "photo", "teacher", "neighbour"])
POINTING = (
    ("this/t is/t {w} .", "c'est/t {w} ."),
    ("that/t is/t {w} .", "c'est/t {w} ."),
    ("it/t 's/t {w} .", "c'est/t {w} ."),
    ("is/t this/t {w} ?", "est-ce/t? que/t? c'est/t {w} ?"),
    ("this/t isn't/n,b {w} .", "ce/t ne/n? est/b pas/n {w} ."),
    ("it/t isn't/n,b {w} .", "ce/t ne/n? est/b pas/n {w} ."),
)
POINTING_AT_SEVERAL = (
    ("these/t are/b {w} .", "ce/t sont/b {w} ."),
    ("those/t are/b {w} .", "ce/t sont/b {w} ."),
    ("are/q?,b these/t {w} ?", "est-ce/q? que/q? ce/t sont/b {w} ?"),
    ("these/t aren't/n,b {w} .", "ce/t ne/n? sont/b pas/n {w} ."),
)


def point_out(draw: Draw) -> Phrase:
    """*this is my sister's hat .*, *these are good apples .*, *that isn't my coat .*"""
    noun = draw.rare(select_nouns(POINTED_OUT))
    plural = bool(noun.plural) and draw.chance(0.8 if "paired" in noun.kinds else 0.25)
    ownable = bool(noun.kinds & ANOTHERS) or noun.english in ANOTHERS_TOO
    if ownable and draw.chance(0.35):
        what = draw_owned(draw, noun, plural)
    else:
        before, after = draw_adjectives(draw, noun, 0.45)
        if noun.kinds & {"kin", "friend"} or (ownable and draw.chance(0.5)):
            before, after = (None, None) if "kin" in noun.kinds else (before, after)
            what = noun_phrase(noun, draw.one(POSSESSIVES), plural, before, after)
        else:
            what = noun_phrase(noun, "" if plural else "a", plural, before, after)
    return weave(*draw.one(POINTING_AT_SEVERAL if what.plural else POINTING), w=what.phrase)
