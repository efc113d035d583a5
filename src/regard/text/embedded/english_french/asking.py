"""Questions about what is done: *est-ce que* after every question word, so that nothing is inverted."""

from regard.text.embedded.english_french.casting import (
    draw_definite,
    draw_gift,
    draw_object,
    draw_person,
    draw_place,
    draw_place_for,
    draw_use,
)
from regard.text.embedded.english_french.clauses import CAN, MUST, WANT, YES_OR_NO, clause
from regard.text.embedded.english_french.dealings import DONE_TO_PEOPLE, HANDED, draw_clitic
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.inflection import Verb
from regard.text.embedded.english_french.nominals import (
    DIRECT,
    HE,
    INDIRECT,
    SHE,
    THEY,
    WHO,
    YOU,
    Nominal,
    noun_phrase,
)
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.telling import QUESTION_MARK, draw_tense, suits
from regard.text.embedded.english_french.verbs import INTRANSITIVE, TRANSITIVE, find_verb, find_verbs
from regard.text.embedded.english_french.weaving import NOTHING, Phrase, Term, chain, listed, weave

ASKED_ABOUT = (YOU, YOU, HE, SHE, THEY)
ASKED_INTRANSITIVE = tuple(verb for verb in INTRANSITIVE if verb.english not in ("die", "dream"))
PEOPLES = tuple(verb for verb in TRANSITIVE if verb.uses[0][0].startswith("people"))


def draw_asked_about(draw: Draw, pronouns: float = 0.5) -> Nominal:
    """Draw whom a question is about: never *i* or *we*, who would know."""
    return draw.one(ASKED_ABOUT) if draw.chance(pronouns) else draw_person(draw, "people", 0)


def draw_asked_tense(draw: Draw, verb: Verb) -> str:
    """Draw a tense one asks in: the present of states and habits, the past or future of all else."""
    tense = draw_tense(draw, verb)
    if "state" in verb.traits:
        return "present"
    return "past" if tense == "habit" or (tense == "present" and "habit" not in verb.traits) else tense


def ask_if(draw: Draw) -> Phrase | None:
    """*did you see the thief ?*, *is paul sleeping ?*"""
    with_object = draw.chance(0.75)
    verb = draw.rare(TRANSITIVE if with_object else ASKED_INTRANSITIVE)
    subject, what = draw_use(draw, verb, 0, with_object)
    if subject.noun and "people" in subject.noun.kinds and draw.chance(0.5):
        subject = draw.one(ASKED_ABOUT)
    tense = draw_asked_tense(draw, verb)
    goal = NOTHING
    if what:
        noun = draw.rare(select_nouns(what))
        if not suits(subject, noun, verb):
            return None
        habitual = tense == "present" and verb.english not in ("have", "want")
        goal = draw_object(draw, verb, noun, asked=True, habitual=habitual).phrase
    elif verb.english == "stay" or draw.chance(0.6):
        goal = draw_place_for(draw, subject, verb) or NOTHING
    return chain(clause(subject, verb, tense, goal=goal, question=YES_OR_NO), QUESTION_MARK)


def ask_if_them(draw: Draw) -> Phrase:
    """*did you see him ?*, *can you help me ?*, *does she want to invite us ?*"""
    subject = draw_asked_about(draw)
    verb = draw.rare(DONE_TO_PEOPLE)
    modal = draw.one((CAN, WANT, MUST)) if draw.chance(0.3) and "state" not in verb.traits else None
    clitic = draw_clitic(draw, subject, DIRECT)
    said = clause(subject, verb, draw_asked_tense(draw, verb), clitic=clitic, question=YES_OR_NO, modal=modal)
    if verb.places and draw.chance(0.4):
        said = chain(said, draw_place(draw, verb.places))
    return chain(said, QUESTION_MARK)


def ask_for(draw: Draw) -> Phrase:
    """*can you lend me your pen ?*, *est-ce que tu peux me prêter ton stylo ?*"""
    verb = draw.rare(find_verbs("give show bring lend send sell tell read"))
    subject = draw.one(ASKED_ABOUT)
    clitic = draw_clitic(draw, subject, INDIRECT)
    goal = draw_gift(draw, verb, draw.rare(select_nouns(HANDED[verb.english])), asked=True).phrase
    modal = draw.one((CAN, CAN, WANT))
    said = clause(subject, verb, goal=goal, clitic=clitic, question=YES_OR_NO, modal=modal)
    if subject is YOU and draw.chance(0.3):
        return weave("{s} , please/p ?", "{s} , si/p il/p te/p plaît/p ?", s=said)
    return chain(said, QUESTION_MARK)


WHERE, WHEN, WHY = (
    weave(f"{english}/h", f"{french}/h")
    for english, french in (("where", "où"), ("when", "quand"), ("why", "pourquoi"))
)
WONDERED = {
    WHERE: find_verbs(
        "buy find lose work sleep play eat see hide meet dance study wait live swim steal plant"
    ),
    WHEN: find_verbs(
        "leave arrive come_back wash visit clean repair paint meet go_out build wake_up finish start"
    ),
    WHY: find_verbs(
        """cry laugh sell wait run shout smile leave hide follow close open cut touch break hurry stay
            look_for invite go_out"""
    ),
}
ONLY_AFTERWARDS = frozenset(listed("lose find see steal break"))
"""What one asks about only when it has happened."""

