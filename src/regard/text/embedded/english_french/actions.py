"""Sentences about what people and animals do."""

from regard.text.embedded.english_french.adverbials import (
    COUNTRIES,
    EARLY,
    HERE,
    LONG_SPANS,
    MANNERS,
    SHORT_SPANS,
    SKILLS,
    in_country,
)
from regard.text.embedded.english_french.casting import (
    draw_object,
    draw_other,
    draw_owned,
    draw_person,
    draw_place,
    draw_place_for,
    draw_time,
    draw_use,
)
from regard.text.embedded.english_french.clauses import CAN, HAVE, HOPE, LIKE, MUST, WANT, clause
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.inflection import Verb
from regard.text.embedded.english_french.nominals import Nominal, is_human, noun_phrase, than
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.telling import (
    ALCOHOL,
    FULL_STOP,
    NO_ADVERB,
    close,
    draw_denial,
    draw_frequency,
    draw_tense,
    is_ambiguous,
    suits,
)
from regard.text.embedded.english_french.verbs import INTRANSITIVE, TRANSITIVE, find_verb, find_verbs
from regard.text.embedded.english_french.weaving import NOTHING, Phrase, chain, lead, listed, weave


def act_on(draw: Draw) -> Phrase | None:
    """*paul washed the red car yesterday .*"""
    verb = draw.rare(TRANSITIVE)
    subject, what = draw_use(draw, verb)
    tense = draw_tense(draw, verb)
    denial = draw_denial(draw, verb, tense)
    noun = draw.rare(select_nouns(what))
    if is_ambiguous(verb, tense, subject, denial) or not suits(subject, noun, verb):
        return None
    if noun.kinds & {"clothing", "vehicle", "pet", "tool"} and verb.english != "wear" and draw.chance(0.2):
        goal = draw_owned(draw, noun)
    else:
        habitual = tense in ("present", "habit") and verb.english not in ("have", "want")
        goal = draw_object(draw, verb, noun, denial, habitual=habitual)
    adverb = draw_frequency(draw, verb, tense, denial)
    said = clause(subject, verb, tense, denial, goal=goal.phrase, adverb=adverb)
    where = draw_place_for(draw, subject, verb) if draw.chance(0.25) else None
    return chain(said, where, FULL_STOP) if where else close(draw, said, verb, tense, denial, adverb)


KEPT_HOURS = frozenset(["get up", "wake up", "go to bed", "come back", "leave", "arrive"])
"""What one does early or late."""


PACED = frozenset(["walk", "work", "swim", "dance"])
"""What one does slowly or quickly."""
SHARED = frozenset(
    listed("work run walk swim sing dance laugh cry play wait rest travel leave arrive stay come")
)
"""What one does with somebody."""


def act(draw: Draw) -> Phrase | None:
    """*the children are playing in the garden .*"""
    verb = draw.rare(INTRANSITIVE)
    subject, _ = draw_use(draw, verb, with_object=False)
    if verb.english in ("die", "fall"):
        said = clause(subject, verb, "past")
        return None if subject.plural else chain(said, draw_time(draw, "past", verb), FULL_STOP)
    tense = draw_tense(draw, verb)
    denial = draw_denial(draw, verb, tense)
    adverb, manner = draw_frequency(draw, verb, tense, denial), NO_ADVERB
    if "skill" in verb.traits and tense in ("present", "past", "habit") and not denial and draw.chance(0.4):
        adverb, manner = NO_ADVERB, draw.one(SKILLS)
    said = clause(subject, verb, tense, denial, adverb=adverb, manner=manner)
    if verb.english in KEPT_HOURS and (tense in ("present", "habit") or draw.chance(0.4)):
        return chain(said, draw.rare(EARLY), FULL_STOP)
    if verb.english in PACED and not manner[0] and draw.chance(0.6):
        said = chain(said, draw.rare(MANNERS))
    if verb.english == "travel":
        said = chain(said, in_country(draw.rare(tuple(COUNTRIES)[:9])))
        return (
            chain(said, FULL_STOP)
            if tense == "progressive"
            else close(draw, said, verb, tense, denial, adverb)
        )
    where = draw_place_for(draw, subject, verb) if verb.english == "stay" or draw.chance(0.5) else None
    if where:
        said = chain(said, where)
        if draw.chance(0.6):
            return chain(said, FULL_STOP)
    elif verb.english in ("work", "play", "sleep", "wait", "stay", "rest") and draw.chance(0.2):
        said = chain(said, draw.rare(HERE))
    elif verb.english in SHARED and is_human(subject) and draw.chance(0.3):
        said = chain(said, with_someone(draw, subject))
    return close(draw, said, verb, tense, denial, adverb)


def with_someone(draw: Draw, subject: Nominal) -> Phrase:
    """Add a companion: *with his brother*, *with them*."""
    return weave("with/w {f}", "avec/w {f}", f=than(draw_other(draw, subject, pronouns=0.4)))


