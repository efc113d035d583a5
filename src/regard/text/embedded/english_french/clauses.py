"""A subject, a verb and what follows, in every tense, asserted, denied or asked.

Conventions of the gold alignments, the same in every sentence: *not, don't, never* are
surely *pas, jamais*, possibly *ne*; the *do* of a question is surely *est-ce*, possibly
*que*; an English auxiliary is possibly each word of its verb; of a French past the
participle is surely the English verb, the auxiliary possibly.
"""

from functools import cache
from typing import NamedTuple

from regard.text.embedded.english_french.conjugations import ALLER, AVOIR, ETRE, VENIR, conjugate
from regard.text.embedded.english_french.inflection import Conjugation, Verb
from regard.text.embedded.english_french.nominals import NO_CLITIC, Clitic, Nominal
from regard.text.embedded.english_french.weaving import NOTHING, Phrase, Term, weave

REFLEXIVE = ("me", "te", "se", "nous", "vous", "se")
YES_OR_NO = NOTHING
"""The question word of a question that has none."""

ENGLISH_TENSES = {
    "present": ("v?", "{w}/w {v}/v"),
    "past": ("v?", "{w}/w {v}/v"),
    "progressive": ("v?", "{w}/w {v}/v"),
    "background": ("v?", "{v}/v"),
    "lasting": ("v?", "been/v? {v}/v"),
    "future": ("g?", "going/g to/v? {v}/v"),
    "perfect": ("v?", "{w}/w {v}/v"),
    "recent": ("j?", "just/j {v}/v"),
    "habit": ("v?", "used/v? to/v? {v}/v"),
    "can": ("m", "{v}/v"),
    "want to": ("m?", "{m}/m to/v? {v}/v"),
}
"""For each tense the tags of its auxiliary, and what comes after the auxiliary."""

DO_TENSES = frozenset(["present", "past", "want to"])
"""Tenses that take *do* when denied or asked, and no auxiliary otherwise."""

FRENCH_TENSES = {
    "simple": "{ne} {r}/v? {c}/c {f}/v {pas} {g}/w {k}/l {x}/v",
    "compound": "{ne} {r}/v? {c}/c {f}/v? {pas} {g}/w {k}/l {p}/v",
    "near": "{ne} {f}/g {pas} {r}/v? {c}/c {p}/v {k}/l",
    "recent": "{ne} {f}/j {pas} de/j? {r}/v? {c}/c {p}/v {k}/l",
    "modal": "{ne} {f}/m {pas} {r}/v? {c}/c {p}/v {k}/l",
}

# For each denial: English before the verb, English at the end, French after what is
# conjugated, French before the object.
DENIALS = {
    "": ("", "", "", ""),
    "not": ("", "", "pas/n", ""),
    "yet": ("", "yet/y", "pas/n encore/y", ""),
    "never": ("never/n", "", "jamais/n", ""),
    "no longer": ("no/n longer/n", "", "plus/n", ""),
    "nothing": ("", "nothing/n", "rien/n", ""),
    "nobody": ("", "nobody/n", "", "personne/n"),
    "only": ("only/n", "", "", "que/n"),
}
SAID_WITH_NOT = frozenset(["not", "yet"])
PARTS_DENIED = frozenset(["not", "yet", "never", "no longer"])
"""Denials after which French says *de* instead of *un, du, des*."""


class Modal(NamedTuple):
    """A verb that takes another: *wants to sleep*, *veut dormir*."""

    english: str
    third: str
    french: Conjugation

    @property
    def tense(self) -> str:
        """Its key in ``ENGLISH_TENSES``."""
        return "can" if self.english == self.third else "want to"


CAN = Modal("can", "can", conjugate("pouvoir"))
MUST = Modal("must", "must", conjugate("devoir"))
WANT = Modal("want", "wants", conjugate("vouloir"))
HAVE = Modal("have", "has", conjugate("devoir"))
LIKE = Modal("like", "likes", conjugate("aimer"))
HOPE = Modal("hope", "hopes", conjugate("espérer"))


@cache
def _english_line(tense: str, denial: str, asked: bool) -> str:
    """s subject, b auxiliary, n what denies it, w adverb, v verb, e pronoun, o object, l manner."""
    tags, rest = ENGLISH_TENSES[tense]
    before, end, _, _ = DENIALS[denial]
    if asked:
        line = f"{{h}} {{b}}/{'q' if tense in DO_TENSES else 'q?'},{tags} {{s}} {rest}"
    elif denial in SAID_WITH_NOT:
        line = f"{{s}} {{b}}/{tags} {{n}}/n,{tags} {rest}"
    else:
        line = f"{{s}} {{b}}/{tags} {before} {rest}"
    return f"{line} {{e}}/c {{o}} {end} {{l}}/l"


@cache
def _french_line(tense: str, denial: str, asked: bool) -> str:
    """r reflexive, c pronoun, f what is conjugated, p participle or infinitive, x rest of the verb."""
    _, _, after, before_object = DENIALS[denial]
    line = FRENCH_TENSES[tense].replace("{ne}", "ne/n?" if denial else "").replace("{pas}", after)
    return f"{'{h} est-ce/q que/q?' if asked else ''} {{s}} {line} {before_object} {{o}}"


