"""When, where and how: the phrases that close a sentence."""

from regard.text.embedded.english_french.inflection import Noun
from regard.text.embedded.english_french.nominals import Nominal, noun_phrase
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.weaving import Phrase, listed, weave


def fixed(english: str, french: str) -> Phrase:
    """A woven phrase whose only content word is itself."""
    phrase = weave(english, french)
    return phrase._replace(lemmas=(" ".join(phrase.english),))


def _several(lines: str) -> tuple[Phrase, ...]:
    return tuple(fixed(*line.split("|")) for line in lines.strip().splitlines())


_DAYS = dict(
    zip(
        listed("monday tuesday wednesday thursday friday saturday sunday"),
        listed("lundi mardi mercredi jeudi vendredi samedi dimanche"),
        strict=True,
    )
)
_MONTHS = dict(
    zip(
        listed("january february march april may june july august september october november december"),
        listed("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
        strict=True,
    )
)
_SEASONS = {"spring": "au printemps", "summer": "en été", "autumn": "en automne", "winter": "en hiver"}
_HOURS = {
    "two": "deux",
    "three": "trois",
    "four": "quatre",
    "five": "cinq",
    "six": "six",
    "seven": "sept",
    "eight": "huit",
    "nine": "neuf",
    "ten": "dix",
    "eleven": "onze",
}

ON_DAY = tuple(fixed(f"on/d? {english}/d", f"{french}/d") for english, french in _DAYS.items())
ON_DAYS = tuple(fixed(f"on/o {english}s/d", f"le/o {french}/d") for english, french in _DAYS.items())
IN_MONTH = tuple(fixed(f"in/i {english}/d", f"en/i {french}/d") for english, french in _MONTHS.items())
IN_SEASON = tuple(
    fixed(f"in/i {english}/s", f"{french.split()[0]}/i {french.split()[1]}/s")
    for english, french in _SEASONS.items()
)
HOURS = tuple(fixed(f"{english}/n o'clock/h", f"{french}/n heures/h") for english, french in _HOURS.items())
AT_HOUR = tuple(
    fixed(f"at/a {english}/n o'clock/h", f"à/a {french}/n heures/h") for english, french in _HOURS.items()
)
SHORT_SPANS = _several("""
two/n hours/h | deux/n heures/h
three/n hours/h | trois/n heures/h
five/n hours/h | cinq/n heures/h
two/n days/h | deux/n jours/h
four/n days/h | quatre/n jours/h
six/n days/h | six/n jours/h
""")
LONG_SPANS = _several("""
two/n weeks/h | deux/n semaines/h
three/n weeks/h | trois/n semaines/h
two/n months/h | deux/n mois/h
six/n months/h | six/n mois/h
two/n years/h | deux/n ans/h
five/n years/h | cinq/n ans/h
ten/n years/h | dix/n ans/h
""")


def ago(span: Phrase) -> Phrase:
    """Say *two days ago*."""
    return weave("{s} ago/a", "il/a y/a a/a {s}", s=span)


def in_a_while(span: Phrase) -> Phrase:
    """Say *in two days*."""
    return weave("in/i {s}", "dans/i {s}", s=span)


HABITUAL = (
    *_several("""
every/e day/d | tous/e les/e? jours/d
every/e morning/d | tous/e les/e? matins/d
every/e evening/d | tous/e les/e? soirs/d
every/e week/d | toutes/e les/e? semaines/d
in/i the/t morning/d | le/t,i? matin/d
in/i the/t afternoon/d | le/t,i? après-midi/d
in/i the/t evening/d | le/t,i? soir/d
after/a lunch/l | après/a le/l? déjeuner/l
before/a dinner/l | avant/a le/l? dîner/l
"""),
    *ON_DAYS,
    *IN_SEASON,
)
NOW = _several("""
now/n | maintenant/n
today/t | aujourd'hui/t
this/t morning/m | ce/t matin/m
at/m the/m moment/m | en/m ce/m moment/m
this/t evening/e | ce/t soir/e
""")
YESTERDAY = (
    *_several("""
yesterday/y | hier/y
yesterday/y morning/m | hier/y matin/m
last/l night/n | hier/l soir/n
this/t morning/m | ce/t matin/m
today/t | aujourd'hui/t
"""),
    *ON_DAY,
)
LAST_YEAR = (
    *_several("""
last/l week/w | la/w? semaine/w dernière/l
last/l month/w | le/w? mois/w dernier/l
last/l year/w | l'année/w dernière/l
"""),
    *IN_MONTH,
    *map(ago, LONG_SPANS),
)
TOMORROW = (
    *_several("""
tomorrow/t | demain/t
tomorrow/t morning/m | demain/t matin/m
tonight/t | ce/t soir/t
later/l | plus/l tard/l
"""),
    *ON_DAY,
)
NEXT_YEAR = (
    *_several("""
next/l week/w | la/w? semaine/w prochaine/l
next/l month/w | le/w? mois/w prochain/l
next/l year/w | l'année/w prochaine/l
"""),
    *IN_MONTH,
    *map(in_a_while, LONG_SPANS),
)
TIMES = {
    "present": HABITUAL,
    "progressive": NOW,
    "past": YESTERDAY,
    "future": TOMORROW,
    "habit": HABITUAL,
    "modal": TOMORROW,
}
SPAN_TIMES = {"past": tuple(map(ago, SHORT_SPANS)), "future": tuple(map(in_a_while, SHORT_SPANS))}
"""When one does what is done at once: finds, leaves, arrives."""

LONG_TIMES = {"past": LAST_YEAR, "future": NEXT_YEAR}
"""When one does what is not done every day: travels, builds a house."""

FREQUENCIES = (("often", "souvent"), ("always", "toujours"), ("sometimes", "parfois"), ("rarely", "rarement"))
SKILLS = (("well", "bien"), ("badly", "mal"))
MANNERS = _several("""
slowly/s | lentement/s
quickly/s | rapidement/s
in/s silence/s | en/s silence/s
""")
EARLY = _several("""
early/e | tôt/e
very/v early/e | très/v tôt/e
late/l | tard/l
very/v late/l | très/v tard/l
""")
HERE = _several("""
here/h | ici/h
outside/o | dehors/o
""")

PREPOSITIONS = {
    "on sur": "beach bridge island roof",
    "in sur": "square",
    "at à": """
        market station hospital hotel museum library office theatre cinema airport bakery restaurant
        harbour""",
    "on à": "farm",
}
_PREPOSITION = {
    noun: preposition for preposition, nouns in PREPOSITIONS.items() for noun in select_nouns(nouns)
}
GOALS = """
    market station hospital hotel museum library office theatre cinema airport bakery restaurant harbour
    school church park beach village castle farm pool"""
"""Where one goes with *to* and *à*."""


def at_place(place: Nominal) -> Phrase:
    """Say that something happens at a place: *in the garden*, *on the beach*, *at school*."""
    assert place.noun
    if place.noun.english == "school":
        return fixed("at/a school/s", "à/a la/s? école/s")._replace(lemmas=("school",))
    english, french = _PREPOSITION.get(place.noun, "in dans").split()
    return weave("{e}/i {p}", "{f}/i {p}", e=english, f=french, p=place.phrase)


def to_place(place: Noun) -> Phrase:
    """Say where one goes: *to the market*, *to school*."""
    if place.english == "school":
        return fixed("to/a school/s", "à/a la/s? école/s")._replace(lemmas=("school",))
    return weave("to/t {p}", "à/t {p}", p=noun_phrase(place, "the").phrase)


COUNTRIES = {
    "france": "en france",
    "italy": "en italie",
    "spain": "en espagne",
    "england": "en angleterre",
    "germany": "en allemagne",
    "china": "en chine",
    "canada": "à le canada",
    "portugal": "à le portugal",
    "japan": "à le japon",
    "paris": "à paris",
    "london": "à londres",
    "rome": "à rome",
    "madrid": "à madrid",
    "berlin": "à berlin",
}
"""Countries and cities, with *in* or *to* in French."""


def country_name(country: str) -> Phrase:
    """Name a country or city, with the article that only French says: *japan*, *le japon*."""
    *where, place = COUNTRIES[country].split()
    phrase = weave("{c}/c", "{a}/c? {p}/c", c=country, a="le" if "le" in where else "", p=place)
    return phrase._replace(lemmas=(country,))


def in_country(country: str, preposition: str = "in") -> Phrase:
    """Say *in* or *to* a country or city, which French does not tell apart; or *from*."""
    french = "de" if preposition == "from" else COUNTRIES[country].split()[0]
    return weave("{e}/i {c}", "{f}/i {c}", e=preposition, f=french, c=country_name(country))