UNCHOSEN = find_verbs(
    """want have see know love lose forget break fall die cry hear receive catch hunt fly bark protect arrive
    steal laugh smile dream wait wake_up get_up"""
)
CHOSEN_TRANSITIVE, CHOSEN_INTRANSITIVE = (
    tuple(verb for verb in verbs if verb not in UNCHOSEN and verb.uses[0][0].startswith("people"))
    for verbs in (TRANSITIVE, INTRANSITIVE)
)
ENJOYED = find_verbs(
    "read write draw paint eat drink buy listen_to visit pick plant repair prepare build tell"
)
ENJOYED_ALONE = find_verbs(
    "sleep work run walk swim sing dance laugh dream travel play rest go_for_a_walk go_out wait"
)


def must_act(draw: Draw) -> Phrase | None:
    """*she wants to buy a new car .*, *i can't find my keys .*"""
    modal = draw.one((WANT, WANT, CAN, CAN, MUST, HAVE, HOPE))
    denial = "not" if modal not in (HAVE, HOPE) and draw.chance(0.35) else ""
    subject = draw_person(draw, "people", 0.4)
    goal = NOTHING
    if draw.chance(0.4):
        verb = draw.rare(CHOSEN_INTRANSITIVE)
        if verb.places and draw.chance(0.6):
            goal = draw_place(draw, verb.places)
    else:
        verb = draw.rare(CHOSEN_TRANSITIVE)
        noun = draw.rare(select_nouns(verb.things))
        if not suits(subject, noun, verb):
            return None
        goal = draw_object(draw, verb, noun, denial, counted=False).phrase
    said = clause(subject, verb, "", denial, goal=goal, modal=modal)
    return chain(said, FULL_STOP) if draw.chance(0.5) else close(draw, said, verb, "modal", denial)


def like_to_act(draw: Draw) -> Phrase | None:
    """*the children like to play in the garden .*, *he doesn't like to read novels .*"""
    subject = draw_person(draw, "people", 0.4)
    goal = NOTHING
    if draw.chance(0.5):
        verb = draw.rare(ENJOYED_ALONE)
        if verb.places and draw.chance(0.6):
            goal = draw_place(draw, verb.places)
    else:
        verb = draw.rare(ENJOYED)
        noun = draw.rare(select_nouns(verb.things))
        if not suits(subject, noun, verb) or noun.kinds & {"people", "heaven", "meal"}:
            return None
        goal = noun_phrase(noun, "", bool(noun.plural)).phrase
    denial = draw.one(("", "", "", "not"))
    return chain(clause(subject, verb, "", denial, goal=goal, modal=LIKE), FULL_STOP)


DONE = (
    ("perfect", "", ("already", "déjà")),
    ("perfect", "yet", NO_ADVERB),
    ("perfect", "never", NO_ADVERB),
    ("recent", "", NO_ADVERB),
)


def have_done(draw: Draw) -> Phrase | None:
    """*he has already read this book .*, *she hasn't arrived yet .*, *we have just eaten .*"""
    tense, denial, adverb = draw.one(DONE)
    if draw.chance(0.3) and denial != "never":
        verb = draw.rare(
            find_verbs("eat arrive leave go_out come_back wake_up get_up come_in go_to_bed sleep")
        )
        return chain(clause(draw_person(draw), verb, tense, denial, adverb=adverb), FULL_STOP)
    verb = draw.rare([verb for verb in TRANSITIVE if "state" not in verb.traits])
    subject, what = draw_use(draw, verb)
    noun = draw.rare(select_nouns(what))
    if not suits(subject, noun, verb):
        return None
    if denial == "yet" and subject.noun and "people" not in subject.noun.kinds:
        return None
    goal = draw_object(draw, verb, noun, denial)
    return chain(clause(subject, verb, tense, denial, goal=goal.phrase, adverb=adverb), FULL_STOP)


LASTING = dict.fromkeys(find_verbs("work live study travel"), LONG_SPANS) | dict.fromkeys(
    find_verbs("sleep wait play sing walk swim cry dance rest run"), SHORT_SPANS[:3]
)


def last(draw: Draw) -> Phrase:
    """*i have been waiting for two hours .*: a French present with *depuis*."""
    verb = draw.rare(tuple(LASTING))
    said = clause(draw_person(draw, "people", 0.4), verb, "lasting")
    if verb.english == "live":
        said = chain(said, draw.one((HERE[0], in_country(draw.rare(tuple(COUNTRIES))))))
    elif verb.places and draw.chance(0.6):
        said = chain(said, draw_place(draw, verb.places))
    return weave("{s} for/f {t} .", "{s} depuis/f {t} .", s=said, t=draw.rare(LASTING[verb]))


