"""Sentences about where things are and where people go."""

from regard.text.embedded.english_french.adverbials import (
    COUNTRIES,
    GOALS,
    IN_MONTH,
    IN_SEASON,
    NOW,
    YESTERDAY,
    in_country,
    to_place,
)
from regard.text.embedded.english_french.casting import (
    draw_adjectives,
    draw_definite,
    draw_owned,
    draw_person,
    draw_place,
)
from regard.text.embedded.english_french.clauses import YES_OR_NO, clause
from regard.text.embedded.english_french.conjugations import ETRE, conjugate
from regard.text.embedded.english_french.copulas import copula
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.nominals import (
    MYSELF,
    NUMBERS,
    WE,
    Nominal,
    noun_phrase,
    stressed_pronoun,
)
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.telling import (
    FULL_STOP,
    QUESTION_MARK,
    close,
    draw_denial,
    draw_frequency,
)
from regard.text.embedded.english_french.verbs import find_verb
from regard.text.embedded.english_french.weaving import NOTHING, Phrase, Term, chain, weave

RELATIONS = {
    "on": ("on/r {g}", "sur/r {g}"),
    "under": ("under/r {g}", "sous/r {g}"),
    "in": ("in/r {g}", "dans/r {g}"),
    "behind": ("behind/r {g}", "derrière/r {g}"),
    "in front of": ("in/r front/r of/r {g}", "devant/r {g}"),
    "next to": ("next/r to/r {g}", "à/r côté/r de/r {g}"),
    "near": ("near/r {g}", "près/r de/r? {g}"),
}
BESIDE = ("behind", "in front of", "next to", "near")
SETTINGS = (
    (
        """key book letter newspaper cup glass plate bottle lamp candle knife hat photo map vase coin ring
            watch pen pencil telephone dictionary basket box""",
        "table chair bed armchair",
        ("on", "under", "next to"),
    ),
    ("apple pear cake bread cheese ham pie egg lemon banana butter", "table plate", ("on",)),
    ("bread cheese apple egg cherry mushroom potato biscuit orange peach", "basket box bag", ("in",)),
    ("milk water juice wine lemonade coffee tea", "cup glass bottle", ("in",)),
    (
        "key ring coin letter photo glove scarf pen pencil ticket map book necklace doll umbrella toy",
        "bag box suitcase basket wardrobe car",
        ("in",),
    ),
    ("cat dog rabbit mouse", "table bed chair sofa armchair car wardrobe", ("under", "behind", "next to")),
    ("bird owl cat monkey", "roof wall", ("on",)),
    ("bird owl monkey butterfly cat", "tree garden", ("in",)),
    (
        "child boy girl teacher policeman farmer baker dog horse tree car bicycle statue truck",
        "house church school castle station shop hotel museum bakery tower wall",
        BESIDE,
    ),
    (
        "house church school hotel shop museum restaurant bakery library station hospital cinema theatre",
        "park river market bridge square castle beach harbour",
        ("next to", "near"),
    ),
    ("cow horse lamb goat donkey hen pig tree farmer shepherd", "river house farm wall bridge", BESIDE),
    ("boat swan duck", "bridge island harbour beach", ("near",)),
)


def _draw_setting(draw: Draw) -> tuple[str, Phrase]:
    """What may stand somewhere, and where."""
    figures, grounds, relations = draw.rare(SETTINGS)
    ground = draw_definite(draw, draw.rare(select_nouns(grounds)), 0.2, plural=False)
    english, french = RELATIONS[draw.one(relations)]
    return figures, weave(english, french, g=ground.phrase)


