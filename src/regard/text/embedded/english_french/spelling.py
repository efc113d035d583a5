"""How neighbouring words are written together, and the finished pair.

English glues ``'m`` and ``'s`` to the word before and says *an* before a vowel. French
elides (le + homme: *l'homme*; the word keeps the links of both) and contracts (de + le:
*du*; its links become possible, for it stands for neither word alone).
"""

from regard.text.embedded.english_french.weaving import Phrase, listed
from regard.text.embedded.pairs import AlignedPair

ASPIRATED = frozenset(
    listed("hache haches haricot haricots haut haute hauts hautes hérisson hérissons hibou hiboux")
)
"""Words whose h forbids elision; every other h in the lexicon is mute."""

NEVER_ELIDED_BEFORE = ASPIRATED | {"huit", "onze", "oui"}
VOWELS = frozenset("aàâeéèêëiîïoôuùûœh")
ELIDING = frozenset(listed("je me te se le la ne de que"))
CHANGING = ELIDING | {"à", "si"}
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
SAID_WITH_A = ("useful",)
SAID_WITH_AN = ("hour", "honest")


def begins_with_vowel(word: str) -> bool:
    """Tell whether French elides before this word: a vowel, a mute h, the pronoun *y*.

    >>> [begins_with_vowel(word) for word in ("homme", "hibou", "œuf", "y", "onze")]
    [True, False, True, True, False]
    """
    return (word[0] in VOWELS and word not in NEVER_ELIDED_BEFORE) or word == "y"


def spell(phrase: Phrase) -> AlignedPair:
    """Write a woven sentence as it is spelt, and carry its links along.

    >>> from regard.text.embedded.english_french.weaving import weave
    >>> pair = spell(weave("i/s 'm/v at/a the/t market/m .", "je/s suis/v à/a le/t marché/m ."))
    >>> pair.source, pair.target
    ("i'm at the market .", 'je suis au marché .')
    >>> sorted(pair.possible - pair.sure)
    [(1, 2), (2, 2)]
    """
    source, source_places = _spell_english(phrase.english)
    target, target_places, contractions = _spell_french(phrase.french)
    sure, possible = set(), set()
    for i, j, is_sure in phrase.links:
        place = target_places[j]
        link = (source_places[i], place)
        possible.add(link)
        if is_sure and place not in contractions:
            sure.add(link)
    return AlignedPair(
        source_words=tuple(source),
        target_words=tuple(target),
        sure=frozenset(sure),
        possible=frozenset(possible),
        combination="|".join(phrase.lemmas) or None,
    )


def _spell_english(words: tuple[str, ...]) -> tuple[list[str], list[int]]:
    spelt: list[str] = []
    places: list[int] = []
    for at, word in enumerate(words):
        if word[0] == "'":
            spelt[-1] += word
        elif word == "a" and _is_said_with_an(words[at + 1]):
            spelt.append("an")
        else:
            spelt.append(word)
        places.append(len(spelt) - 1)
    return spelt, places


def _is_said_with_an(word: str) -> bool:
    return (word[0] in "aeiou" and not word.startswith(SAID_WITH_A)) or word.startswith(SAID_WITH_AN)


def _spell_french(words: tuple[str, ...]) -> tuple[list[str], list[int], set[int]]:
    """The spelt words, where each word went, and the places that hold a contraction."""
    spelt: list[str] = []
    places: list[int] = []
    contractions: set[int] = set()
    elided = ""
    is_swallowed = False
    for at, word in enumerate(words):
        if is_swallowed:
            places.append(len(spelt) - 1)
            is_swallowed = False
            continue
        places.append(len(spelt))
        if word in CHANGING:
            following, beyond = (*words[at + 1 : at + 3], ".", ".")[:2]
            if (word, following) in CONTRACTED and (following == "les" or not begins_with_vowel(beyond)):
                contractions.add(len(spelt))
                word, is_swallowed = CONTRACTED[word, following], True
            elif word in ELIDING and begins_with_vowel(following):
                elided = word[:-1] + "'"
                continue
            elif word == "si" and following in ("il", "ils"):
                elided = "s'"
                continue
        spelt.append(elided + word)
        elided = ""
    return spelt, places, contractions
