"""Sentences about the weather and the hour."""

from regard.text.embedded.english_french.adverbials import (
    AT_HOUR,
    COUNTRIES,
    FREQUENCIES,
    HOURS,
    IN_MONTH,
    IN_SEASON,
    NOW,
    TOMORROW,
    YESTERDAY,
    in_country,
)
from regard.text.embedded.english_french.casting import draw_person, draw_place
from regard.text.embedded.english_french.clauses import clause
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.nominals import Nominal, noun_phrase
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.scenes import at_home
from regard.text.embedded.english_french.telling import FULL_STOP, NO_ADVERB
from regard.text.embedded.english_french.verbs import find_verb
from regard.text.embedded.english_french.weaving import NOTHING, Phrase, Term, chain, weave

COLD_TIMES = (IN_SEASON[3], IN_MONTH[0], IN_MONTH[1], IN_MONTH[10], IN_MONTH[11])
WARM_TIMES = (IN_SEASON[0], IN_SEASON[1], *IN_MONTH[4:9])
RAINY_TIMES = (IN_SEASON[0], IN_SEASON[2], IN_MONTH[2], IN_MONTH[3], *IN_MONTH[8:11])
SKIES = {
    "cold": ("froid", COLD_TIMES),
    "hot": ("chaud", WARM_TIMES),
    "nice": ("beau", WARM_TIMES),
    "rain": ("pleut plu pleuvoir", RAINY_TIMES),
    "snow": ("neige neigé neiger", COLD_TIMES),
}
"""The French of each weather, and when one expects it."""

FAIRNESS = {
    "present": ("it/i 's/f {d}/d {e}/e", "il/i fait/f {g}/d {x}/e"),
    "past": ("it/i was/f {d}/d {e}/e", "il/i faisait/f {g}/d {x}/e"),
    "future": ("it/i 's/g? going/g to/f? be/f {e}/e", "il/i va/g faire/f {x}/e"),
    "habit": ("it/i is/f often/o {e}/e", "il/i fait/f souvent/o {x}/e"),
}
FALLING = {
    "present": ("it/i 's/v? {g}/v", "il/i {p}/v"),
    "past": ("it/i {d}/v", "il/i a/v? {q}/v"),
    "future": ("it/i 's/g? going/g to/v? {b}/v", "il/i va/g {n}/v"),
    "habit": ("it/i often/o {t}/v", "il/i {p}/v souvent/o"),
}


def weather(draw: Draw) -> Phrase:
    """*it's very cold in london today .*, *it's going to rain tomorrow .*"""
    english = draw.rare(tuple(SKIES))
    french, season = SKIES[english]
    when = draw.one(("present", "past", "future", "habit"))
    time = draw.rare({"present": NOW[:4], "past": YESTERDAY, "future": TOMORROW, "habit": season}[when])
    where = (
        in_country(draw.rare(tuple(COUNTRIES)))
        if draw.chance(0.75)
        else draw_place(draw, "forest village beach", 0)
    )
    tails = chain(where, time) if when == "habit" else draw.one((chain(where, time), time, where))
    if english in ("rain", "snow"):
        present, participle, infinitive = french.split()
        said = weave(
            *FALLING[when],
            g=Term(english + "ing", english),
            d=Term(english + "ed", english),
            b=Term(english, english),
            t=Term(english + "s", english),
            p=present,
            q=participle,
            n=infinitive,
        )
    else:
        very = when in ("present", "past") and draw.chance(0.4)
        degree = ("very", "très") if very else NO_ADVERB
        said = weave(*FAIRNESS[when], d=degree[0], g=degree[1], e=Term(english, english), x=french)
    return chain(said, tails, FULL_STOP)


WEATHERS = {
    "rain": (
        ("it/i rains/r", "il/i pleut/r"),
        "take umbrella, wear coat, stay home, read book, wear boot, prepare soup, listen_to music",
    ),
    "snow": (
        ("it/i snows/r", "il/i neige/r"),
        "wear boot, wear scarf, wear glove, play outside, stay home, drink tea, prepare soup",
    ),
    "cold": (
        ("it/i 's/i cold/r", "il/i fait/i froid/r"),
        "wear coat, wear scarf, wear glove, drink tea, eat soup, stay home",
    ),
    "hot": (
        ("it/i 's/i hot/r", "il/i fait/i chaud/r"),
        "swim, drink water, drink lemonade, eat ice_cream, rest, sleep outside, wear hat",
    ),
    "nice": (
        ("it/i 's/i nice/r", "il/i fait/i beau/r"),
        "go_for_a_walk, swim, run, work outside, play outside, dance outside, eat outside, walk, go_out",
    ),
}
WHENEVER = (("when/w", "quand/w"), ("if/w", "si/w"))
OUTSIDE = weave("outside/o", "dehors/o")._replace(lemmas=("outside",))