def clause(
    subject: Nominal,
    verb: Verb,
    tense: str = "present",
    denial: str = "",
    *,
    goal: Phrase = NOTHING,
    clitic: Clitic = NO_CLITIC,
    adverb: tuple[str, str] = ("", ""),
    manner: tuple[str, str] = ("", ""),
    question: Phrase | None = None,
    modal: Modal | None = None,
    agrees_with: Nominal | None = None,
) -> Phrase:
    """Say that somebody does, did or will do something, or does not, or ask.

    ``goal`` is the object; ``adverb`` goes before the English verb and after the French
    one, ``manner`` to the English end. ``agrees_with`` is an object that stands before a
    participle: *the apple that he ate*, *la pomme qu'il a mangée*.
    """
    asked = question is not None
    if modal:
        tense = modal.tense
    conjugation = verb.french
    french_tense, conjugated, completed = _conjugate(verb, tense, subject, clitic, agrees_with, modal)
    auxiliary, refusal = _auxiliary(tense, subject, denial, asked, modal)
    third = subject.person == 2 and not asked and denial not in SAID_WITH_NOT
    slots: dict[str, Phrase | Term | str] = {
        "s": subject.phrase,
        "b": auxiliary,
        "v": Term(_inflect(verb, tense, third, asked or denial in SAID_WITH_NOT), verb.english),
        "f": conjugated,
        "p": completed,
        "o": goal,
    }
    if asked:
        slots["h"] = question or NOTHING
    if refusal:
        slots["n"] = refusal
    if modal:
        slots["m"] = modal.third if third else modal.english
    if adverb[0]:
        slots |= {"w": Term(adverb[0], adverb[0]), "g": adverb[1]}
    if manner[0]:
        slots |= {"l": Term(manner[0], manner[0]), "k": manner[1]}
    if clitic.french:
        slots |= {"e": clitic.english, "c": clitic.french}
    if conjugation.reflexive:
        slots["r"] = REFLEXIVE[subject.person]
    if conjugation.rest:
        slots["x"] = conjugation.rest
    return weave(_english_line(tense, denial, asked), _french_line(french_tense, denial, asked), **slots)


def be(subject: Nominal, denial: str = "", asked: bool = False) -> tuple[str, str]:
    """Say *am, is, are*, and the word that denies it, which may be both in one.

    A pronoun is contracted, unless asked: *i'm*, *he's*, but *he isn't*.
    """
    third, first = subject.person == 2, subject.person == 0
    if denial in SAID_WITH_NOT and not first:
        return "", "isn't" if third else "aren't"
    if subject.is_pronoun and not asked:
        return "'m" if first else "'s" if third else "'re", "not"
    return "am" if first else "is" if third else "are", "not"


def _auxiliary(
    tense: str, subject: Nominal, denial: str, asked: bool, modal: Modal | None
) -> tuple[str, str]:
    """The English auxiliary, and the word that denies it."""
    third = subject.person == 2
    if tense in ("progressive", "future"):
        return be(subject, denial, asked)
    if tense in DO_TENSES:
        word = "did" if tense == "past" else "does" if third else "do"
        return (word, "") if asked else ("", word + "n't")
    if tense == "habit":
        return "", ""
    if modal:
        word = modal.english
    elif tense == "background":
        word = "was" if third or subject.person == 0 else "were"
    else:
        word = "has" if third else "have"
    if denial in SAID_WITH_NOT:
        return "", "can't" if word == "can" else word + "n't"
    return word, ""


def _inflect(verb: Verb, tense: str, third: bool, has_do: bool) -> str:
    if tense in ("progressive", "background", "lasting"):
        return verb.gerund
    if tense in ("perfect", "recent"):
        return verb.participle
    if tense == "past" and not has_do:
        return verb.past
    return verb.third if tense == "present" and third else verb.english


def _conjugate(
    verb: Verb,
    tense: str,
    subject: Nominal,
    clitic: Clitic,
    agrees_with: Nominal | None,
    modal: Modal | None,
) -> tuple[str, str, str]:
    """The French tense, the conjugated word, and the participle or infinitive if any."""
    person, french = subject.person, verb.french
    if modal:
        return "modal", modal.french.present[person], french.infinitive
    if tense == "future":
        return "near", ALLER.present[person], french.infinitive
    if tense == "recent":
        return "recent", VENIR.present[person], french.infinitive
    if tense in ("past", "perfect") and "state" not in verb.traits:
        agreeing = subject if french.etre else clitic if clitic.direct else agrees_with
        participle = french.agree(agreeing.feminine, agreeing.plural) if agreeing else french.participle
        return "compound", (ETRE if french.etre else AVOIR).present[person], participle
    if tense in ("past", "habit", "background"):
        return "simple", french.imperfect[person], ""
    return "simple", french.present[person], ""
