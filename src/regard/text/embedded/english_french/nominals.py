"""Pronouns, names and noun phrases: what can be the subject or the object of a verb."""

from functools import cache
from typing import NamedTuple

from regard.text.embedded.english_french.inflection import Adjective, Noun
from regard.text.embedded.english_french.spelling import begins_with_vowel
from regard.text.embedded.english_french.weaving import Phrase, Term, listed, weave


class Nominal(NamedTuple):
    """A phrase that verbs and adjectives agree with.

    ``person`` counts je, tu, il, nous, vous, ils from 0; of what is named with a noun it
    is 2 or 5.
    """

    phrase: Phrase
    person: int
    feminine: bool = False
    is_pronoun: bool = False
    noun: Noun | None = None

    @property
    def plural(self) -> bool:
        """Whether what agrees with it is plural; *vous* here is always one person, addressed politely."""
        return self.person in (3, 5)


def _pronoun(english: str, french: str, person: int, feminine: bool = False) -> Nominal:
    return Nominal(weave(f"{english}/p", f"{french}/p"), person, feminine, is_pronoun=True)


MYSELF, YOU, HE, SHE, WE, THEY = (
    _pronoun("i", "je", 0),
    _pronoun("you", "tu", 1),
    _pronoun("he", "il", 2),
    _pronoun("she", "elle", 2, feminine=True),
    _pronoun("we", "nous", 3),
    _pronoun("they", "ils", 5),
)
SIR, MADAM = _pronoun("you", "vous", 4), _pronoun("you", "vous", 4, feminine=True)
"""*you*, where the sentence says to whom."""
THEY_FEMININE = _pronoun("they", "elles", 5, feminine=True)
IT_MASCULINE = _pronoun("it", "il", 2)
IT_FEMININE = _pronoun("it", "elle", 2, feminine=True)
PRONOUNS = (MYSELF, YOU, HE, SHE, WE, THEY)


def pronoun_for(nominal: Nominal) -> Nominal:
    """Find the pronoun that takes up what was named: *he*, *elle*, *they* …"""
    if nominal.is_pronoun:
        return nominal
    if nominal.plural:
        return THEY_FEMININE if nominal.feminine else THEY
    if is_human(nominal):
        return SHE if nominal.feminine else HE
    return IT_FEMININE if nominal.feminine else IT_MASCULINE


def is_human(nominal: Nominal) -> bool:
    """Tell whether one says *he* or *she*, not *it*."""
    return nominal.noun is None or bool(nominal.noun.kinds & {"people", "spouse"})


NOBODY = Nominal(weave("nobody/n", "personne/n ne/n?"), 2)
"""Its *ne* comes right before the verb, as it must."""
SOMEBODY = Nominal(weave("somebody/s", "quelqu'un/s"), 2)
EVERYBODY = Nominal(weave("everybody/e", "tout/e le/e monde/e"), 2)
WHO = Nominal(weave("who/w", "qui/w"), 2)


class Clitic(NamedTuple):
    """An object pronoun; the French one stands before its verb.

    A participle agrees with it when it is a ``direct`` object.
    """

    english: str
    french: str
    person: int
    feminine: bool = False
    direct: bool = True

    @property
    def plural(self) -> bool:
        """Whether a participle that agrees with it is plural."""
        return self.person in (3, 5)


NO_CLITIC = Clitic("", "", 2, direct=False)
DIRECT = (
    Clitic("me", "me", 0),
    Clitic("you", "te", 1),
    Clitic("him", "le", 2),
    Clitic("her", "la", 2, feminine=True),
    Clitic("us", "nous", 3),
    Clitic("them", "les", 5),
)
INDIRECT = tuple(
    clitic._replace(french=french, direct=False)
    for clitic, french in zip(DIRECT, ("me", "te", "lui", "lui", "nous", "leur"), strict=True)
)
THERE = Clitic("there", "y", 2, direct=False)
SOME = Clitic("some", "en", 2, direct=False)


def direct_clitic_for(nominal: Nominal) -> Clitic:
    """Find the object pronoun that takes up what was named."""
    if nominal.plural:
        return Clitic("them", "les", 5, nominal.feminine)
    english = ("her" if nominal.feminine else "him") if is_human(nominal) else "it"
    return Clitic(english, "la" if nominal.feminine else "le", 2, nominal.feminine)


STRESSED = ("me moi", "you toi", "him lui", "us nous", "you vous", "them eux")


def stressed_pronoun(nominal: Nominal) -> str:
    """Find the French pronoun after a preposition: *chez moi*, *chez elle*, *chez eux*."""
    if nominal.feminine and nominal.person in (2, 5):
        return "elle" + "s" * nominal.plural
    return STRESSED[nominal.person].split()[1]


