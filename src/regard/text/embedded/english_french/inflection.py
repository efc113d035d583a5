"""What a word of the lexicon is, and the forms it takes in either language.

Rules make the regular forms; the lexicon spells out the others.
"""

from dataclasses import dataclass
from functools import cached_property

from regard.text.embedded.english_french.spelling import begins_with_vowel
from regard.text.embedded.english_french.weaving import listed

Six = tuple[str, str, str, str, str, str]
"""The forms of a French tense: je, tu, il or elle, nous, vous, ils or elles."""


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun: ``english`` is its lemma; a plural of "" means that it has none."""

    english: str
    plural: str
    french: str
    french_plural: str
    feminine: bool
    kinds: frozenset[str]


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective; ``before`` tells whether the French one stands before its noun."""

    english: str
    comparative: str
    french: str
    feminine: str
    before: bool

    def agree(self, feminine: bool, plural: bool, following: str = ".") -> str:
        """The French form; ``following`` is the next word, for *bel*, *nouvel* and *vieil*."""
        if self.french in INVARIABLE or " " in self.french:
            return self.french
        if feminine:
            return self.feminine + "s" * plural
        if plural:
            return french_plural(self.french)
        if self.french in BEFORE_VOWELS and begins_with_vowel(following):
            return BEFORE_VOWELS[self.french]
        return self.french


INVARIABLE = frozenset(["marron"])
BEFORE_VOWELS = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil"}


@dataclass(frozen=True, eq=False)
class Conjugation:
    """A French verb; ``etre`` tells whether its past is made with *être*."""

    infinitive: str
    present: Six
    participle: str
    imperfect: Six
    etre: bool = False
    reflexive: bool = False
    rest: str = ""
    """What follows the conjugated word: the *besoin* of *avoir besoin*."""

    def agree(self, feminine: bool, plural: bool) -> str:
        """The past participle for what it agrees with."""
        ending = "e" * feminine + "s" * (plural and not (self.participle.endswith("s") and not feminine))
        return self.participle + ending

    @cached_property
    def imperative(self) -> str:
        """What one says to a friend: *mange*, *prends*, *va*."""
        second = self.present[1]
        return second[:-1] if second.endswith(("es", "vas")) else second


@dataclass(frozen=True, eq=False)
class Verb:
    """An English verb and the French one that stands for it."""

    english: str
    third: str
    past: str
    participle: str
    gerund: str
    french: Conjugation
    uses: tuple[tuple[str, str], ...]
    """Who does it to what: pairs of noun selections; an empty object for none."""
    places: str
    traits: frozenset[str]

    @property
    def things(self) -> str:
        """What people do it to, if to anything."""
        return next((what for _, what in self.uses if what), "")


def english_plural(noun: str) -> str:
    """Make the regular plural.

    >>> [english_plural(noun) for noun in ("cat", "box", "lady", "toy")]
    ['cats', 'boxes', 'ladies', 'toys']
    """
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def french_plural(noun: str) -> str:
    """Make the regular plural of a French noun or masculine adjective.

    >>> [french_plural(noun) for noun in ("chat", "souris", "gâteau", "cheval")]
    ['chats', 'souris', 'gâteaux', 'chevaux']
    """
    if noun.endswith(("s", "x", "z")):
        return noun
    if noun.endswith(("eau", "jeu", "veu")):
        return noun + "x"
    if noun.endswith("al"):
        return noun[:-2] + "aux"
    return noun + "s"


def french_feminine(adjective: str) -> str:
    """Make the regular feminine of an adjective.

    >>> [french_feminine(adjective) for adjective in ("grand", "triste", "heureux", "cher")]
    ['grande', 'triste', 'heureuse', 'chère']
    """
    for ending, feminine in (("e", "e"), ("eux", "euse"), ("er", "ère"), ("ien", "ienne"), ("on", "onne")):
        if adjective.endswith(ending):
            return adjective.removesuffix(ending) + feminine
    return adjective + "e"