def weather_permitting(draw: Draw) -> Phrase:
    """*when it rains , marie stays at home .*, *if it's cold , i wear my coat .*"""
    sky = draw.rare(tuple(WEATHERS))
    (english, french), reactions = WEATHERS[sky]
    action, _, what = draw.rare(tuple(reactions.split(","))).strip().partition(" ")
    verb = find_verb(action.replace("_", " "))
    subject = draw_person(draw, "people", 0.4)
    goal = NOTHING
    if what == "home":
        goal = at_home(subject)
    elif what == "outside":
        goal = OUTSIDE
    elif what:
        goal = _own(subject, what)
    elif verb.places and draw.chance(0.6):
        goal = draw_place(draw, verb.places, 0)
    word, word_too = draw.one(WHENEVER)
    done = clause(subject, verb, "present", goal=goal)
    said = weave(f"{word} {english} , {{d}} .", f"{word_too} {french} , {{d}} .", d=done)
    return said._replace(lemmas=(sky, *said.lemmas))


def _own(subject: Nominal, what: str) -> Phrase:
    """What one takes when it rains: one's own coat, but any book or tea."""
    (noun,) = select_nouns(what)
    if "mass" in noun.kinds or noun.english == "book":
        return noun_phrase(noun, "", bool(noun.plural)).phrase
    own = {0: "my", 1: "your", 3: "our", 5: "their"}.get(subject.person, "her" if subject.feminine else "his")
    return noun_phrase(noun, own, "paired" in noun.kinds).phrase


IT_IS = (
    ("it/i 's/e {h} .", "il/i est/e {h} ."),
    ("it/i 's/e already/a {h} .", "il/i est/e déjà/a {h} ."),
    ("it/i isn't/n,e {h} yet/y .", "il/i ne/n? est/e pas/n encore/y {h} ."),
    ("it/i was/e {h} .", "il/i était/e {h} ."),
    ("is/e it/i {h} ?", "est-ce/e? que/e? il/i est/e {h} ?"),
)
PARTS_OF_HOUR = (
    ("half/h past/p {n}", "{n} et/p demie/h"),
    ("a/q? quarter/q past/p {n}", "{n} et/p quart/q"),
    ("a/l quarter/q to/p {n}", "{n} moins/p le/l quart/q"),
)
TIMETABLE = {
    "leave": AT_HOUR,
    "arrive": AT_HOUR,
    "come back": AT_HOUR,
    "go out": AT_HOUR,
    "start": AT_HOUR,
    "get up": AT_HOUR[3:9],
    "wake up": AT_HOUR[2:9],
    "go to bed": AT_HOUR[5:],
    "open": AT_HOUR[5:9],
    "close": AT_HOUR[2:8],
}


def tell_hour(draw: Draw) -> Phrase:
    """*it's half past four .*, *il est quatre heures et demie .*"""
    hour = draw.rare(HOURS)
    if draw.chance(0.7):
        number = hour._replace(english=hour.english[:1], links=((0, 0, True), (0, 1, False)))
        hour = weave(*draw.one(PARTS_OF_HOUR), n=number)
    return weave(*draw.one(IT_IS), h=hour)


def keep_time(draw: Draw) -> Phrase:
    """*the train leaves at six o'clock .*"""
    english = draw.rare(tuple(TIMETABLE))
    subject = draw_timed(draw, english)
    verb = find_verb(english)
    tense = "present" if english in ("open", "close") else draw.one(("present", "past", "future"))
    denial = "not" if draw.chance(0.15) else ""
    adverb = NO_ADVERB
    if tense == "present" and not denial and (subject.is_pronoun or draw.chance(0.3)):
        adverb = draw.one(FREQUENCIES[:2])
    said = clause(subject, verb, tense, denial, adverb=adverb)
    return chain(said, draw.rare(TIMETABLE[english]), FULL_STOP)


def draw_timed(draw: Draw, english: str) -> Nominal:
    """Draw who or what leaves, starts or opens at an hour."""
    if english == "start":
        return noun_phrase(draw.rare(select_nouns("film match race lesson game")), "the")
    if english in ("open", "close"):
        return noun_phrase(draw.rare(select_nouns("shop museum library bakery restaurant")), "the")
    if english in ("leave", "arrive") and draw.chance(0.6):
        determiner = draw.one(("the", "this", "our", "their", "my"))
        return noun_phrase(draw.rare(select_nouns("transport ship")), determiner)
    return draw_person(draw, "people", 0.4)