def locate(draw: Draw) -> Phrase | None:
    """*the cat is under the table .*, *is the station near the church ?*"""
    figures, where = _draw_setting(draw)
    noun = draw.rare(select_nouns(figures))
    if {noun.english, "empty", "full", "broken"} & set(where.lemmas):
        return None
    owned = bool(noun.kinds & {"clothing", "tool", "pet", "vehicle", "jewel"}) and draw.chance(0.3)
    building = "building" in noun.kinds
    subject = draw_owned(draw, noun) if owned else draw_definite(draw, noun, 0.2, False if building else None)
    if draw.chance(0.15):
        return chain(copula(subject, where, question=YES_OR_NO), QUESTION_MARK)
    tense = "present" if building else draw.one(("present", "present", "past"))
    denial = draw.one(("", "", "", "not")) if building else draw.one(("", "", "", "not", "no longer"))
    return chain(copula(subject, where, tense, denial), FULL_STOP)


EXISTING = {
    "": ("there/t {b}/b {w} {p} .", "il/t y/t {f}/b {w} {p} ."),
    "not": ("there/t {b}/n,b {w} {p} .", "il/t ne/n? y/t {f}/b pas/n {w} {p} ."),
    "no longer": ("there/t {b}/b no/n longer/n {w} {p} .", "il/t ne/n? y/t {f}/b plus/n {w} {p} ."),
    "always": ("there/t {b}/b always/w {w} {p} .", "il/t y/t {f}/b toujours/w {w} {p} ."),
    "asked": ("{b}/b there/t {w} {p} ?", "est-ce/b? que/b? il/t y/t {f}/b {w} {p} ?"),
}


def exist(draw: Draw) -> Phrase | None:
    """*there are three birds in the garden .*, *there isn't any bread on the table .*"""
    figures, where = _draw_setting(draw)
    if draw.chance(0.4):
        figures, where = (
            "animal person plant",
            draw_place(draw, "garden street park forest village square field beach"),
        )
    noun = draw.rare(select_nouns(figures))
    if {noun.english, "empty", "full", "broken"} & set(where.lemmas):
        return None
    way = draw.one(("", "", "", "", "not", "no longer", "always", "asked"))
    open_ended = way in ("not", "no longer", "asked")
    before, after = draw_adjectives(draw, noun, 0.35)
    plural = bool(noun.plural) and draw.chance(0.5)
    if "mass" in noun.kinds or (plural and open_ended):
        determiner = "any" if open_ended else "some"
    elif plural:
        determiner = "some" if way == "always" else draw.one((*NUMBERS, "some", "many", "several", "a few"))
    else:
        determiner = "a"
    past = draw.chance(0.3)
    is_or_are = ("were" if past else "are") if plural else "was" if past else "is"
    return weave(
        *EXISTING[way],
        b=is_or_are + "n't" if way == "not" else is_or_are,
        f="avait" if past else "a",
        w=noun_phrase(noun, determiner, plural, before, after, way in ("not", "no longer")).phrase,
        p=where,
    )


def nobody_there(draw: Draw) -> Phrase:
    """*there was nobody in the street yesterday .*"""
    past = draw.chance(0.5)
    english, french = draw.one((("nobody", "personne"), ("nobody", "personne"), ("nothing", "rien")))
    places = "garden street park kitchen church house station library beach shop square museum office school"
    return weave(
        "there/t {b}/b {e}/n {w} {t} .",
        "il/t ne/n? y/t {f}/b {g}/n {w} {t} .",
        b="was" if past else "is",
        f="avait" if past else "a",
        e=Term(english, english),
        g=french,
        w=draw_place(draw, places, 0.2),
        t=draw.rare(YESTERDAY if past else NOW[:3]) if draw.chance(0.6) else NOTHING,
    )


def go_to(draw: Draw) -> Phrase:
    """*the children are going to school .*, *we went to italy last year .*"""
    verb = find_verb("go")
    subject = draw_person(draw, "people", 0.35)
    tense = draw.one(("past", "past", "progressive", "present", "future"))
    denial = draw_denial(draw, verb, tense)
    if draw.chance(0.35) and tense != "progressive":
        where = in_country(draw.rare(tuple(COUNTRIES)), "to")
    else:
        where = to_place(draw.rare(select_nouns(GOALS)))
    adverb = draw_frequency(draw, verb, tense, denial)
    said = clause(subject, verb, tense, denial, goal=where, adverb=adverb)
    return close(draw, said, verb, tense, denial, adverb)