EXCLUDING = {
    "nothing": find_verbs("see hear eat drink find buy understand want choose forget prepare sell receive"),
    "nobody": find_verbs("see know help invite love hear meet thank wait_for call"),
    "only": find_verbs("eat drink read buy sell"),
}


def exclude(draw: Draw) -> Phrase | None:
    """*i see nothing .*, *he knows nobody .*, *she only drinks water .*"""
    denial = draw.one(tuple(EXCLUDING))
    subject = draw_person(draw, "people", 0.5)
    verb: Verb = draw.rare(EXCLUDING[denial])
    tense = draw.one(("present", "past"))
    goal = NOTHING
    if denial == "only":
        noun = draw.rare(select_nouns(verb.things))
        if noun.english in ALCOHOL or noun.kinds & {"animal", "place"}:
            return None
        goal = noun_phrase(noun, "", bool(noun.plural)).phrase
    if is_ambiguous(verb, tense, subject, denial):
        return None
    said = clause(subject, verb, tense, denial, goal=goal)
    return chain(said, FULL_STOP) if tense == "present" else close(draw, said, verb, tense)


SPORTS = {"football": "le football", "tennis": "le tennis", "chess": "les échecs", "cards": "les cartes"}


def play(draw: Draw) -> Phrase:
    """*she plays the piano .*, *the boys are playing football .*: jouer de, jouer à."""
    verb = find_verb("play")
    subject = draw_person(draw, "people", 0.35)
    tense = draw_tense(draw, verb)
    denial = draw_denial(draw, verb, tense)
    if draw.chance(0.5):
        goal = lead("de", noun_phrase(draw.rare(select_nouns("instrument")), "the").phrase)
    else:
        sport = draw.rare(tuple(SPORTS))
        article, french = SPORTS[sport].split()
        goal = weave("{s}/s", "à/s? {a}/s? {f}/s", s=sport, a=article, f=french)._replace(lemmas=(sport,))
    adverb = draw_frequency(draw, verb, tense, denial)
    said = clause(subject, verb, tense, denial, goal=goal, adverb=adverb)
    if draw.chance(0.3):
        said = chain(said, with_someone(draw, subject))
    return close(draw, said, verb, tense, denial, adverb)


LANGUAGES = {
    "french": "français",
    "english": "anglais",
    "italian": "italien",
    "german": "allemand",
    "spanish": "espagnol",
    "chinese": "chinois",
}


def use_language(draw: Draw) -> Phrase:
    """*she speaks french well .*, *i'm learning chinese .*: with *le* after all but *parler*."""
    verb = draw.rare(find_verbs("speak learn study teach understand"))
    subject = draw_person(draw, "teacher" if verb.english == "teach" and draw.chance(0.5) else "people", 0.35)
    tense = "present" if verb.english in ("speak", "understand") else draw_tense(draw, verb)
    denial = draw_denial(draw, verb, tense)
    language = draw.rare(tuple(LANGUAGES))
    article = "" if verb.english == "speak" else "le"
    goal = weave("{e}/l", "{a}/l? {f}/l", e=language, a=article, f=LANGUAGES[language])._replace(
        lemmas=(language,)
    )
    manner = draw.one(SKILLS) if verb.english == "speak" and not denial and draw.chance(0.5) else NO_ADVERB
    said = clause(subject, verb, tense, denial, goal=goal, manner=manner)
    if verb.english in ("learn", "study", "teach") and draw.chance(0.4):
        said = chain(said, draw_place(draw, "school library", 0))
    return chain(said, FULL_STOP)


TASTES = find_verbs("like adore hate prefer")
LIKED = "food -butter drink animal -livestock -wild horse flower music song film novel poem story match"


def like(draw: Draw) -> Phrase | None:
    """*paul likes dogs .*, *she prefers tea to coffee .*: all of a kind, *les chiens*, *le thé*."""
    verb = draw.rare(TASTES)
    subject = draw_person(draw, "people", 0.4)
    noun = draw.rare(select_nouns(LIKED))
    if not suits(subject, noun, verb) or noun.kinds & {"meal"}:
        return None
    adjective = None
    liked = noun_phrase(noun, "generic", bool(noun.plural), None, adjective).phrase
    if verb.english == "prefer":
        kinds = sorted(noun.kinds - {"mass", "pet"})
        rival = draw.rare(select_nouns(kinds[0]))
        if rival is noun or bool(rival.plural) != bool(noun.plural):
            return None
        other = noun_phrase(rival, "generic", bool(rival.plural)).phrase
        liked = weave("{l} to/t {o}", "{l} à/t {o}", l=liked, o=other)
    denial = draw.one(("", "", "", "not")) if verb.english in ("like", "prefer") else ""
    tense = draw.one(("present", "present", "present", "past"))
    return chain(clause(subject, verb, tense, denial, goal=liked), FULL_STOP)