ENOUGH_ALONE = frozenset(["eat", "study", "sing"])
"""What one may do without saying to what."""


def draw_wondered(draw: Draw, word: Phrase, subject: Nominal) -> tuple[Verb, str, Phrase] | None:
    """Draw what one may ask where, when or why: a verb, its tense and its object."""
    verb = draw.rare(WONDERED[word])
    tense = draw_asked_tense(draw, verb)
    if verb.english == "live":
        tense = "present"
    elif word is WHEN:
        tense = draw.one(("past", "future"))
    elif word is WHY and tense == "future":
        tense = "past"
    if verb.english in ONLY_AFTERWARDS or (tense == "present" and verb.english != "live"):
        tense = "past"
    if not verb.things or verb.english in ENOUGH_ALONE:
        return verb, tense, NOTHING
    noun = draw.rare(select_nouns(verb.things))
    if not suits(subject, noun, verb) or "meal" in noun.kinds:
        return None
    return verb, tense, draw_definite(draw, noun, 0.2).phrase


def ask_circumstance(draw: Draw) -> Phrase | None:
    """*where did you buy this hat ?*, *why is the baby crying ?*, *when is paul going to leave ?*"""
    word = draw.one(tuple(WONDERED))
    subject = draw_asked_about(draw)
    wondered = draw_wondered(draw, word, subject)
    if wondered is None:
        return None
    verb, tense, goal = wondered
    said = clause(subject, verb, tense, goal=goal, question=word)
    return chain(said._replace(lemmas=(word.english[0], *said.lemmas)), QUESTION_MARK)


ASKED_WHAT = find_verbs(
    """eat drink read write see hear buy sell find look_for want draw prepare choose carry take use learn
        forget lose steal"""
)


def ask_what(draw: Draw) -> Phrase:
    """*what is paul reading ?*, *what did they buy at the market ?*: qu'est-ce que."""
    verb = draw.rare(ASKED_WHAT)
    tense = "past" if verb.english in (*ONLY_AFTERWARDS, "forget") else draw_asked_tense(draw, verb)
    said = clause(draw_asked_about(draw, 0.4), verb, tense, question=weave("what/h", "que/h"))
    # "que est-ce que" is written "qu'est-ce que": one word for what and for the asking.
    said = said._replace(
        french=("qu'est-ce", *said.french[2:]),
        links=tuple((i, max(j - 1, 0), sure) for i, j, sure in said.links),
        lemmas=("what", *said.lemmas),
    )
    if verb.places and " " not in verb.english and draw.chance(0.5):
        said = chain(said, draw_place(draw, verb.places))
    return chain(said, QUESTION_MARK)


def ask_who(draw: Draw) -> Phrase | None:
    """*who broke the vase ?*, *who did you invite ?*"""
    if draw.chance(0.4):
        verb = draw.rare(DONE_TO_PEOPLE)
        said = clause(draw_asked_about(draw), verb, draw_asked_tense(draw, verb), question=WHO.phrase)
        if verb.places and " " not in verb.english and draw.chance(0.4):
            said = chain(said, draw_place(draw, verb.places))
    elif draw.chance(0.2):
        verb = draw.rare(DONE_TO_PEOPLE)
        said = clause(WHO, verb, draw_asked_tense(draw, verb), clitic=draw.one(DIRECT))
    else:
        verb = draw.rare(PEOPLES)
        tense = draw_asked_tense(draw, verb)
        habitual = tense == "present" and verb.english not in ("have", "want")
        noun = draw.rare(select_nouns(verb.things))
        goal = draw_object(draw, verb, noun, habitual=habitual, adjectives=0.2).phrase
        said = clause(WHO, verb, tense, goal=goal)
    return chain(said._replace(lemmas=("who", *said.lemmas)), QUESTION_MARK)


CHOICES = find_verbs(
    "read buy eat choose see wear take visit want sell repair sing wash open prefer write paint steal"
)


def ask_which(draw: Draw) -> Phrase | None:
    """*which books did she read ?*, *how many eggs did you buy ?*: the participle agrees."""
    verb = draw.rare(CHOICES)
    noun = draw.rare(select_nouns(verb.things or find_verb("want").things))
    subject = draw_asked_about(draw)
    if not suits(subject, noun, verb) or noun.kinds & {"people", "mass", "heaven"}:
        return None
    tense = "present" if verb.english == "prefer" else draw_asked_tense(draw, verb)
    if draw.chance(0.5) and verb.english not in ("wear", "prefer", "want"):
        if not noun.plural:
            return None
        many = weave(
            "how/h many/h {e}/n",
            "combien/h de/h {f}/n",
            e=Term(noun.plural, noun.english),
            f=noun.french_plural,
        )
        head = Nominal(many, 5, noun.feminine)
    else:
        head = noun_phrase(noun, "which", plural=bool(noun.plural) and draw.chance(0.4))
    return chain(clause(subject, verb, tense, question=head.phrase, agrees_with=head), QUESTION_MARK)
