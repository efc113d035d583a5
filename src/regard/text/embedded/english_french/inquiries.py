"""Questions about people and things: where they are, whose, how much, how old; and polite ones."""

from regard.text.embedded.english_french.adjectives import ADJECTIVES
from regard.text.embedded.english_french.adverbials import NOW
from regard.text.embedded.english_french.asking import ASKED_ABOUT, ONLY_AFTERWARDS, WHERE, draw_asked_tense
from regard.text.embedded.english_french.casting import draw_definite, draw_object
from regard.text.embedded.english_french.clauses import CAN, MUST, WANT, YES_OR_NO, clause
from regard.text.embedded.english_french.conjugations import ALLER, AVOIR, ETRE
from regard.text.embedded.english_french.copulas import copula, described
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.nominals import DIRECT, MADAM, SIR, Nominal, noun_phrase
from regard.text.embedded.english_french.nouns import select_nouns
from regard.text.embedded.english_french.telling import QUESTION_MARK
from regard.text.embedded.english_french.verbs import find_verb, find_verbs
from regard.text.embedded.english_french.weathers import draw_timed
from regard.text.embedded.english_french.weaving import NOTHING, Phrase, Term, chain, listed, weave

MISPLACED = "clothing jewel tool small plaything container pet people building reading machine vehicle"
COLOURED = "clothing vehicle furniture -mirror -clock container part -wall telephone umbrella house"
COSTLY = "clothing vehicle furniture container tool machine fruit treat jewel instrument ticket"
OTHERS = ("your", "his", "her", "their")


def ask_where_is(draw: Draw) -> Phrase:
    """*where are my keys ?*, *où sont mes clés ?*"""
    sought = draw_definite(draw, draw.rare(select_nouns(MISPLACED)), 0.25)
    past = draw.chance(0.2)
    said = weave(
        "where/h {b}/b {n} ?",
        "où/h {f}/b {n} ?",
        b=("were" if past else "are") if sought.plural else "was" if past else "is",
        f=(ETRE.imperfect if past else ETRE.present)[sought.person],
        n=sought.phrase,
    )
    return said._replace(lemmas=("where", *said.lemmas))


def ask_whose(draw: Draw) -> Phrase:
    """*whose bicycle is this ?*, *à qui est ce vélo ?*"""
    noun = draw.rare(
        select_nouns("clothing tool small plaything container reading machine vehicle jewel pet")
    )
    plural = draw.chance(0.3) or "paired" in noun.kinds
    this = noun_phrase(noun, "these" if plural else "this", plural)
    said = weave(
        "whose/w {e}/n {b}/b {t}/d ?",
        "à/w qui/w {c}/b {d}/d {f}/n ?",
        e=Term(noun.plural if plural else noun.english, noun.english),
        b="are" if plural else "is",
        t="these" if plural else "this",
        c=ETRE.present[this.person],
        d=this.phrase.french[0],
        f=" ".join(this.phrase.french[1:]),
    )
    return said._replace(lemmas=("whose", *said.lemmas))


def ask_colour(draw: Draw) -> Phrase:
    """*what colour is your car ?*, *de quelle couleur est ta voiture ?*"""
    thing = draw_definite(draw, draw.rare(select_nouns(COLOURED)), 0)
    return weave(
        "what/w {c}/c {b}/b {n} ?",
        "de/w? quelle/w couleur/c {f}/b {n} ?",
        c=Term("colour", "colour"),
        b="are" if thing.plural else "is",
        f=ETRE.present[thing.person],
        n=thing.phrase,
    )


def ask_price(draw: Draw) -> Phrase:
    """*how much does this hat cost ?*, *combien coûte ce chapeau ?*"""
    noun = draw.rare(select_nouns(COSTLY))
    plural = draw.chance(0.3) or bool(noun.kinds & {"paired", "fruit"})
    determiner = draw.one(("these", "those", "the") if plural else ("this", "that", "the"))
    return weave(
        "how/h much/h {d}/v? {n} {c}/v ?",
        "combien/h {f}/v {n} ?",
        d="do" if plural else "does",
        n=noun_phrase(noun, determiner, plural).phrase,
        c=Term("cost", "cost"),
        f="coûtent" if plural else "coûte",
    )