def live_in(draw: Draw) -> Phrase:
    """*my aunt lives in rome .*, *we used to live in a small house .*"""
    subject = draw_person(draw, "people", 0.35)
    tense = draw.one(("present", "present", "habit"))
    denial = draw.one(("", "", "", "not", "no longer")) if tense == "present" else ""
    if draw.chance(0.5):
        where = in_country(draw.rare(tuple(COUNTRIES)))
    else:
        noun = draw.rare(select_nouns("house castle village city farm street tower hotel island forest"))
        before, after = draw_adjectives(draw, noun, 0.6)
        home = noun_phrase(noun, draw.one(("a", "a", "this", "that")), False, before, after)
        english = "on" if noun.english in ("island", "farm") else "in"
        where = weave(
            "{e}/i {h}",
            "{f}/i {h}",
            e=english,
            f="sur" if noun.english == "island" else "dans",
            h=home.phrase,
        )
    return chain(clause(subject, find_verb("live"), tense, denial, goal=where), FULL_STOP)


def come_from(draw: Draw) -> Phrase | None:
    """*these tourists come from japan .*, *ces touristes viennent du japon .*"""
    subject = draw_person(draw, "people", 0.35)
    where = in_country(draw.rare(tuple(COUNTRIES)), "from")
    if draw.chance(0.2):
        if subject in (MYSELF, WE):
            return None
        return chain(clause(subject, find_verb("come"), goal=where, question=YES_OR_NO), QUESTION_MARK)
    denial = draw.one(("", "", "", "not"))
    return chain(clause(subject, find_verb("come"), "present", denial, goal=where), FULL_STOP)


def at_home(subject: Nominal) -> Phrase:
    """Say *at home*: *chez moi*, *chez elle* …"""
    return weave("at/h {e}/h", "chez/h {c}/h", e=Term("home", "home"), c=stressed_pronoun(subject))


def be_home(draw: Draw) -> Phrase:
    """*she stayed at home .*, *he's going home .*"""
    subject = draw_person(draw, "people", 0.5)
    english = draw.one(("be", "be", "stay", "sleep", "work", "eat", "go home", "go home"))
    if english == "be":
        tense = draw.one(("present", "past"))
        said = copula(subject, at_home(subject), tense, draw.one(("", "", "not")))
        return chain(said, draw.rare(NOW[:3] if tense == "present" else YESTERDAY), FULL_STOP)
    verb = find_verb(english)
    tense = draw.one(("past", "progressive", "future"))
    denial = draw.one(("", "", "not"))
    said = clause(subject, verb, tense, denial)
    if english == "go home":
        home = len(said.english) - 1
        chez = len(said.french)
        said = said._replace(
            french=(*said.french, "chez", stressed_pronoun(subject)),
            links=(*said.links, (home, chez, True), (home, chez + 1, True)),
        )
    else:
        said = chain(said, at_home(subject))
    return close(draw, said, verb, tense, denial)


def be_born(draw: Draw) -> Phrase:
    """*anna was born in rome .*, *anna est née à rome .*"""
    subject = draw_person(draw, "people", 0.35)
    where, when = in_country(draw.rare(tuple(COUNTRIES))), draw.rare(IN_MONTH + IN_SEASON)
    return weave(
        "{s} {w}/w {b}/b {t} .",
        "{s} {e}/w {n}/b {t} .",
        s=subject.phrase,
        w="was" if subject.person in (0, 2) else "were",
        b=Term("born", "born"),
        e=ETRE.present[subject.person],
        n=conjugate("naître").agree(subject.feminine, subject.plural),
        t=draw.one((where, when, when, chain(where, when))),
    )