# Determiners: English, then French for masculine, feminine and plural.
DETERMINERS = {
    "the": ("the", "le", "la", "les"),
    "a": ("a", "un", "une", ""),
    "my": ("my", "mon", "ma", "mes"),
    "your": ("your", "ton", "ta", "tes"),
    "your politely": ("your", "votre", "votre", "vos"),
    "his": ("his", "son", "sa", "ses"),
    "her": ("her", "son", "sa", "ses"),
    "our": ("our", "notre", "notre", "nos"),
    "their": ("their", "leur", "leur", "leurs"),
    "this": ("this", "ce", "cette", ""),
    "that": ("that", "ce", "cette", ""),
    "these": ("these", "", "", "ces"),
    "those": ("those", "", "", "ces"),
    "two": ("two", "", "", "deux"),
    "three": ("three", "", "", "trois"),
    "four": ("four", "", "", "quatre"),
    "five": ("five", "", "", "cinq"),
    "six": ("six", "", "", "six"),
    "seven": ("seven", "", "", "sept"),
    "eight": ("eight", "", "", "huit"),
    "nine": ("nine", "", "", "neuf"),
    "ten": ("ten", "", "", "dix"),
    "twelve": ("twelve", "", "", "douze"),
    "several": ("several", "", "", "plusieurs"),
    "many": ("many", "", "", "beaucoup de"),
    "a few": ("a few", "", "", "quelques"),
    "which": ("which", "quel", "quelle", "quels"),
}
NUMBERS = listed("two three four five six seven eight nine ten twelve")
POSSESSIVES = listed("my your his her our their")
VOWEL_FORMS = {"ma": "mon", "ta": "ton", "sa": "son", "ce": "cet"}
INDEFINITE = ("some", "any", "")
"""Determiners that say *du, de la, des* in French; the last says nothing in English."""


@cache
def noun_phrase(
    noun: Noun,
    determiner: str,
    plural: bool = False,
    before: Adjective | None = None,
    after: Adjective | None = None,
    denied: bool = False,
) -> Nominal:
    """Put a noun between its determiner and its adjectives, agreeing.

    ``determiner`` is a key of ``DETERMINERS``; *some*, *any* or nothing for a part or for
    several; or *generic*: English says nothing, French *le, la, les*. What is ``denied``
    says *de* instead of *un, du, des*.

    >>> from regard.text.embedded.english_french.adjectives import ADJECTIVES
    >>> from regard.text.embedded.english_french.nouns import NOUNS
    >>> noun_phrase(NOUNS["house"], "a", after=ADJECTIVES["red"]).phrase.french
    ('une', 'maison', 'rouge')
    >>> noun_phrase(NOUNS["tree"], "some", plural=True, before=ADJECTIVES["old"]).phrase.french
    ('de', 'vieux', 'arbres')
    """
    french = noun.french_plural if plural else noun.french
    adjective = before.agree(noun.feminine, plural, french) if before else ""
    following = adjective or french
    if determiner in INDEFINITE:
        english, article = determiner, _partitive(noun, plural, bool(before), denied, following)
    elif determiner == "generic":
        english, article = "", "les" if plural else "la" if noun.feminine else "le"
    elif determiner == "name":
        english, article = "", ""
    else:
        english, masculine, feminine, several = DETERMINERS[determiner]
        article = several if plural else feminine if noun.feminine else masculine
        if determiner == "which" and plural and noun.feminine:
            article = "quelles"
        if article in VOWEL_FORMS and begins_with_vowel(following):
            article = VOWEL_FORMS[article]
        if determiner == "a" and denied:
            article = "de"
    phrase = weave(
        "{d}/d {x}/x {y}/y {n}/n",
        "{a}/d {b}/x {f}/n {c}/y" if english else "{a}/n? {b}/x {f}/n {c}/y",
        d=english,
        x=Term(before.english, before.english) if before else "",
        y=Term(after.english, after.english) if after else "",
        n=Term(noun.plural if plural else noun.english, noun.english),
        a=article,
        b=adjective,
        f=french,
        c=after.agree(noun.feminine, plural) if after else "",
    )
    return Nominal(phrase, 5 if plural else 2, noun.feminine, noun=noun)


def _partitive(noun: Noun, plural: bool, has_adjective: bool, denied: bool, following: str) -> str:
    if denied or (plural and has_adjective):
        return "de"
    if plural:
        return "des"
    if begins_with_vowel(following) or noun.feminine:
        return "de la" if noun.feminine else "de le"
    return "du"


def name(noun: Noun) -> Nominal:
    """Say a proper name."""
    return noun_phrase(noun, "name")


def of(possessor: Nominal, owned: Nominal) -> Nominal:
    """Join an owner to what is owned: *the king's horse*, *le cheval du roi*.

    ``owned`` comes as a *generic*, for English says its article through the owner.
    """
    ending = "'" if possessor.phrase.english[-1].endswith("s") and possessor.plural else "'s"
    phrase = weave("{o} {e}/o {h}", "{h} de/o {o}", o=possessor.phrase, e=ending, h=owned.phrase)
    return owned._replace(phrase=phrase)


def both(first: Nominal, second: Nominal) -> Nominal:
    """Join two with *and*; both must be feminine for the pair to be."""
    phrase = weave("{f} and/a {s}", "{f} et/a {s}", f=first.phrase, s=second.phrase)
    return Nominal(phrase, 5, first.feminine and second.feminine, noun=first.noun)


def than(nominal: Nominal) -> Phrase:
    """Say it after *than* or a preposition: pronouns are stressed there."""
    if nominal.is_pronoun:
        english = "her" if nominal.feminine and nominal.person == 2 else STRESSED[nominal.person].split()[0]
        return weave("{e}/p", "{f}/p", e=english, f=stressed_pronoun(nominal))
    return nominal.phrase