def _draw_acquaintance(draw: Draw) -> Nominal:
    noun = draw.rare(select_nouns(draw.one(("kin", "name", "friend spouse", "kin"))))
    if noun.kinds & {"name", "spouse"}:
        return draw_definite(draw, noun)
    return noun_phrase(noun, draw.one(OTHERS), bool(noun.plural) and draw.chance(0.3))


def ask_how(draw: Draw) -> Phrase:
    """*how is your mother today ?*, *how old is paul ?*"""
    subject = _draw_acquaintance(draw)
    old = draw.chance(0.5)
    lines = ("how/h {o}/o {b}/b {n} ?", "quel/h âge/o {f}/b {n} ?")
    if not old:
        lines = ("{o}/h {b}/b {n} {t} ?", "comment/h {f}/b {n} {t} ?")
    return weave(
        *lines,
        o=Term("old", "old") if old else Term("how", "how"),
        b="are" if subject.plural else "is",
        f=(AVOIR if old else ALLER).present[subject.person],
        n=subject.phrase,
        t=draw.one((NOTHING, NOW[1], NOW[2])),
    )


def ask_hour(draw: Draw) -> Phrase:
    """*what time does the train leave ?*, *à quelle heure est-ce que le train part ?*"""
    english = draw.rare(
        ("leave", "arrive", "get up", "wake up", "go to bed", "come back", "go out", "start", "open")
    )
    subject = draw_timed(draw, english)
    if subject.is_pronoun:
        subject = draw.one(ASKED_ABOUT)
    tense = "present" if english == "open" else draw.one(("present", "past", "future"))
    word = weave("what/w {t}/t", "à/w? quelle/w heure/t", t=Term("time", "time"))
    return chain(clause(subject, find_verb(english), tense, question=word), QUESTION_MARK)


ADDRESSED = (
    (SIR, weave("{e}/v", "monsieur/v", e=Term("sir", "sir"))),
    (MADAM, weave("{e}/v", "madame/v", e=Term("madam", "madam"))),
    (SIR, weave("{e}/v", "docteur/v", e=Term("doctor", "doctor"))),
)
COURTESIES = find_verbs(
    "want see know visit look_for wait_for forget eat drink read buy sell lose find take choose prepare use"
)
MOODS = listed("ready tired sick busy worried happy alone surprised angry nervous disappointed late")
ONES_OWN = frozenset(["clothing", "tool", "jewel", "pet", "vehicle", "machine"])


def ask_politely(draw: Draw) -> Phrase | None:
    """*do you want some tea , madam ?*: the one addressed makes *you* a *vous*."""
    subject, address = draw.one(ADDRESSED)
    choice = draw.one(("verb", "verb", "verb", "them", "mood", "where"))
    if choice == "them":
        clitic = draw.one([clitic for clitic in DIRECT if clitic.person != 1])
        verb = draw.rare(find_verbs("see help call wait_for listen_to invite thank know follow"))
        modal = None if verb.english == "know" else draw.one((CAN, CAN, WANT, MUST))
        said = clause(subject, verb, clitic=clitic, question=YES_OR_NO, modal=modal)
    elif choice == "mood":
        adjective = ADJECTIVES[draw.rare(MOODS)]
        very = adjective.english in ("tired", "busy", "happy", "worried") and draw.chance(0.4)
        said = copula(subject, described(subject, adjective, "very" if very else ""), question=YES_OR_NO)
    elif choice == "where":
        said = clause(subject, draw.rare(find_verbs("work live sleep eat study wait")), question=WHERE)
    else:
        verb = draw.rare(COURTESIES)
        noun = draw.rare(select_nouns(verb.things))
        tense = "past" if verb.english in (*ONLY_AFTERWARDS, "forget") else draw_asked_tense(draw, verb)
        asked = draw.chance(0.65)
        if noun.kinds & ONES_OWN and draw.chance(0.5):
            goal = noun_phrase(noun, "your politely").phrase
        else:
            goal = draw_object(draw, verb, noun, asked=asked, adjectives=0.2).phrase
        # "your" is a "ton" everywhere else.
        if "ton" in goal.french or "ta" in goal.french or "tes" in goal.french:
            return None
        if not asked:
            tense = "past" if tense in ("progressive", "future") else tense
            return weave("{a} , {s} .", "{a} , {s} .", a=address, s=clause(subject, verb, tense, goal=goal))
        said = clause(subject, verb, tense, goal=goal, question=YES_OR_NO)
    return weave("{s} , {a} ?", "{s} , {a} ?", s=said, a=address)