def english_forms(words: str) -> tuple[str, str, str, str, str]:
    """Base, third person, past, participle and gerund, from one to three principal parts.

    Of several words the first is inflected.

    >>> english_forms("carry")
    ('carry', 'carries', 'carried', 'carried', 'carrying')
    >>> english_forms("go_out went_out gone_out")
    ('go out', 'goes out', 'went out', 'gone out', 'going out')
    """
    parts = [part.replace("_", " ") for part in words.split()]
    first, space, rest = parts[0].partition(" ")
    rest = space + rest
    third = "has" if first == "have" else english_plural(first) if not first.endswith("o") else first + "es"
    stem = first[:-1] if first.endswith("e") else first
    ends_in_y = first.endswith("y") and first[-2] not in "aeiou"
    regular = (first[:-1] + "i" if ends_in_y else stem) + "ed" + rest
    past = parts[1] if len(parts) > 1 else regular
    participle = parts[2] if len(parts) > 2 else past
    gerund = (stem + stem[-1] if first in DOUBLING else first if first.endswith("ee") else stem) + "ing"
    return first + rest, third + rest, past, participle, gerund + rest


DOUBLING = frozenset(listed("run swim cut win get forget travel"))


def _six(stems: tuple[str, str, str, str, str, str], endings: str) -> Six:
    first, second, third, fourth, fifth, sixth = (
        stem + ending for stem, ending in zip(stems, endings.split(), strict=True)
    )
    return first, second, third, fourth, fifth, sixth


IMPERFECT = "ais ais ait ions iez aient"


def conjugate_er(infinitive: str, stressed: str = "") -> Conjugation:
    """Conjugate a verb in -er; ``stressed`` is its stem in *je*, where it changes.

    >>> conjugate_er("acheter", "achèt").present
    ('achète', 'achètes', 'achète', 'achetons', 'achetez', 'achètent')
    >>> conjugate_er("manger").imperfect
    ('mangeais', 'mangeais', 'mangeait', 'mangions', 'mangiez', 'mangeaient')
    """
    stem = infinitive[:-2]
    strong = stressed or stem
    soft = stem + "e" if stem.endswith("g") else stem[:-1] + "ç" if stem.endswith("c") else stem
    return Conjugation(
        infinitive,
        _six((strong, strong, strong, soft, stem, strong), "e es e ons ez ent"),
        stem + "é",
        _six((soft, soft, soft, stem, stem, soft), IMPERFECT),
    )


def conjugate_ir(infinitive: str) -> Conjugation:
    """Conjugate a verb like *choisir*."""
    stem = infinitive[:-1]
    return Conjugation(
        infinitive, _six((stem,) * 6, "s s t ssons ssez ssent"), stem, _six((stem + "ss",) * 6, IMPERFECT)
    )


def conjugate_re(infinitive: str) -> Conjugation:
    """Conjugate a verb like *vendre*."""
    stem = infinitive[:-2]
    endings = [stem + ending for ending in ("s", "s", "", "ons", "ez", "ent")]
    first, second, third, fourth, fifth, sixth = endings
    return Conjugation(
        infinitive, (first, second, third, fourth, fifth, sixth), stem + "u", _six((stem,) * 6, IMPERFECT)
    )


def conjugate_freely(forms: str, imperfect_stem: str = "") -> Conjugation:
    """Conjugate an irregular verb from its infinitive, six forms of the present and participle.

    The imperfect comes from *nous*, as always in French but for *être*.

    >>> conjugate_freely("voir vois vois voit voyons voyez voient vu").imperfect[2]
    'voyait'
    """
    infinitive, first, second, third, fourth, fifth, sixth, participle = forms.split()
    stem = imperfect_stem or fourth.removesuffix("ons")
    return Conjugation(
        infinitive, (first, second, third, fourth, fifth, sixth), participle, _six((stem,) * 6, IMPERFECT)
    )
