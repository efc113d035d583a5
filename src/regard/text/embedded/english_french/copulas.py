"""What somebody or something is: *the soup is cold*, *i'm hungry*, *paul is taller than me*."""

from functools import cache

from regard.text.embedded.english_french.clauses import DENIALS, SAID_WITH_NOT, be
from regard.text.embedded.english_french.conjugations import ALLER, ETRE
from regard.text.embedded.english_french.inflection import Adjective, Conjugation
from regard.text.embedded.english_french.nominals import Nominal, than
from regard.text.embedded.english_french.weaving import NOTHING, Phrase, Term, weave

DEGREES = {
    "": ("", ""),
    "very": ("very", "très"),
    "too": ("too", "trop"),
    "really": ("really", "vraiment"),
    "a little": ("a little", "un peu"),
    "so": ("so", "si"),
}


@cache
def _lines(tense: str, denial: str, asked: bool, contracted: bool) -> tuple[str, str]:
    """b *be*, n what denies it, w adverb, f what is conjugated, i infinitive, o what is said."""
    before, _, after, _ = DENIALS[denial]
    denied = denial in SAID_WITH_NOT
    if asked:
        english = "{h} {b}/q?,b {s}"
    elif tense == "future":
        english = f"{{s}} {{b}}/g? {'{n}/n,g?' if denied else before} going/g to/i? be/i"
    elif denied:
        english = "{s} {b}/b {n}/n" if contracted else "{s} {n}/n,b"
    else:
        english = f"{{s}} {{b}}/b {before}"
    ne, asking = "ne/n?" if denial else "", "{h} est-ce/q? que/q?" if asked else ""
    conjugated = f"{{f}}/g {after} {{i}}/i" if tense == "future" else f"{{f}}/b {after}"
    return f"{english} {{w}}/w {{o}}", f"{asking} {{s}} {ne} {conjugated} {{g}}/w {{o}}"


def copula(
    subject: Nominal,
    said: Phrase,
    tense: str = "present",
    denial: str = "",
    *,
    french: Conjugation = ETRE,
    adverb: tuple[str, str] = ("", ""),
    question: Phrase | None = None,
) -> Phrase:
    """Say what somebody or something is, was or will be; with *avoir*, that one is hungry."""
    asked = question is not None
    auxiliary, refusal = be(subject, denial, asked)
    if tense == "past":
        word = "was" if subject.person in (0, 2) else "were"
        auxiliary, refusal = ("", word + "n't") if denial in SAID_WITH_NOT else (word, "")
    english_line, french_line = _lines(tense, denial, asked, bool(auxiliary))
    conjugation = ALLER if tense == "future" else french
    return weave(
        english_line,
        french_line,
        s=subject.phrase,
        h=question or NOTHING,
        b=auxiliary,
        n=refusal,
        f=(conjugation.imperfect if tense == "past" else conjugation.present)[subject.person],
        i=french.infinitive,
        w=Term(adverb[0], adverb[0]) if adverb[0] else "",
        g=adverb[1],
        o=said,
    )


def described(subject: Nominal, adjective: Adjective, degree: str = "") -> Phrase:
    """Say an adjective of somebody, agreeing: *very tired*, *très fatiguée*."""
    english, french = DEGREES[degree]
    return weave(
        "{d}/d {a}/a",
        "{f}/d {g}/a",
        d=english,
        a=Term(adjective.english, adjective.english),
        f=french,
        g=adjective.agree(subject.feminine, subject.plural),
    )


def compared(subject: Nominal, adjective: Adjective, other: Nominal, degree: str) -> Phrase:
    """Compare: *taller than*, *plus grand que*; *better* is *meilleur* and has no *plus*.

    ``degree`` is more, less or as.
    """
    french = adjective.agree(subject.feminine, subject.plural)
    english = adjective.english
    if degree == "as":
        lines = "as/m {a}/a as/t {o}", "aussi/m {f}/a que/t {o}"
    elif degree == "less":
        lines = "less/m {a}/a than/t {o}", "moins/m {f}/a que/t {o}"
    elif adjective.comparative.startswith("more "):
        lines = "more/m {a}/a than/t {o}", "plus/m {f}/a que/t {o}"
    else:
        english = adjective.comparative
        lines = "{a}/a than/t {o}", "plus/a {f}/a que/t {o}"
        if english == "better":
            lines = "{a}/a than/t {o}", "{f}/a que/t {o}"
            french = "meilleur" + "e" * subject.feminine + "s" * subject.plural
    return weave(*lines, a=Term(english, adjective.english), f=french, o=than(other))
